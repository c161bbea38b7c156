package agents

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var update = flag.Bool("update", false, "write the table of docs/agents.md")

// The table of docs/agents.md stands between these lines.
const (
	tableBegins = "<!-- Written by go test ./test/agents -run TestTable -update. make agents checks each cell. -->\n"
	tableEnds   = "<!-- End of the table. -->\n"
)

// TestTable compares the table of docs/agents.md with what the runs of the real
// agents compare: where the table says yes, a run fails that shows something else, and so it
// does where the table has a reason why nothing can be known, and something is.
func TestTable(t *testing.T) {
	path := filepath.Join(harness.Root, "docs", "agents.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegins)
	require.True(t, found, "the table's first line is missing")
	_, after, found := strings.Cut(rest, tableEnds)
	require.True(t, found, "the table's last line is missing")
	want := before + tableBegins + documented() + tableEnds + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o600))
	}
	require.Equal(t, want, string(text), "go test ./test/agents -run TestTable -update writes it")
}

// ways are the modes as the page calls them.
var ways = map[string]string{"OTLP only": "OTLP", "hooks only": "hooks", "tap only": "tap", "all together": "all"}

// documented is the table as the page has it, with the reasons below.
func documented() string {
	var b strings.Builder
	var reasons []string
	b.WriteString("\n| Agent | Way |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", strings.ToUpper(c.name[:1])+c.name[1:])
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+2) + "\n")
	for _, a := range all {
		for i, m := range modes {
			title := ""
			if i == 0 {
				title = a.title
			}
			fmt.Fprintf(&b, "| %s | %s |", title, ways[m.name])
			none := missing(a, m)
			for _, c := range columns {
				fmt.Fprintf(&b, " %s |", mark(&reasons, none[c.name]))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "- –%c: %s\n", 'a'+i, reason)
	}
	b.WriteString("\n")
	return b.String()
}

// mark returns what a cell says: yes, or the letter of the reason why not.
func mark(reasons *[]string, why string) string {
	if why == "" {
		return "yes"
	}
	i := slices.Index(*reasons, why)
	if i < 0 {
		i = len(*reasons)
		*reasons = append(*reasons, why)
	}
	return fmt.Sprintf("–%c", 'a'+i)
}
