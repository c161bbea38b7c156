package report

import (
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// A batch is one POST; a receiver accepts at most 10,000 records in one.
const (
	batchBytes   = 256 << 10
	batchRecords = 2000
)

// batch is lines of one session.
type batch struct {
	around observation.Record // of its first record
	since  time.Time
	lines  []byte
	count  int
	runs   []run // what the lines are, in their order

	ends     []byte // lines too, behind the others
	endCount int
}

// run is lines of one connection that follow each other.
type run struct {
	connection string
	lines      int   // 0 for a notice of lost records, which is one line
	told       int64 // records that the notice reports as lost
}

func (b *batch) full() bool { return len(b.lines) >= batchBytes || b.count >= batchRecords }

func (b *batch) add(r *observation.Record, message []byte) {
	b.count++
	if r.End.Present {
		b.ends = r.Append(b.ends, nil)
		b.endCount++
		return
	}
	b.lines = r.Append(b.lines, message)
	if n := len(b.runs); n > 0 && b.runs[n-1].lines > 0 && b.runs[n-1].connection == r.Connection {
		b.runs[n-1].lines++
		return
	}
	b.runs = append(b.runs, run{connection: r.Connection, lines: 1})
}

// note adds a notice of lost records.
func (b *batch) note(g *gap) {
	b.lines = appendDropped(b.lines, &g.around, g.records)
	b.count++
	b.runs = append(b.runs, run{connection: g.around.Connection, told: g.records})
}

// hasRecords reports whether there is more than notices and ends.
func (b *batch) hasRecords() bool {
	return slices.ContainsFunc(b.runs, func(r run) bool { return r.lines > 0 })
}

func (b *batch) bytes() int { return len(b.lines) + len(b.ends) }

// takeEnds adds the ends of another batch of the session.
func (b *batch) takeEnds(of *batch) {
	b.ends = append(b.ends, of.ends...)
	b.endCount += of.endCount
	b.count += of.endCount
}

func (b *batch) withoutEnds() *batch {
	lines := *b
	lines.ends, lines.endCount = nil, 0
	return &lines
}

// body returns the body of the request.
func (b *batch) body() []byte {
	if len(b.ends) == 0 {
		return b.lines
	}
	return append(b.lines, b.ends...)
}

// lost calls each for every connection that has records behind the first lines,
// with their number and what notices among them reported as lost.
func (b *batch) lost(first int, each func(connection string, records, told int64)) {
	for _, r := range b.runs {
		lines := max(r.lines, 1)
		skipped := min(lines, first)
		first -= skipped
		switch {
		case skipped == lines:
		case r.lines == 0:
			each(r.connection, 0, r.told)
		default:
			each(r.connection, int64(lines-skipped), 0)
		}
	}
	if first < b.endCount {
		each(b.around.Connection, int64(b.endCount-first), 0)
	}
}
