package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
)

var errNothing = errors.New("no benchmark ran")

// target is how much of a peer's time ours may take.
type target struct {
	peer   string
	max    float64
	allocs string // the way that allocates no less than ours may
}

var targets = map[string]target{
	"BenchmarkReceive/heartbeat":        {"otlp-protobuf", 1.0, ""},
	"BenchmarkReceive/heartbeat-record": {"otlp-protobuf", 1.0, ""},
	"BenchmarkReceive/call-5KB":         {"otlp-protobuf", 1.3, ""},
	"BenchmarkReceive/call-100KB":       {"otlp-protobuf", 1.3, ""},
	"BenchmarkTruncate/fits":            {"ottl", 0.5, "off"},
	"BenchmarkSessions/http":            {"one", 1.2, ""},
	"BenchmarkSessions/process":         {"one", 2.5, ""},
}

// section is a table of its own. Its first way is ours.
type section struct {
	prefix, title string
	n             float64 // how many there are of what is counted in an iteration
	ways          []string
	peers         []string // ways that ours is divided by
}

var sections = []section{
	{
		"BenchmarkReceive/", "Receiving, for each message, pair of call and reply, or body of 100: ns (bytes/allocations)", 1,
		[]string{"ours", "handler", "otlp-protobuf", "otlp-json", "zipkin-json"},
		[]string{"otlp-protobuf", "otlp-json", "zipkin-json"},
	},
	{
		"BenchmarkTruncate/", "Truncation, for each span with ten attributes: ns (bytes/allocations)", 100,
		[]string{"ours", "off", "ottl"},
		[]string{"ottl"},
	},
	{
		"BenchmarkSessions/", "A heartbeat of one of 100,000 open sessions, and of the only one: ns (bytes/allocations)", 1,
		[]string{"many", "one"},
		[]string{"one"},
	},
}

func (r *results) print(w io.Writer) error {
	if len(r.cases) == 0 {
		return errNothing
	}
	fmt.Fprintf(w, "Processor time on one %s, %s\n", r.cpu, runtime.Version())
	for _, s := range sections {
		if err := r.section(w, &s); err != nil {
			return err
		}
	}
	return nil
}

func (r *results) section(w io.Writer, s *section) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	columns := append([]string{"case"}, s.ways...)
	for _, peer := range s.peers {
		columns = append(columns, "ours/"+peer)
	}
	columns = append(columns, "target", "met")
	fmt.Fprintf(w, "\n%s\n\n", s.title)
	row(t, columns)
	row(t, strings.Split(strings.Repeat("--- ", len(columns)-1)+"---", " "))
	for _, name := range r.cases {
		if strings.HasPrefix(name, s.prefix) {
			row(t, r.cells(s, name))
		}
	}
	return t.Flush()
}

func row(w io.Writer, cells []string) { fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }

func (r *results) cells(s *section, name string) []string {
	ways := r.ways[name]
	ours := ways[s.ways[0]]
	cells := []string{strings.TrimPrefix(name, s.prefix)}
	for _, way := range s.ways {
		m := typical(ways[way], s.n)
		cells = append(cells, fmt.Sprintf("%s (%s/%s)", number(m.ns), number(m.bytes), number(m.allocs)))
	}
	for _, peer := range s.peers {
		cells = append(cells, fmt.Sprintf("%.2f", ratio(ours, ways[peer])))
	}
	if want, ok := targets[name]; ok {
		return append(cells, want.String(), yesNo(want.met(ours, ways)))
	}
	return append(cells, "", "")
}

func (t target) String() string {
	text := fmt.Sprintf("≤ %.1f × %s", t.max, t.peer)
	if t.allocs != "" {
		text += ", no more allocations than " + t.allocs
	}
	return text
}

func (t target) met(ours []sample, ways map[string][]sample) bool {
	if t.allocs != "" && typical(ours, 1).allocs > typical(ways[t.allocs], 1).allocs {
		return false
	}
	return ratio(ours, ways[t.peer]) <= t.max
}

func number(v float64) string {
	if v > 0 && v < 100 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	return fmt.Sprintf("%.0f", v)
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
