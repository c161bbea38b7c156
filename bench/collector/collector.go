package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

// collector is a process of the distribution, in a folder of its own.
type collector struct {
	cmd  *exec.Cmd
	dir  string
	mcp  string // addresses
	otlp string
}

// receivers is both ways in, without what takes time on either.
const receivers = `
receivers:
  mcp: {http: {endpoint: "%[1]s", max_request_body_size: 134217728}, limits: {notices_per_second: 1000000000, in_flight_bytes: 1073741824}}
  otlp: {protocols: {http: {endpoint: "%[2]s", max_request_body_size: 134217728}}}
service:
  telemetry: {metrics: {level: none}, logs: {level: error}}
`

// into is a configuration in which both ways lead to the exporter.
func into(exporter, settings string) func(addresses []string) []string {
	return func(addresses []string) []string {
		return []string{
			fmt.Sprintf(receivers, addresses[0], addresses[1]),
			fmt.Sprintf("exporters: {%[1]s: %[2]s}\nservice: {pipelines: {traces: {receivers: [mcp, otlp], exporters: [%[1]s]}}}", exporter, settings),
		}
	}
}

// byDefault is the default configuration, in which the web UI may be left out.
func byDefault(webUI bool) func(addresses []string) []string {
	return func(a []string) []string {
		_, metrics, _ := net.SplitHostPort(a[4])
		config := []string{
			"receivers::mcp::http::endpoint: " + a[0], "receivers::mcp::otlp::protocols::http::endpoint: " + a[1],
			"receivers::mcp::otlp::protocols::grpc::endpoint: " + a[2], "extensions::healthcheckv2::http::endpoint: " + a[3],
			"exporters::mcp_inspector::http::endpoint: " + a[5], "exporters::prometheus::endpoint: " + a[6], "receivers::mcp::limits::notices_per_second: 1000000000",
			"service::telemetry::metrics::readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: " + metrics + "}}}}]",
		}
		if !webUI {
			config = append(config, "service::pipelines::traces/live::exporters: [nop]", "service::pipelines::logs/live::exporters: [nop]")
		}
		return config
	}
}

func start(binary string, config func([]string) []string) (*collector, error) {
	dir, err := os.MkdirTemp("", "bench-collector")
	if err != nil {
		return nil, err
	}
	addresses, err := figures.Addresses(7)
	if err != nil {
		return nil, err
	}
	c := &collector{dir: dir, mcp: addresses[0], otlp: addresses[1]}
	var args []string
	for _, text := range config(addresses) {
		if len(args) == 0 && !strings.Contains(text, "\n") {
			args = append(args, "--config", "embedded:default")
		}
		args = append(args, "--config", "yaml:"+text)
	}
	c.cmd = exec.Command(binary, args...) //nolint:gosec // as the flag says
	c.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
	var log bytes.Buffer
	c.cmd.Stdout, c.cmd.Stderr = &log, &log
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: build it with make build", err)
	}
	for _, address := range []string{c.mcp, c.otlp} {
		if !listens(address) {
			c.stop()
			return nil, errors.New("the collector does not start:\n" + log.String())
		}
	}
	return c, nil
}

func listens(address string) bool {
	for range 6000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close() == nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func (c *collector) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
	_ = os.RemoveAll(c.dir)
}
