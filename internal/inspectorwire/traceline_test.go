package inspectorwire

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/testdata"
	"pgregory.net/rapid"
)

// lines writes all spans.
func lines(td ptrace.Traces, by string) [][]byte {
	var out [][]byte
	for _, r := range td.ResourceSpans().All() {
		for _, s := range r.ScopeSpans().All() {
			for _, span := range s.Spans().All() {
				out = append(out, AppendSpan(nil, r, s, span, by))
			}
		}
	}
	return out
}

func TestBothShapesGiveTheSameSpan(t *testing.T) {
	var want, got ptrace.Span
	for i, name := range []string{"testdata/span_python.json", "testdata/span_flat.json"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, text))
		s := NewSpans("")
		verdict, err := s.Add(line.Bytes())
		require.NoError(t, err)
		require.Equal(t, Taken, verdict)
		td := s.Traces()
		require.Equal(t, 1, td.SpanCount())
		want, got = got, td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		if i == 0 {
			python(t, td)
		}
	}
	assert.Equal(t, ptrace.SpanKindClient, want.Kind())
	assert.Equal(t, ptrace.SpanKindUnspecified, got.Kind(), "the flat shape has no kind")
	got.SetKind(want.Kind())
	got.Links().RemoveIf(func(ptrace.SpanLink) bool { return false })
	want.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
	assert.NoError(t, ptracetest.CompareSpan(want, got))
}

func python(t *testing.T, td ptrace.Traces) {
	r := td.ResourceSpans().At(0)
	assert.Equal(t, map[string]any{"service.name": "billing", "session.id": "s-01"}, r.Resource().Attributes().AsRaw())
	span := r.ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, "tool.call", span.Name())
	assert.Equal(t, "6512e41a04b93caed27aab2721422e75", span.TraceID().String())
	assert.Equal(t, "f963ae7bb6d02668", span.ParentSpanID().String())
	assert.Equal(t, pcommon.Timestamp(at+1_000_310_000), span.StartTimestamp())
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.Equal(t, "timed out", span.Status().Message())
	assert.Equal(t, map[string]any{
		"mcp.tool.name": "files-read", "mcp.rpc.duration_ms": int64(750), "ratio": 1.0, "ok": true, "none": nil,
		"tags": []any{"a", int64(1)}, "deep": map[string]any{"a": map[string]any{}},
	}, span.Attributes().AsRaw())
	assert.Equal(t, pcommon.Timestamp(at+1_700_000_000), span.Events().At(0).Timestamp())
	assert.Equal(t, 1, span.Links().Len())
}

func TestVerdicts(t *testing.T) {
	const ids = `"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","start_time":"2025-08-02T09:31:07Z"`
	for text, want := range map[string]Verdict{
		`{` + ids + `,"end_time":"2025-08-02T09:31:08Z"}`: Taken,
		`{` + ids + `,"end_time":"2025-08-02T09:31:08"}`:  Taken,
		`{` + ids + `}`:                 Running,
		`{` + ids + `,"end_time":null}`: Running,
		`{` + ids + `,"end_time":"2025-08-02T09:31:08Z","otel":{"writer":"me"}}`:              Own,
		`{` + ids + `,"end_time":"2025-08-02T09:31:08Z","otel":{"writer":"you"}}`:             Taken,
		`{` + ids + `,"end_time":"2025-08-02T09:31:08Z","otel":3,"attributes":[],"events":1}`: Taken,
	} {
		s := NewSpans("me")
		got, err := s.Add([]byte(text))
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		if want != Taken {
			assert.Zero(t, s.Traces().SpanCount(), text)
		}
	}
}

func TestLinesThatAreNoSpan(t *testing.T) {
	const rest = `,"start_time":"2025-08-02T09:31:07Z","end_time":"2025-08-02T09:31:08Z"}`
	for text, want := range map[string]error{
		``:        ErrLineNotObject,
		`[]`:      ErrLineNotObject,
		`{}{}`:    ErrLineNotObject,
		`{}`:      ErrLineIDs,
		`{"name"`: nil,
		`{"trace_id":"6512e41a04b93caed27aab2721422e756","span_id":"b1816ef466f6425b"` + rest:                        ErrLineIDs,
		`{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425x"` + rest:                         ErrLineIDs,
		`{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","parent_id":"0x1"` + rest:       ErrLineIDs,
		`{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","end_time":"yesterday"}`:        ErrLineTime,
		`{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","otel":{"otlp":{"a":1}}` + rest: ErrLineOTLP,
	} {
		s := NewSpans("")
		_, err := s.Add([]byte(text))
		require.Error(t, err, text)
		if want != nil {
			assert.ErrorIs(t, err, want, text)
		}
		assert.Zero(t, s.Traces().ResourceSpans().Len(), text)
	}
}

func TestStateOfPython(t *testing.T) {
	assert.Empty(t, stateOf("[]"))
	assert.Equal(t, "a=1", stateOf("a=1"))
	assert.Equal(t, "a=1,b=2", stateOf(`["{key=a, value=1}", "{key=b, value=2}"]`))
}

// TestLineIsReadableByThePage: what the Inspector's page and the Python shape's
// readers rely on.
func TestLineIsReadableByThePage(t *testing.T) {
	td := testdata.GenerateTraces(2)
	for _, line := range lines(td, "me") {
		var flat struct {
			TraceID    string `json:"trace_id"`
			Name       string
			Attributes map[string]any
			Events     []struct{ Time, Timestamp string }
			Context    struct {
				TraceID string `json:"trace_id"`
			}
			Kind string
		}
		require.NoError(t, json.Unmarshal(line, &flat))
		assert.Equal(t, "0x"+flat.TraceID, flat.Context.TraceID)
		assert.True(t, strings.HasPrefix(flat.Kind, "SpanKind."))
		for _, e := range flat.Events {
			assert.Equal(t, e.Time, e.Timestamp)
		}
		assert.Equal(t, 1, bytes.Count(line, []byte("\n")))
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		td := anyTraces(t)
		s := NewSpans("other")
		for _, line := range lines(td, "me") {
			require.True(t, json.Valid(line), "%s", line)
			verdict, err := s.Add(line)
			require.NoError(t, err, "%s", line)
			require.Equal(t, Taken, verdict)
		}
		require.NoError(t, ptracetest.CompareTraces(td, s.Traces(), ptracetest.IgnoreSpansOrder()))
	})
}

func anyTraces(t *rapid.T) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	anyMap(t, rs.Resource().Attributes(), 1)
	rs.Resource().SetDroppedAttributesCount(rapid.Uint32().Draw(t, "dropped"))
	rs.SetSchemaUrl(text.Draw(t, "schema"))
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(text.Draw(t, "scope"))
	anyMap(t, ss.Scope().Attributes(), 1)
	for i := range rapid.IntRange(1, 3).Draw(t, "spans") {
		anySpan(t, ss.Spans().AppendEmpty(), byte(i+1))
	}
	return td
}

var text = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "[]", "\u2028\x00\"\\", "mcp.tool.name"}))

func anySpan(t *rapid.T, span ptrace.Span, n byte) {
	span.SetTraceID(pcommon.TraceID{1, n})
	span.SetSpanID(pcommon.SpanID{n})
	span.SetParentSpanID(pcommon.SpanID{7: rapid.Byte().Draw(t, "parent")})
	span.SetName(text.Draw(t, "name"))
	span.SetKind(ptrace.SpanKind(rapid.Int32Range(0, 6).Draw(t, "kind")))
	span.SetStartTimestamp(anyTime(t))
	span.SetEndTimestamp(max(anyTime(t), 1))
	span.TraceState().FromRaw(text.Draw(t, "state"))
	span.SetFlags(rapid.Uint32().Draw(t, "flags"))
	span.SetDroppedEventsCount(rapid.Uint32().Draw(t, "dropped"))
	span.Status().SetCode(ptrace.StatusCode(rapid.Int32Range(0, 3).Draw(t, "code")))
	span.Status().SetMessage(text.Draw(t, "message"))
	anyMap(t, span.Attributes(), 2)
	for range rapid.IntRange(0, 2).Draw(t, "events") {
		e := span.Events().AppendEmpty()
		e.SetName(text.Draw(t, "event"))
		e.SetTimestamp(anyTime(t))
		anyMap(t, e.Attributes(), 1)
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		l := span.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{9})
		l.SetSpanID(pcommon.SpanID{9})
		l.TraceState().FromRaw(text.Draw(t, "state"))
		l.SetFlags(rapid.Uint32().Draw(t, "flags"))
		anyMap(t, l.Attributes(), 1)
	}
}

func anyTime(t *rapid.T) pcommon.Timestamp {
	return pcommon.Timestamp(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 2e18), rapid.SampledFrom([]uint64{0, 1e18})).Draw(t, "time"))
}

func anyMap(t *rapid.T, m pcommon.Map, depth int) {
	for range rapid.IntRange(0, 4).Draw(t, "pairs") {
		anyValue(t, m.PutEmpty(text.Draw(t, "key")), depth)
	}
}

func anyValue(t *rapid.T, v pcommon.Value, depth int) {
	switch rapid.IntRange(0, 7).Draw(t, "type") {
	case 1:
		v.SetStr(text.Draw(t, "string"))
	case 2:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case 3:
		v.SetDouble(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{1, -0.5, math.Inf(-1), 1e300})).Draw(t, "double"))
	case 4:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case 5:
		if depth > 0 {
			anyMap(t, v.SetEmptyMap(), depth-1)
		}
	case 6:
		s := v.SetEmptySlice()
		for range rapid.IntRange(0, depth).Draw(t, "items") {
			anyValue(t, s.AppendEmpty(), depth-1)
		}
	case 7:
		v.SetEmptyBytes().FromRaw(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	}
}

func TestManyKeysCostNoSquare(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","end_time":"2025-08-02T09:31:08Z","attributes":{`)
	const n = 100_000
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.Repeat("k", 1+i%7) + string(rune('0'+i%10)) + `":1`)
	}
	b.WriteString(`,"z":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`)
	s := NewSpans("")
	_, err := s.Add([]byte(b.String()))
	require.NoError(t, err)
	span := s.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, 71, span.Attributes().Len())
}

func FuzzSpansAdd(f *testing.F) {
	for _, line := range lines(testdata.GenerateTraces(3), "me") {
		f.Add(line)
	}
	for _, name := range []string{"testdata/span_python.json", "testdata/span_flat.json"} {
		line, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		s := NewSpans("me")
		verdict, err := s.Add(line)
		require.Equal(t, before, line)
		td := s.Traces()
		if err != nil || verdict != Taken {
			require.Zero(t, td.SpanCount())
			return
		}
		again := NewSpans("")
		for _, l := range lines(td, "") {
			require.True(t, json.Valid(l), "%s", l)
			_, err := again.Add(l)
			require.NoError(t, err)
		}
	})
}
