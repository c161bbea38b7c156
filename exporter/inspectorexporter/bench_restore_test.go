package inspectorexporter

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/stream"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// BenchmarkRestore reads one session that is open, of calls of 1 KB, as a
// collector does that starts.
func BenchmarkRestore(b *testing.B) {
	b.Run("20MB", func(b *testing.B) { benchRestore(b, 20_000) })
	b.Run("280MB", func(b *testing.B) { benchRestore(b, 280_000) })
}

func benchRestore(b *testing.B, calls int) {
	opt := store.Options{
		Dir: b.TempDir(), MaxFileBytes: 100 << 20, MaxTotalBytes: 10 << 30, Retention: time.Hour, MaxSessions: 10, MaxPending: 1 << 30,
	}
	lines, err := store.Open(opt)
	require.NoError(b, err)
	text := payload.Prose(500)
	var line []byte
	for i := range calls {
		td := spansOf(func(s ptrace.Span) {
			span("s-1", "tool.call", call, root, 1, 3, "mcp.tool.name", "grep", "mcp.tool.output_json", text,
				"mcp.rpc.method", "tools/call", "mcp.rpc.duration_ms", 2000, "mcp.rpc.transport", "stdio")(s)
			s.SetSpanID([8]byte{1, byte(i >> 16), byte(i >> 8), byte(i)})
		})
		rs := td.ResourceSpans().At(0)
		ss := rs.ScopeSpans().At(0)
		line = inspectorwire.AppendSpan(line[:0], rs, ss, ss.Spans().At(0), "other")
		lines.Append("s-1", line)
		if i%100 == 0 {
			lines.Flush()
		}
	}
	lines.Flush()
	require.NoError(b, lines.Close())
	from := cputime.Now()
	cputime.Loop(b, func() {
		files, err := store.Open(opt)
		require.NoError(b, err)
		s := &shown{board: sessions.New(10, time.Now), daily: daily.New(time.Now), events: stream.New(1, time.Now()), store: files}
		r := restore(context.Background(), s, zap.NewNop())
		r.rest(context.Background())
		require.Equal(b, 1, s.board.Len())
		require.NoError(b, files.Close())
	})
	b.ReportMetric(float64(cputime.Now()-from)/float64(b.N)/float64(calls), "cpu-ns/line")
}
