package mcpreceiver

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// wrongs are values of another type or size than a key of an agent's has.
var wrongs = map[string]func(pcommon.Value){
	"nothing":   func(v pcommon.Value) { pcommon.NewValueEmpty().CopyTo(v) },
	"int":       func(v pcommon.Value) { v.SetInt(7) },
	"negative":  func(v pcommon.Value) { v.SetInt(math.MinInt64) },
	"huge int":  func(v pcommon.Value) { v.SetInt(math.MaxInt64) },
	"NaN":       func(v pcommon.Value) { v.SetDouble(math.NaN()) },
	"infinite":  func(v pcommon.Value) { v.SetDouble(math.Inf(1)) },
	"bool":      func(v pcommon.Value) { v.SetBool(true) },
	"bytes":     func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte{0xff, 0}) },
	"array":     func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetInt(1) },
	"map":       func(v pcommon.Value) { v.SetEmptyMap().PutStr("a", "b") },
	"deep map":  deep,
	"text NaN":  func(v pcommon.Value) { v.SetStr("NaN") },
	"text huge": func(v pcommon.Value) { v.SetStr("1e308") },
	"no UTF-8":  func(v pcommon.Value) { v.SetStr("\xff\x00") },
	"no JSON":   func(v pcommon.Value) { v.SetStr(`{"a":`) },
	"long":      func(v pcommon.Value) { v.SetStr(strings.Repeat("x", 1<<16)) },
}

func deep(v pcommon.Value) {
	for range 200 {
		v = v.SetEmptyMap().PutEmpty("a")
	}
}

// kept are the keys by which an agent or a session is known: without them little would
// be read at all.
var kept = []string{"event.name", "session.id", "conversation.id", "gen_ai.conversation.id", "gen_ai.operation.name"}

// spoil sets every attribute, or all but those by which an agent is known.
func spoil(m pcommon.Map, wrong func(pcommon.Value), all bool) {
	for key, v := range m.All() {
		if !all && slices.Contains(kept, key) {
			continue
		}
		wrong(v)
	}
}

// samples returns what decoders are tested with: each event and span of each agent.
func samples(tb testing.TB) (logs []plog.Logs, traces []ptrace.Traces) {
	tb.Helper()
	files, err := filepath.Glob("../../internal/agent/*/testdata/*.json")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(tb, err)
		switch {
		case strings.HasSuffix(file, ".logs.json"):
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
			require.NoError(tb, err)
			logs = append(logs, ld)
		case strings.HasSuffix(file, ".traces.json"):
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
			require.NoError(tb, err)
			traces = append(traces, td)
		}
	}
	return logs, traces
}

// Whatever stands in the keys of agents' events: all records pass, and what is made of
// them is sound.
func TestMalformed(t *testing.T) {
	for name, wrong := range wrongs {
		for _, all := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { malformed(t, wrong, all) })
			})
		}
	}
}

func malformed(t *testing.T, wrong func(pcommon.Value), all bool) {
	s := newSetupOf(t, settings(), nil, newDecoder)
	s.start(t)
	logs, traces := samples(t)
	records := 0
	for _, ld := range logs {
		everyLog(ld, func(_ *otlp.Origin, lr plog.LogRecord) bool {
			spoil(lr.Attributes(), wrong, all)
			return true
		})
		records += ld.LogRecordCount()
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	}
	for _, td := range traces {
		everySpan(td, func(_ *otlp.Origin, span ptrace.Span) bool {
			spoil(span.Attributes(), wrong, all)
			for _, e := range span.Events().All() {
				spoil(e.Attributes(), wrong, all)
			}
			return true
		})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	s.stop(t)
	assert.GreaterOrEqual(t, s.outLogs.LogRecordCount(), records)
	for _, td := range s.out.AllTraces() {
		requireSound(t, td)
	}
}

// requireSound checks the spans that we made.
func requireSound(t *testing.T, td ptrace.Traces) {
	t.Helper()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			if ss.Scope().Name() != mcpconv.ReceiverScope {
				continue
			}
			for _, span := range ss.Spans().All() {
				assert.LessOrEqual(t, span.StartTimestamp(), span.EndTimestamp(), span.Name())
				assert.LessOrEqual(t, len(span.Name()), 4096)
				for key, v := range span.Attributes().All() {
					switch v.Type() {
					case pcommon.ValueTypeInt:
						assert.GreaterOrEqual(t, v.Int(), int64(0), key)
					case pcommon.ValueTypeDouble:
						assert.False(t, math.IsNaN(v.Double()) || math.IsInf(v.Double(), 0) || v.Double() < 0, key)
					case pcommon.ValueTypeStr:
						assert.True(t, mcpconv.IsPayload(key) || len(v.Str()) <= 4096, "%s has %d bytes", key, len(v.Str()))
					}
				}
			}
		}
	}
}

// FuzzOTLP consumes whatever can be OTLP, after a session of each agent.
func FuzzOTLP(f *testing.F) {
	logs, traces := samples(f)
	for _, ld := range logs {
		body, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
		require.NoError(f, err)
		f.Add(body)
	}
	for _, td := range traces {
		body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Agents.SessionKey = []string{"user.id"} }, newDecoder)
		s.start(t)
		if ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body); err == nil {
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		}
		if td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body); err == nil {
			require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		}
		s.stop(t)
		for _, td := range s.out.AllTraces() {
			requireSound(t, td)
		}
	})
}
