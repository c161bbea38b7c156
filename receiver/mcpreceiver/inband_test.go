package mcpreceiver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// TestSpansSentAlong: only those of a trace that is the session's own pass.
func TestSpansSentAlong(t *testing.T) {
	spans := func(name string) string {
		const one = `{"resource":{},"scopeSpans":[{"spans":[{"traceId":%q,"spanId":"0102030405060708","name":%q},{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0102030405060709","name":"foreign"}]}]}`
		return "[" + fmt.Sprintf(one, identity.Trace("", "s").String(), name) + "]"
	}
	for _, wanted := range []bool{true, false} {
		cfg := quiet()
		cfg.InBand = wanted
		sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
		r := assemble(t, cfg, sink)
		require.Equal(t, 202, tell(t, r, "s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`))
		require.Equal(t, 202, tell(t, r, "s", `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"otel":{"traces":{"resourceSpans":`+spans("of the reply")+`}}}}}`))
		require.Equal(t, 202, tell(t, r, "s", `{"jsonrpc":"2.0","method":"notifications/otel/trace","params":{"resourceSpans":`+spans("told")+`}}`))
		require.Equal(t, 202, tell(t, r, "s", `{"jsonrpc":"2.0","method":"notifications/otel/trace","params":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"zz"}]}]}]}}`))
		names := sink.names()
		assert.NotContains(t, names, "foreign")
		assert.Equal(t, wanted, sink.count("of the reply") == 1, "%v", names)
		assert.Equal(t, wanted, sink.count("told") == 1, "%v", names)
		for _, span := range spansOf(sink.traces) {
			if span.Name() == "told" {
				mark, _ := span.Attributes().Get("mcp.in_band")
				assert.True(t, mark.Bool(), "%v", span.Attributes().AsRaw())
			}
		}
		require.NoError(t, r.Shutdown(t.Context()))
	}
}
