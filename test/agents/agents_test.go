package agents

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// all are the agents that run here.
var all = []*agent{claudeCode, codex, geminiCLI, opencode, copilotCLI}

// cell holds what the test says of a column of one agent in one mode.
type cell struct {
	agent, mode, column string
	good                bool
	missing             string // why nothing can be known
	err                 error
}

// table collects the cells of all runs.
type table struct {
	mu    sync.Mutex
	cells []cell
	first map[string]time.Duration // by agent: from the collector's start to the first span
}

func (tb *table) add(c cell) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.cells = append(tb.cells, c)
}

// TestAgents connects each agent with mcptap connect, plays its script, and
// compares the board, the spans and the totals with what the model server and the
// MCP servers saw. With -v it prints the table of all agents and modes.
func TestAgents(t *testing.T) {
	tb := &table{first: map[string]time.Duration{}}
	t.Run("runs", func(t *testing.T) {
		for _, a := range all {
			for _, m := range modes {
				t.Run(a.name+"/"+m.name, func(t *testing.T) {
					t.Parallel()
					compare(t, tb, a, m)
				})
			}
		}
	})
	t.Log("\n" + tb.String())
}

func compare(t *testing.T, tb *table, a *agent, m mode) {
	a.path(t)
	s := stage(t, a)
	c := startCollector(t)
	if m.tap {
		s.tapHTTP(t, c)
	}
	s.connect(t, c.base, c.otlp, m)
	found := make(chan time.Duration, 1)
	stop := make(chan struct{})
	go c.firstSpan(found, stop)
	s.play(t)
	e := expect(t, s, m)
	c.settle(t, e, missing(a, m))
	close(stop)
	if first, ok := <-found; ok && m.everything() {
		tb.mu.Lock()
		tb.first[a.name] = first
		tb.mu.Unlock()
	}
	if m.everything() {
		s.recheck(t, c)
	}
	judge(t, tb, s, m, e, c.collect(t))
}

// judge fills the row of the table for one run, and fails it where something that
// can be known is wrong.
func judge(t *testing.T, tb *table, s *scene, m mode, e expected, o observed) {
	t.Helper()
	none := missing(s.agent, m)
	for _, column := range columns {
		result := cell{agent: s.agent.name, mode: m.name, column: column.name, missing: none[column.name], err: column.check(e, o)}
		result.good = result.err == nil
		switch {
		case result.missing == "" && !result.good:
			t.Errorf("%s: %v", column.name, result.err)
		case result.missing != "" && result.good:
			t.Errorf("%s is right: missing_test.go says that it cannot be known, for %q", column.name, result.missing)
		}
		tb.add(result)
	}
	if t.Failed() {
		t.Logf("the rows: %+v", o.rows)
		t.Logf("the spans:\n%s", o.outline())
		t.Logf("%s wrote:\n%s", s.agent.name, &s.output)
	}
}

// firstSpan sends how long after the collector was up the first span came.
func (c *collector) firstSpan(found chan<- time.Duration, stop <-chan struct{}) {
	defer close(found)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if c.sink.Received().SpanCount() > 0 {
				found <- time.Since(c.up)
				return
			}
		}
	}
}

// settle waits until all is as it has to be, or nothing more can be expected.
func (c *collector) settle(t *testing.T, e expected, none map[string]string) {
	t.Helper()
	deadline := time.After(harness.Patience)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !asExpected(e, c.observe(t), none) {
		select {
		case <-deadline:
			return
		case <-tick.C:
		}
	}
}

func asExpected(e expected, o observed, none map[string]string) bool {
	for _, column := range columns {
		if none[column.name] == "" && column.check(e, o) != nil {
			return false
		}
	}
	return true
}

// String has a line for each agent and mode.
func (tb *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| agent\t| mode")
	for _, c := range columns {
		fmt.Fprintf(w, "\t| %s", c.name)
	}
	fmt.Fprintln(w, "\t|")
	for _, a := range all {
		for _, m := range modes {
			if !tb.ran(a.name, m.name) {
				continue
			}
			fmt.Fprintf(w, "| %s\t| %s", a.name, m.name)
			for _, c := range columns {
				fmt.Fprintf(w, "\t| %s", tb.mark(a.name, m.name, c.name))
			}
			fmt.Fprintln(w, "\t|")
		}
	}
	_ = w.Flush()
	fmt.Fprintln(&b, "\nFrom the collector's start to the first span, with mcptap connect and the agent's own start:")
	for _, a := range all {
		if first, ok := tb.first[a.name]; ok {
			fmt.Fprintf(&b, "%s %.1f s\n", a.name, first.Seconds())
		}
	}
	return b.String()
}

func (tb *table) ran(agent, mode string) bool {
	return slices.ContainsFunc(tb.cells, func(c cell) bool { return c.agent == agent && c.mode == mode })
}

func (tb *table) mark(agent, mode, column string) string {
	for _, c := range tb.cells {
		if c.agent == agent && c.mode == mode && c.column == column {
			switch {
			case c.missing != "":
				return "–"
			case c.good:
				return "yes"
			default:
				return "NO"
			}
		}
	}
	return "not run"
}

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

// TestMissing keeps the reasons for what cannot be known in step with the columns.
func TestMissing(t *testing.T) {
	known := map[string]bool{}
	for _, c := range columns {
		known[c.name] = true
	}
	for _, a := range all {
		for _, m := range modes {
			for column, why := range missing(a, m) {
				require.True(t, known[column], "%s is no column", column)
				require.NotEmpty(t, why)
			}
		}
	}
}
