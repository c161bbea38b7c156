package configs

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// signals are the three in the order of the document's columns.
var signals = []string{"traces", "logs", "metrics"}

// TestSignals: where the traces, log records and metrics of sessions go with each
// shipped configuration is what docs/configuration.md says.
func TestSignals(t *testing.T) {
	documented := documentedSignals(t)
	for _, path := range shipped(t) {
		name, err := filepath.Rel(filepath.Join(harness.Root, "config"), path)
		require.NoError(t, err)
		name = strings.TrimSuffix(filepath.ToSlash(name), ".yaml")
		t.Run(name, func(t *testing.T) {
			row, ok := documented[name]
			delete(documented, name)
			if !assert.True(t, ok, "docs/configuration.md does not say where its signals go") {
				return
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var c declared
			require.NoError(t, yaml.Unmarshal(text, &c))
			for i, signal := range signals {
				to := c.reached(signal)
				t.Logf("%s: %s", signal, strings.Join(to, ", "))
				assert.Equal(t, row[i], to, signal)
			}
		})
	}
	assert.Empty(t, documented, "not shipped")
}

// TestOnlyTraces: a configuration that leaves a signal out says so in its first lines.
func TestOnlyTraces(t *testing.T) {
	for name, row := range documentedSignals(t) {
		if strings.HasPrefix(name, "scale/") || len(row[1]) > 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(harness.Root, "config", name+".yaml"))
		require.NoError(t, err)
		head, _, _ := strings.Cut(string(text), "\nreceivers:")
		assert.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(head, "#", "")), " "), "stores traces only", name)
	}
}

// reached are the exporters that the receivers' own telemetry of a signal comes to,
// be it through connectors. Those that send nothing anywhere are left out.
func (c declared) reached(signal string) []string {
	found := map[string]bool{}
	for id, p := range c.Service.Pipelines {
		kind, _, _ := strings.Cut(id, "/")
		if kind != signal || !slices.ContainsFunc(p.Receivers, c.own) {
			continue
		}
		for _, exporter := range p.Exporters {
			if _, connector := c.Connectors[exporter]; !connector && exporter != "nop" {
				found[exporter] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// own reports whether sessions come from it: the mcp receiver, or what brings them
// from other collectors where there is none.
func (c declared) own(receiver string) bool {
	if _, here := c.Receivers["mcp"]; here {
		return receiver == "mcp"
	}
	return strings.HasPrefix(receiver, "otlp") || strings.HasPrefix(receiver, "kafka")
}

var exporterNames = regexp.MustCompile("`([a-z_]+(?:/[a-z-]+)?)`")

// documentedSignals are the rows of the table: by configuration, the exporters of
// each signal.
func documentedSignals(t *testing.T) map[string][3][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root, "docs", "configuration.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| Configuration | Traces | Log records | Metrics |\n")
	require.True(t, found)
	rows := map[string][3][]string{}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if strings.HasPrefix(cells[0], " -") {
			continue
		}
		require.Len(t, cells, 4, line)
		var row [3][]string
		for i, cell := range cells[1:] {
			for _, match := range exporterNames.FindAllStringSubmatch(cell, -1) {
				row[i] = append(row[i], match[1])
			}
			slices.Sort(row[i])
		}
		for name := range strings.SplitSeq(strings.ReplaceAll(cells[0], "`", ""), ",") {
			rows[strings.TrimSpace(name)] = row
		}
	}
	return rows
}
