package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/otlptranslator"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// metrics returns docs/metrics.md for the repository at root: the metrics of sessions from where they are
// defined, and those of the components from their metadata.yaml.
func metrics(root string) (string, error) {
	var b strings.Builder
	b.WriteString(metricsHead)
	for _, m := range telemetry.MetricDefinitions() {
		if err := session(&b, m); err != nil {
			return "", err
		}
	}
	b.WriteString(tools)
	b.WriteString(own)
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "metadata.yaml"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if err := component(&b, file); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
	}
	b.WriteString(upstream)
	return b.String(), nil
}

// kinds map the definitions' kinds to the translator's.
var kinds = map[string]otlptranslator.MetricType{
	"histogram": otlptranslator.MetricTypeHistogram, "gauge": otlptranslator.MetricTypeGauge, "counter": otlptranslator.MetricTypeMonotonicCounter,
}

// session writes the row of a metric of sessions, with the name that the exporter for Prometheus gives it.
func session(b *strings.Builder, m telemetry.MetricDefinition) error {
	namer := otlptranslator.MetricNamer{WithMetricSuffixes: true}
	name, err := namer.Build(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: kinds[m.Kind]})
	if err != nil {
		return err
	}
	row(b, quote(m.Name), quote(name), m.Kind+", "+m.Unit, quote(m.Attributes...), m.Description)
	return nil
}

// metadata is a component's, as far as its metrics are concerned.
type metadata struct {
	Name       string `yaml:"display_name"`
	Type       string
	Status     struct{ Class string }
	Attributes map[string]struct{ Description string }
	Telemetry  struct {
		Metrics map[string]metric
	}
}

type metric struct {
	Description, Unit     string
	Sum, Gauge, Histogram *struct{}
	Attributes            []string
}

func (m metric) kind() string {
	switch {
	case m.Sum != nil:
		return "counter"
	case m.Gauge != nil:
		return "gauge"
	}
	return "histogram"
}

// component writes a section for a component that has metrics.
func component(b *strings.Builder, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c metadata
	if err := yaml.Unmarshal(text, &c); err != nil {
		return err
	}
	if len(c.Telemetry.Metrics) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\n### %s (`%s`)\n\n| In Prometheus | Kind, unit | Labels | Meaning |\n| ---- | ---- | ---- | ---- |\n", c.Name, c.Type)
	var used []string
	for _, name := range keys(c.Telemetry.Metrics) {
		m := c.Telemetry.Metrics[name]
		row(b, quote("otelcol_"+name), m.kind()+", "+m.Unit, quote(m.Attributes...), m.Description)
		used = append(used, m.Attributes...)
	}
	slices.Sort(used)
	for i, name := range slices.Compact(used) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- `%s`: %s\n", name, strings.TrimSpace(c.Attributes[name].Description))
	}
	return nil
}

func keys[V any](m map[string]V) (all []string) {
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func quote(names ...string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, "`"+name+"`")
	}
	return strings.Join(quoted, ", ")
}
