package tracefiles

import "github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"

// batch holds what was read and not handed on yet.
type batch struct {
	spans *inspectorwire.Spans
	lines int
	bytes int
	taken int64
	bad   int64
}

func (b *batch) add(line []byte) {
	b.lines++
	b.bytes += len(line)
	if len(line) == 0 {
		return
	}
	switch verdict, err := b.spans.Add(line); {
	case err != nil:
		b.bad++
	case verdict == inspectorwire.Taken:
		b.taken++
	}
}
