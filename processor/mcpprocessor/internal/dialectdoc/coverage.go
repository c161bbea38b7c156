package main

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

How many spans and log records of the fixtures have the attribute of the conventions, before and after. The last column is
what the fixtures are from: the versions of what was recorded, or the facts in the sources.

`

// coverage counts, for each dialect, the attributes of its fixtures.
func coverage(folder string) (string, error) {
	var b strings.Builder
	b.WriteString(coverageIntro + "| Dialect |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString(" Fixtures |\n|" + strings.Repeat(" --- |", len(columns)+2) + "\n")
	for _, d := range dialect.All() {
		inputs, err := fixturesOf(folder, d.Name)
		if err != nil {
			return "", err
		}
		var before, after [dialect.Fields]int
		for _, input := range inputs {
			if err := count(input, &before); err != nil {
				return "", err
			}
			if err := count(strings.TrimSuffix(input, ".json")+".expected.json", &after); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(&b, "| `%s` |", d.Name)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", change(before[c.fact], after[c.fact]))
		}
		producers, err := producersOf(filepath.Join(folder, d.Name, "README.md"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " %s |\n", producers)
	}
	return b.String(), nil
}

func change(before, after int) string {
	if after == 0 {
		return ""
	}
	return fmt.Sprintf("%d → %d", before, after)
}

// count adds which facts a file has in their own attributes.
func count(file string, to *[dialect.Fields]int) error {
	text, err := os.ReadFile(file) //nolint:gosec // a fixture
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

// producersOf are the versions that a README says were recorded.
func producersOf(readme string) (string, error) {
	text, err := os.ReadFile(readme) //nolint:gosec // of a fixture
	if err != nil {
		return "", err
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if _, what, ok := strings.Cut(line, "is recorded: "); ok {
			list = append(list, strings.TrimSuffix(strings.TrimSpace(what), "."))
		}
	}
	if strings.Contains(string(text), "from source facts") {
		list = append(list, "source facts")
	}
	return strings.Join(list, "; "), nil
}
