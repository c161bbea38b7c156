package mcpreceiver

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
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
				forged(t, c.key, map[string]any{"organization.id": "b", "mcp.session.part_of": c.says}, nil,
					map[string]any{"agent": c.agent, "anything": c.rest})
			})
		})
	}
}

// Nor does the session that it names.
func TestForgedSessions(t *testing.T) {
	key := []string{"organization.id", "user.id"}
	for name, c := range map[string]struct {
		key           []string
		own, resource map[string]any
		agent, rest   any // what an agent's item of session x is part of then, and another one
	}{
		"another tenant's": {
			key, map[string]any{"organization.id": "b", "session.id": "acme/ann/s"}, nil, "b//acme/ann/s", "b//acme/ann/s",
		},
		"conversation": {
			key, map[string]any{"organization.id": "b", "gen_ai.conversation.id": "acme/ann/s"}, nil, "b//acme/ann/s", "b//acme/ann/s",
		},
		"on the resource": {
			key, nil, map[string]any{"organization.id": "b", "user.id": "u", "session.id": "acme/ann/s"}, "b/u/acme/ann/s", "b/u/acme/ann/s",
		},
		"its own before that of the resource": {
			key,
			map[string]any{"session.id": "b/u/s"},
			map[string]any{"organization.id": "b", "user.id": "u", "session.id": "acme/ann/s"},
			"b/u/x", nil,
		},
		"of nobody": {key, map[string]any{"session.id": "acme/ann/s"}, nil, "//acme/ann/s", "//acme/ann/s"},
		"of a part": {
			key,
			map[string]any{"organization.id": "b", "session.id": "acme/ann/s", "mcp.session.part_of": "b//w"},
			nil,
			"b//acme/ann/s", "b//acme/ann/s",
		},
		"of another tenant's part": {
			key,
			map[string]any{"organization.id": "b", "session.id": "b//s", "mcp.session.part_of": "acme/ann/s"},
			nil,
			"b//x", "b//acme/ann/s",
		},
		"its own part":     {key, map[string]any{"organization.id": "b", "session.id": "y", "mcp.session.part_of": "b//x"}, nil, "b//x", "b//x"},
		"its own tenant's": {key, map[string]any{"organization.id": "b", "session.id": "b//s"}, nil, "b//x", nil},
		"its own":          {key, map[string]any{"organization.id": "b", "session.id": "x"}, nil, "b//x", "b//x"},
		"no text":          {key, map[string]any{"organization.id": "b", "session.id": 5}, nil, "b//x", nil},
		"none":             {key, map[string]any{"organization.id": "b"}, nil, "b//x", nil},
		"without tenants":  {nil, map[string]any{"organization.id": "b", "session.id": "acme/ann/s"}, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				forged(t, c.key, c.own, c.resource, map[string]any{"agent": c.agent, "anything": c.rest})
			})
		})
	}
}

// forged asserts which session items are said to be part of, by who sends them.
func forged(t *testing.T, key []string, own, resource, want map[string]any) {
	t.Helper()
	s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = key })
	s.start(t)
	now := time.Now().UnixNano()
	for i, service := range []string{"agent", "anything"} {
		ld, td := plog.NewLogs(), ptrace.NewTraces()
		all := map[string]any{"session": "x", "what": "none", "from": service}
		maps.Copy(all, own)
		record(ld, service, now, all)
		span(td, service, byte(i+1), now, now+10, all)
		require.NoError(t, ld.ResourceLogs().At(0).Resource().Attributes().FromRaw(resource))
		require.NoError(t, td.ResourceSpans().At(0).Resource().Attributes().FromRaw(resource))
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	}
	s.stop(t)
	s.partsOf(t, want)
}

// partsOf asserts which session the items that passed are part of, by who sent them: a span
// and a log record each.
func (s *setup) partsOf(t *testing.T, want map[string]any) {
	t.Helper()
	seen := 0
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
	assert.Equal(t, 2*len(want), seen)
}
