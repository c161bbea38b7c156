// Package portconverter is a confmap.Converter that leaves the configuration as it is and fails if a port that the
// collector is about to listen on is in use. Components would say so one at a time, some with a stack trace and none of
// the collector's own with the setting to change.
package portconverter // import "github.com/otelcol-mcp/otelcol-mcp/confmap/portconverter"

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"go.opentelemetry.io/collector/confmap"
)

// checked is true after the first conversion of the process: when the collector reloads, the ports are its own.
var checked atomic.Bool

type converter struct{ runs bool }

// NewFactory returns the factory of the converter. It checks once a process, and not for subcommands such as validate.
func NewFactory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter {
		subcommand := len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-")
		return converter{!subcommand && checked.CompareAndSwap(false, true)}
	})
}

// Convert implements confmap.Converter.
func (c converter) Convert(_ context.Context, conf *confmap.Conf) error {
	if !c.runs {
		return nil
	}
	var taken []string
	way := ""
	for _, server := range servers(conf) {
		listener, err := net.Listen("tcp", server.address)
		if err == nil {
			_ = listener.Close()
			continue
		}
		if errors.Is(err, syscall.EADDRINUSE) { // all else is left to the component
			taken = append(taken, server.address+" ("+server.key+")")
			if way == "" && strings.HasSuffix(server.key, endpoint) {
				way = ", as in --config 'yaml:" + server.key + ": localhost:PORT'"
			}
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return fmt.Errorf("ports in use: %s: stop the program that uses them, perhaps another otelcol-mcp, or choose others%s", strings.Join(taken, ", "), way)
}

const endpoint = "::endpoint"

type server struct{ key, address string }

// servers are those of receivers, extensions, the web UI and metrics that run.
func servers(conf *confmap.Conf) (found []server) {
	used := inUse(conf)
	for _, key := range conf.AllKeys() {
		parts := strings.Split(key, confmap.KeyDelimiter)
		if len(parts) < 3 || !strings.HasSuffix(key, endpoint) || !slices.Contains(used[parts[0]], parts[1]) {
			continue
		}
		kind, _, _ := strings.Cut(parts[1], "/")
		if parts[0] == "exporters" && kind != "mcp_inspector" && kind != "prometheus" {
			continue
		}
		address, _ := conf.Get(key).(string)
		if _, port, err := net.SplitHostPort(address); err == nil && port != "0" {
			found = append(found, server{key, address})
		}
	}
	const readers = "service::telemetry::metrics::readers"
	list, _ := conf.Get(readers).([]any)
	for _, each := range list {
		reader, _ := each.(map[string]any)
		of := confmap.NewFromStringMap(reader)
		if host, port := of.Get("pull::exporter::prometheus::host"), of.Get("pull::exporter::prometheus::port"); host != nil && port != nil {
			found = append(found, server{readers, net.JoinHostPort(fmt.Sprint(host), fmt.Sprint(port))})
		}
	}
	return found
}

// inUse are the components that run, by kind.
func inUse(conf *confmap.Conf) map[string][]string {
	used := map[string][]string{"extensions": texts(conf.Get("service::extensions"))}
	pipelines, _ := conf.Get("service::pipelines").(map[string]any)
	for _, pipeline := range pipelines {
		parts, _ := pipeline.(map[string]any)
		for _, kind := range []string{"receivers", "exporters"} {
			used[kind] = append(used[kind], texts(parts[kind])...)
		}
	}
	return used
}

func texts(list any) (all []string) {
	values, _ := list.([]any)
	for _, value := range values {
		all = append(all, fmt.Sprint(value))
	}
	return all
}
