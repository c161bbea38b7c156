package mcpconnector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
)

// What an item says itself puts it into no other tenant's session, whether an agent sent
// it or anything else.
func TestForgedParts(t *testing.T) {
	for name, c := range map[string]struct {
		key         []string
		says        string
		agent, rest string // what an agent's item then says, and another one
	}{
		"another tenant's": {[]string{"organization.id"}, "a/s", "b/x", "b/a/s"},
		"its own tenant's": {[]string{"organization.id"}, "b/x", "b/x", "b/x"},
		"without tenants":  {nil, "s", "s", "s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = c.key })
				s.start(t)
				now := time.Now().UnixNano()
				for i, service := range []string{"agent", "anything"} {
					ld, td := plog.NewLogs(), ptrace.NewTraces()
					all := map[string]any{"session": "x", "what": "none", "organization.id": "b", "mcp.session.part_of": c.says, "from": service}
					record(ld, service, now, all)
					span(td, service, byte(i+1), now, now+10, all)
					require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
				}
				s.stop(t)
				want, seen := map[string]string{"agent": c.agent, "anything": c.rest}, 0
				check := func(all map[string]any) {
					if from, ok := all["from"].(string); ok {
						seen++
						assert.Equal(t, want[from], all["mcp.session.part_of"], "%v", all)
					}
				}
				for _, td := range s.out.AllTraces() {
					everySpan(td, func(_ *otlp.Origin, s ptrace.Span) bool { check(s.Attributes().AsRaw()); return true })
				}
				for _, ld := range s.outLogs.AllLogs() {
					everyLog(ld, func(_ *otlp.Origin, r plog.LogRecord) bool { check(r.Attributes().AsRaw()); return true })
				}
				assert.Equal(t, 4, seen)
			})
		})
	}
}
