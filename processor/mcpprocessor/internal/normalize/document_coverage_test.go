package normalize

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
)

// columns are the facts that the table of coverage shows.
var columns = []struct {
	title string
	fact  dialect.Field
}{
	{"tool", dialect.ToolName},
	{"arguments", dialect.ToolArguments},
	{"result", dialect.ToolResult},
	{"error", dialect.ErrorType},
	{"model", dialect.RequestModel},
	{"tokens", dialect.InputTokens},
	{"agent", dialect.AgentName},
	{"conversation", dialect.Conversation},
	{"MCP server", dialect.ServerName},
}

const coverageIntro = `
## What is gained

How many spans and log records of each fixture have the attribute of the conventions, before and after. A fixture is what a
program wrote that ` + "`test/dialects`" + ` ran, in the version that the last column names, or it is written from the facts
in the sources, for the reason in the last column.

`

// coverage counts, for each dialect and each of its fixtures, the attributes.
func coverage(folder string) (string, error) {
	var b strings.Builder
	b.WriteString(coverageIntro + "| Dialect |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString(" Producer |\n|" + strings.Repeat(" --- |", len(columns)+2) + "\n")
	for _, d := range dialect.All() {
		groups, err := groupsOf(folder, d.Name)
		if err != nil {
			return "", err
		}
		for _, g := range groups {
			row, err := g.row(d.Name)
			if err != nil {
				return "", err
			}
			b.WriteString(row)
		}
	}
	b.WriteString("\nThese could not be recorded:\n\n| Producer | Why |\n| --- | --- |\n")
	for _, one := range absent {
		fmt.Fprintf(&b, "| %s | %s |\n", one.producer, one.why)
	}
	return b.String(), nil
}

// group is the fixtures of one producer: spans, log records or both.
type group struct {
	producer string
	inputs   []string
}

// groupsOf returns those of a dialect, in the order in which its README names them.
func groupsOf(folder, name string) ([]group, error) {
	inputs, err := fixturesOf(folder, name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, name, "README.md"))
	if err != nil {
		return nil, err
	}
	var groups []group
	named := 0
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(line, "`")
		fixture, rest, ok := strings.Cut(rest, "` is ")
		if !ok {
			continue
		}
		from, err := producer(name, rest)
		if err != nil {
			return nil, err
		}
		g := group{producer: from}
		for _, input := range inputs {
			if base, _, _ := strings.Cut(filepath.Base(input), "."); base == fixture {
				g.inputs = append(g.inputs, input)
			}
		}
		named += len(g.inputs)
		groups = append(groups, g)
	}
	if named != len(inputs) {
		return nil, fmt.Errorf("%s: its README.md names %d of %d fixtures", name, named, len(inputs))
	}
	return groups, nil
}

// sourced begins what the README says of a fixture that was not recorded, before the reason.
const sourced = "written from source facts, not recorded ("

// producer returns what a fixture is from, by what the README says of it.
func producer(name, text string) (string, error) {
	if what, ok := strings.CutPrefix(text, "recorded: "); ok {
		return strings.TrimSuffix(strings.TrimSpace(what), "."), nil
	}
	reason, source, ok := strings.Cut(strings.TrimPrefix(text, sourced), "): ")
	if !strings.HasPrefix(text, sourced) || !ok || reason == "" || strings.TrimSpace(source) == "" {
		return "", fmt.Errorf("%s: its README.md must say of a fixture `is recorded: PRODUCER` or `is %sREASON): SOURCE`", name, sourced)
	}
	return "from source facts: " + reason, nil
}

func (g *group) row(name string) (string, error) {
	var before, after [dialect.Fields]int
	for _, input := range g.inputs {
		if err := countFacts(input, &before); err != nil {
			return "", err
		}
		if err := countFacts(strings.TrimSuffix(input, ".json")+".expected.json", &after); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| `%s` |", name)
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", change(before[c.fact], after[c.fact]))
	}
	fmt.Fprintf(&b, " %s |\n", g.producer)
	return b.String(), nil
}

func change(before, after int) string {
	if after == 0 {
		return ""
	}
	return fmt.Sprintf("%d → %d", before, after)
}

// countFacts adds which facts a file has in their own attributes.
func countFacts(file string, to *[dialect.Fields]int) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	add := func(m pcommon.Map) {
		for _, c := range columns {
			if _, ok := m.Get(dialect.Targets[c.fact].Key); ok {
				to[c.fact]++
			}
		}
	}
	if strings.Contains(file, ".logs.") {
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					add(record.Attributes())
				}
			}
		}
		return nil
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				add(span.Attributes())
			}
		}
	}
	return nil
}

// absent are programs that were tried, and why there is no recording of them.
var absent = []struct{ producer, why string }{
	{"`@modelcontextprotocol/sdk` 1.32.2", "It writes no telemetry. It is recorded with OpenLLMetry's instrumentation."},
	{"`github.com/modelcontextprotocol/go-sdk` 1.8.0", "It writes no telemetry."},
	{"`github.com/mark3labs/mcp-go/otel`", "The Go module proxy has no such module (404). mcp-go itself is recorded, with an adapter of the test's own."},
	{"`google.golang.org/adk`, `google.golang.org/adk/v2`", "The Go module proxy does not give it out (403, \"This module version is not available\")."},
	{"`@openai/agents` 0.20.0", "It writes no OTLP of its own. It is recorded with OpenInference's instrumentation."},
	{"`@langchain/core`, `@langchain/langgraph` 1.7.3", "They write no OTLP of their own. They are recorded with the instrumentations of OpenInference and OpenLLMetry. The OpenTelemetry mode of `langsmith` 0.12.0 makes no spans for the runs of a graph."},
	{"`@arizeai/openinference-instrumentation-mcp` 0.2.33", "It carries the context of a trace, and writes no spans."},
}
