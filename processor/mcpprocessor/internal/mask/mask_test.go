package mask

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// token is put together here, so that no scanner of repositories reports it.
var token = "gh" + "p_" + strings.Repeat("aB3", 12)

func maskerOf(t *testing.T, change func(*Config)) *Masker {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Enabled = true
	if change != nil {
		change(&cfg)
	}
	require.NoError(t, cfg.Validate())
	telemetry, err := metadata.NewTelemetryBuilder(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	m, err := New(&cfg, telemetry)
	require.NoError(t, err)
	return m
}

// fill puts the secret into keys and values of each type.
func fill(attrs pcommon.Map) {
	attrs.PutStr("a", "use "+token)
	attrs.PutStr("key of "+token, "kept")
	attrs.PutStr("key of "+token+"x", "kept too")
	attrs.PutEmptyBytes("bytes").FromRaw([]byte(token))
	slice := attrs.PutEmptySlice("slice")
	slice.AppendEmpty().SetStr(token)
	slice.AppendEmpty().SetEmptyMap().PutStr("inner", token)
	deep := attrs.PutEmptyMap("map")
	deep.PutStr(token, token)
	deep.PutEmptyBytes("bytes").FromRaw([]byte(token))
	deep.PutEmptyMap("deeper").PutEmptySlice("x").AppendEmpty().SetStr(`{"y":"` + token + `"}`)
	attrs.PutInt("count", 5)
}

// everyTrace has the secret everywhere.
func everyTrace() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	fill(rs.Resource().Attributes())
	rs.SetSchemaUrl("https://x/" + token)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl("https://x/" + token)
	fill(ss.Scope().Attributes())
	ss.Scope().SetName(token)
	ss.Scope().SetVersion(token)
	span := ss.Spans().AppendEmpty()
	fill(span.Attributes())
	span.SetName("get " + token)
	span.Status().SetMessage("no " + token)
	span.TraceState().FromRaw("a=" + token)
	event := span.Events().AppendEmpty()
	event.SetName(token)
	fill(event.Attributes())
	link := span.Links().AppendEmpty()
	link.TraceState().FromRaw("a=" + token)
	fill(link.Attributes())
	return td
}

func everyLog() plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	fill(rl.Resource().Attributes())
	rl.SetSchemaUrl("https://x/" + token)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.SetSchemaUrl("https://x/" + token)
	fill(sl.Scope().Attributes())
	sl.Scope().SetName(token)
	sl.Scope().SetVersion(token)
	for _, set := range []func(pcommon.Value){
		func(v pcommon.Value) { v.SetStr("body " + token) },
		func(v pcommon.Value) { fill(v.SetEmptyMap()) },
		func(v pcommon.Value) { fill(v.SetEmptySlice().AppendEmpty().SetEmptyMap()) },
		func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte(token)) },
	} {
		record := sl.LogRecords().AppendEmpty()
		record.SetSeverityText(token)
		record.SetEventName(token)
		fill(record.Attributes())
		set(record.Body())
	}
	return ld
}

func TestEveryPlaceOfTraces(t *testing.T) {
	marshaler := ptrace.ProtoMarshaler{}
	before, err := marshaler.MarshalTraces(everyTrace())
	require.NoError(t, err)
	require.Equal(t, 59, strings.Count(string(before), token))
	td, err := maskerOf(t, nil).Traces(t.Context(), everyTrace())
	require.NoError(t, err)
	after, err := marshaler.MarshalTraces(td)
	require.NoError(t, err)
	assert.NotContains(t, string(after), token)

	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, "get [masked: github-pat]", span.Name())
	assert.Equal(t, "no [masked: github-pat]", span.Status().Message())
	assert.Equal(t, map[string]any{
		"a": "use [masked: github-pat]", "key of [masked: github-pat]": "kept", "key of [masked: github-pat] 2": "kept too",
		"bytes": []byte("[masked: github-pat]"), "slice": []any{"[masked: github-pat]", map[string]any{"inner": "[masked: github-pat]"}},
		"map": map[string]any{
			"[masked: github-pat]": "[masked: github-pat]", "bytes": []byte("[masked: github-pat]"),
			"deeper": map[string]any{"x": []any{`{"y":"[masked: github-pat]"}`}},
		},
		"count": int64(5),
	}, span.Attributes().AsRaw())
}

func TestEveryPlaceOfLogs(t *testing.T) {
	marshaler := plog.ProtoMarshaler{}
	before, err := marshaler.MarshalLogs(everyLog())
	require.NoError(t, err)
	require.Equal(t, 94, strings.Count(string(before), token))
	ld, err := maskerOf(t, nil).Logs(t.Context(), everyLog())
	require.NoError(t, err)
	after, err := marshaler.MarshalLogs(ld)
	require.NoError(t, err)
	assert.NotContains(t, string(after), token)
	record := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, "body [masked: github-pat]", record.Body().Str())
}

// everyMetric has the secret everywhere.
func everyMetric() pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	fill(rm.Resource().Attributes())
	rm.SetSchemaUrl("https://x/" + token)
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl("https://x/" + token)
	fill(sm.Scope().Attributes())
	sm.Scope().SetName(token)
	sm.Scope().SetVersion(token)
	for _, add := range []func(pmetric.Metric) (attributes, exemplar pcommon.Map){
		func(m pmetric.Metric) (_, _ pcommon.Map) {
			point := m.SetEmptyGauge().DataPoints().AppendEmpty()
			return point.Attributes(), point.Exemplars().AppendEmpty().FilteredAttributes()
		},
		func(m pmetric.Metric) (_, _ pcommon.Map) {
			point := m.SetEmptySum().DataPoints().AppendEmpty()
			return point.Attributes(), point.Exemplars().AppendEmpty().FilteredAttributes()
		},
		func(m pmetric.Metric) (_, _ pcommon.Map) {
			point := m.SetEmptyHistogram().DataPoints().AppendEmpty()
			return point.Attributes(), point.Exemplars().AppendEmpty().FilteredAttributes()
		},
		func(m pmetric.Metric) (_, _ pcommon.Map) {
			point := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
			return point.Attributes(), point.Exemplars().AppendEmpty().FilteredAttributes()
		},
		func(m pmetric.Metric) (_, _ pcommon.Map) {
			return m.SetEmptySummary().DataPoints().AppendEmpty().Attributes(), m.Metadata()
		},
	} {
		metric := sm.Metrics().AppendEmpty()
		metric.SetName(token)
		metric.SetDescription(token)
		metric.SetUnit(token)
		attributes, exemplar := add(metric)
		fill(attributes)
		fill(exemplar)
	}
	return md
}

func TestEveryPlaceOfMetrics(t *testing.T) {
	marshaler := pmetric.ProtoMarshaler{}
	before, err := marshaler.MarshalMetrics(everyMetric())
	require.NoError(t, err)
	require.Equal(t, 139, strings.Count(string(before), token))
	md, err := maskerOf(t, nil).Metrics(t.Context(), everyMetric())
	require.NoError(t, err)
	after, err := marshaler.MarshalMetrics(md)
	require.NoError(t, err)
	assert.NotContains(t, string(after), token)
}

// Masking twice is masking once, as collectors in a row do.
func TestAgain(t *testing.T) {
	m := maskerOf(t, nil)
	once, err := m.Traces(t.Context(), everyTrace())
	require.NoError(t, err)
	twice := ptrace.NewTraces()
	once.CopyTo(twice)
	twice, err = m.Traces(t.Context(), twice)
	require.NoError(t, err)
	assert.Equal(t, once, twice)
}

// Names of attributes and members decide, whatever the value looks like.
func TestNames(t *testing.T) {
	m := maskerOf(t, func(c *Config) {
		c.Keys = []string{"patient"}
		c.Rules = map[string]string{"ticket": `TICKET-[0-9]+`}
		c.Disable = []string{"url-password"}
	})
	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	require.NoError(t, record.Attributes().FromRaw(map[string]any{
		"http.request.header.authorization": []any{"Basic x1"}, "http.request.header.cookie": []any{"word"}, "db.password": "hunter", "passcode": 1234, "gen_ai.usage.input_tokens": 7,
		"mcp.progress.token": "p-1", "env": map[string]any{"API_KEY": "x1y2"}, "patient": map[string]any{"name": "Jane"}, "note": "TICKET-7",
		"url": "https://me:abc123@example.com", "password.enabled": true,
	}))
	_, err := m.Logs(t.Context(), ld)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"http.request.header.authorization": []any{"[masked: authorization]"}, "http.request.header.cookie": []any{"[masked: cookie]"},
		"db.password": "[masked: secret-value]",
		"passcode":    "[masked: secret-value]", "gen_ai.usage.input_tokens": int64(7), "mcp.progress.token": "p-1",
		"env": map[string]any{"API_KEY": "[masked: secret-value]"}, "patient": "[masked: configured-key]", "note": "[masked: ticket]",
		"url": "https://me:abc123@example.com", "password.enabled": true,
	}, record.Attributes().AsRaw())
}

func TestOffLetsThrough(t *testing.T) {
	cfg := DefaultConfig()
	m, err := New(&cfg, nil)
	require.NoError(t, err)
	td, err := m.Traces(t.Context(), everyTrace())
	require.NoError(t, err)
	assert.Equal(t, everyTrace(), td)
	ld, err := m.Logs(t.Context(), everyLog())
	require.NoError(t, err)
	assert.Equal(t, everyLog(), ld)
	md, err := m.Metrics(t.Context(), everyMetric())
	require.NoError(t, err)
	assert.Equal(t, everyMetric(), md)
}
