package observer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/report"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/spool"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// What it costs to observe: 100 calls of 200 bytes in one chunk, and one reply
// of 10 MB in chunks of 64 KiB.
func BenchmarkObserve(b *testing.B) {
	around := observation.Record{Connection: "c-MXQ2IV6PLJUSOC3YHAR5ZMB4DW", Session: "s-MXQ2IV6PLJUSOC3YHAR5ZMB4DW", Transport: "stdio", ServerURI: "stdio:///usr/bin/node"}
	b.Run("calls", func(b *testing.B) {
		request := `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("a", 99) + "\"}}}\n"
		chunk := spool.Chunk{Time: 1, Bytes: bytes.Repeat([]byte(request), 100)}
		b.SetBytes(int64(len(chunk.Bytes)))
		b.ReportAllocs()
		q := report.NewQueue(8 << 20)
		o := New(Options{Around: around, MaxMessage: 1 << 20}, q)
		for b.Loop() {
			o.Look(chunk)
		}
	})
	b.Run("large", func(b *testing.B) {
		reply := []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"` + strings.Repeat("b", 10_000_000) + "\"}]}}\n")
		b.SetBytes(int64(len(reply)))
		b.ReportAllocs()
		o := New(Options{Around: around, MaxMessage: 1 << 20}, report.NewQueue(8<<20))
		for b.Loop() {
			for rest := reply; len(rest) > 0; {
				n := min(64<<10, len(rest))
				o.Look(spool.Chunk{Time: 1, Bytes: rest[:n]})
				rest = rest[n:]
			}
		}
	})
}
