package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/bench/figures"
)

var errNothing = errors.New("no benchmark ran")

// target bounds our time, or memory, as a share of a peer's.
type target struct {
	peer   string
	max    float64
	allocs string // the way that allocates no less than ours may
}

var targets = map[string]target{
	"BenchmarkReceive/heartbeat":             {"otlp-protobuf", 1.1, ""},
	"BenchmarkReceive/heartbeat-record":      {"otlp-protobuf", 1.1, ""},
	"BenchmarkReceive/heartbeat-records-100": {"otlp-protobuf", 1.0, ""},
	"BenchmarkReceive/call-5KB":              {"otlp-protobuf", 1.5, ""},
	"BenchmarkReceive/call-100KB":            {"otlp-protobuf", 1.5, ""},
	"BenchmarkReceive/call-100KB-ascii":      {"otlp-protobuf", 1.3, ""},
	"BenchmarkReceive/call-100KB-structured": {"otlp-protobuf", 2.5, ""},
	"BenchmarkTruncate/fits":                 {"ottl", 0.25, "off"},
	"BenchmarkTruncateStitch/fits":           {"ottl", 0.5, ""},
	"BenchmarkSessions/http":                 {"one", 1.2, ""},
	"BenchmarkSessions/process":              {"one", 1.5, ""},
	"BenchmarkStitch/one-span-traces":        {"groupbytrace", 0.2, ""},
	"BenchmarkStitchMemory/waiting":          {"pdata", 1.5, ""},
	"BenchmarkStitchScale/batch":             {"waiting-1000", 1.5, ""},
}

// limits are times that ours may take, in ns for one.
var limits = map[string]float64{
	"BenchmarkStitchLink/all-with-key": 300,
	"BenchmarkAgents/foreign-record":   3_000,
	"BenchmarkAgents/agent-record":     15_000,
}

// heaps is the prefix of the section in which bytes are compared, not times.
const heaps = "BenchmarkStitchMemory/"

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
		"BenchmarkAgents/", "Log records of agents over OTLP, for each of 100 in a request: ns (bytes/allocations)", 100,
		[]string{"ours"},
		nil,
	},
	{
		"BenchmarkTruncate/", "Truncation, for each span with ten attributes: ns (bytes/allocations)", 100,
		[]string{"ours", "off", "ottl"},
		[]string{"ottl"},
	},
	{
		"BenchmarkTruncateStitch/", "Truncation and stitching, for each span with ten attributes: ns (bytes/allocations)", 100,
		[]string{"ours", "ottl"},
		[]string{"ottl"},
	},
	{
		"BenchmarkInspector/", "The web UI's exporter, for each message, or pair of call and reply: ns (bytes/allocations)", 1,
		[]string{"ours"},
		nil,
	},
	{
		"BenchmarkStitch/", "Stitching, for each span of ten attributes, until it is out again: ns (bytes/allocations)", heldBatches * spansInBatch,
		[]string{"ours", "groupbytrace"},
		[]string{"groupbytrace"},
	},
	{
		"BenchmarkStitchLink/", "Stitching by links, for each span: ns (bytes/allocations)", spansInBatch,
		[]string{"ours"},
		nil,
	},
	{
		"BenchmarkStitchScale/", "Stitching while so many spans wait, for each span: ns (bytes/allocations)", spansInBatch,
		[]string{"waiting-1000000", "waiting-1000"},
		[]string{"waiting-1000"},
	},
	{
		"BenchmarkStitchMemory/", "Heap of a span that waits: (bytes)", 1,
		[]string{"ours", "pdata", "groupbytrace"},
		[]string{"pdata", "groupbytrace"},
	},
	{
		"BenchmarkSessions/", "A heartbeat of one of 100,000 open sessions, and of the only one: ns (bytes/allocations)", 1,
		[]string{"many", "one"},
		[]string{"one"},
	},
}

// What a benchmark of stitching lets through in an iteration.
const (
	spansInBatch = 100
	heldBatches  = 100
)

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
	columns := append([]string{"case"}, s.ways...)
	for _, peer := range s.peers {
		columns = append(columns, "ours/"+peer)
	}
	columns = append(columns, "target", "target met")
	fmt.Fprintf(w, "\n%s\n\n", s.title)
	t := figures.NewTable(w, columns...)
	for _, name := range r.cases {
		if strings.HasPrefix(name, s.prefix) {
			t.Row(r.cells(s, name)...)
		}
	}
	return t.Flush()
}

func (r *results) cells(s *section, name string) []string {
	ways := r.ways[name]
	ours := ways[s.ways[0]]
	cells := []string{strings.TrimPrefix(name, s.prefix)}
	for _, way := range s.ways {
		m := typical(ways[way], s.n)
		cells = append(cells, s.cell(m))
	}
	for _, peer := range s.peers {
		cells = append(cells, fmt.Sprintf("%.2f", ratio(ours, ways[peer], s.measure)))
	}
	if limit, ok := limits[name]; ok {
		return append(cells, fmt.Sprintf("≤ %.0f ns", limit), figures.YesNo(typical(ours, s.n).ns <= limit))
	}
	if want, ok := targets[name]; ok {
		return append(cells, want.String(), figures.YesNo(want.met(s, ours, ways)))
	}
	return append(cells, "", "")
}

func (s *section) cell(m sample) string {
	if s.prefix == heaps {
		return number(m.bytes)
	}
	return fmt.Sprintf("%s (%s/%s)", number(m.ns), number(m.bytes), number(m.allocs))
}

// measure returns what is compared.
func (s *section) measure(m sample) float64 {
	if s.prefix == heaps {
		return m.bytes
	}
	return m.ns
}

func (t target) String() string {
	text := fmt.Sprintf("≤ %.2g × %s", t.max, t.peer)
	if t.allocs != "" {
		text += ", no more allocations than " + t.allocs
	}
	return text
}

func (t target) met(s *section, ours []sample, ways map[string][]sample) bool {
	if t.allocs != "" && typical(ours, 1).allocs > typical(ways[t.allocs], 1).allocs {
		return false
	}
	return ratio(ours, ways[t.peer], s.measure) <= t.max
}

func number(v float64) string {
	if v > 0 && v < 100 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	return fmt.Sprintf("%.0f", v)
}
