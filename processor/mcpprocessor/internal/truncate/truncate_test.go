package truncate

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func truncatorOf(change func(*Config)) *Truncator {
	cfg := DefaultConfig()
	change(&cfg)
	return New(&cfg, nil)
}

func limited(limit int) *Truncator {
	return truncatorOf(func(c *Config) { c.MaxBytes = limit })
}

// attrs runs t over one map and is what comes out.
func attrs(tr *Truncator, m pcommon.Map) map[string]any {
	var sum counts
	tr.attributes(m, inSpan, &sum)
	return m.AsRaw()
}

func mapOf(kv ...string) pcommon.Map {
	m := pcommon.NewMap()
	for i := 0; i < len(kv); i += 2 {
		m.PutStr(kv[i], kv[i+1])
	}
	return m
}

// TestPayloadsOfDialects: what frameworks wrote, and what backends need besides, is as
// long as what it becomes. A list of one's own replaces these keys too.
func TestPayloadsOfDialects(t *testing.T) {
	for _, key := range []string{
		"ai.toolCall.result", "genkit:output", "input.value", "output.value", "traceloop.entity.input", "langfuse.observation.input", "langfuse.observation.output",
		"llm.input_messages.0.message.content", "llm.input_messages.12.message.contents.3.message_content.text", "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
		"gen_ai.prompt.0.content", "gen_ai.completion.7.tool_calls.0.arguments", "retrieval.documents.0.document.content", "llm.prompt_template.template",
	} {
		assert.Len(t, attrs(limited(10), mapOf(key, "longer than ten bytes"))[key], 10, key)
		own := truncatorOf(func(c *Config) { c.MaxBytes, c.Keys = 10, []string{"x"} })
		assert.Len(t, attrs(own, mapOf(key, "longer than ten bytes"))[key], 21, key)
	}
	for _, key := range []string{"arguments", "gen_ai.prompt.name", "llm.input_messages", "llm.input_messages.", "retrieval.documents.count"} {
		assert.Len(t, attrs(limited(10), mapOf(key, "longer than ten bytes"))[key], 21, "%s may be anybody's", key)
	}
}

func TestDefaultLimit(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"ascii, exact":              {strings.Repeat("a", 30720), 30720},
		"ascii, one more":           {strings.Repeat("a", 30721), 30720},
		"three bytes, exact":        {strings.Repeat("€", 10240), 30720},
		"three bytes, one more":     {strings.Repeat("€", 10241), 30720},
		"cut back to a boundary":    {"a" + strings.Repeat("€", 10240), 30718},
		"ascii, much too long":      {strings.Repeat("a", 1<<20), 30720},
		"continuation bytes only":   {strings.Repeat("\x80", 40000), 30720},
		"no UTF-8, and fits":        {strings.Repeat("\xff", 30720), 30720},
		"the last byte is no UTF-8": {strings.Repeat("a", 30720) + "\xff", 30720},
	} {
		t.Run(name, func(t *testing.T) {
			got := attrs(limited(defaultMaxBytes), mapOf("x_json", c.in))
			assert.Equal(t, c.in[:c.want], got["x_json"])
			_, flagged := got["x_json_truncated"]
			assert.Equal(t, len(c.in) > 30720, flagged)
		})
	}
}

func TestBoundaries(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"a", 1, "a"},
		{"ab", 1, "a"},
		{"€€", 5, "€"},
		{"€€", 4, "€"},
		{"€€", 3, "€"},
		{"€€", 2, ""},
		{"𝄞𝄞", 7, "𝄞"},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80"},
		{"ab\xff\xfe", 3, "ab\xff"},
	} {
		t.Run(fmt.Sprintf("%q at %d", c.in, c.limit), func(t *testing.T) {
			got := attrs(limited(c.limit), mapOf("x_json", c.in))
			assert.Equal(t, c.want, got["x_json"])
		})
	}
}

func TestEveryPlace(t *testing.T) {
	long, short := strings.Repeat("x", 50), strings.Repeat("x", 20)
	td := tracesOf(long)
	sum := limited(20).traces(td)

	rs := td.ResourceSpans().At(0)
	ss := rs.ScopeSpans().At(0)
	span := ss.Spans().At(0)
	assert.Equal(t, short, span.Status().Message())
	for want, got := range map[*map[string]any]pcommon.Map{
		{"resource_json": short, "resource_json_truncated": true}:                           rs.Resource().Attributes(),
		{"scope_json": short, "scope_json_truncated": true}:                                 ss.Scope().Attributes(),
		{"span_json": short, "span_json_truncated": true, "status_message_truncated": true}: span.Attributes(),
		{"event_json": short, "event_json_truncated": true}:                                 span.Events().At(0).Attributes(),
		{"link_json": short, "link_json_truncated": true}:                                   span.Links().At(0).Attributes(),
	} {
		assert.Equal(t, *want, got.AsRaw())
	}
	for _, at := range []place{inResource, inScope, inSpan, inStatus, inEvent, inLink} {
		assert.Equal(t, [2]int64{1, 30}, [2]int64{sum[at].values, sum[at].bytes}, placeNames[at])
	}
}

func TestLogs(t *testing.T) {
	ld := logsOf("0123456789")
	truncatorOf(func(c *Config) { c.MaxBytes, c.OriginalSize = 4, true }).logs(ld)

	record := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, "0123", record.Body().Str())
	assert.Equal(t, map[string]any{
		"log_json": "0123", "log_json_truncated": true, "log_json_original_bytes": int64(10),
		"body_truncated": true, "body_original_bytes": int64(10),
	}, record.Attributes().AsRaw())
}

func TestOnlyStringsAreCut(t *testing.T) {
	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetEmptyMap().PutStr("x_json", "0123456789")
	m := record.Attributes()
	m.PutEmptyMap("map_json").PutStr("x_json", "0123456789")
	m.PutEmptySlice("slice_json").AppendEmpty().SetStr("0123456789")
	m.PutEmptyBytes("bytes_json").FromRaw([]byte("0123456789"))
	m.PutInt("int_json", 1234567890)
	m.PutEmpty("empty_json")

	want := plog.NewLogs()
	ld.CopyTo(want)
	limited(4).logs(ld)
	assert.Equal(t, want, ld)
}

func TestKeys(t *testing.T) {
	all := append([]string{"mine", "x_json", "_json", "json", "x.json", "x_json_truncated", "gen_ai.input.messagesx", "x_JSON"}, defaultKeys...)
	for name, c := range map[string]struct{ keys, cut []string }{
		"default":  {nil, append([]string{"x_json", "_json"}, defaultKeys...)},
		"replaced": {[]string{"mine"}, []string{"mine", "x_json", "_json"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := truncatorOf(func(cfg *Config) { cfg.MaxBytes, cfg.Keys = 4, c.keys })
			m := pcommon.NewMap()
			for _, key := range all {
				m.PutStr(key, "0123456789")
			}
			got := attrs(tr, m)
			var cut []string
			for _, key := range all {
				if got[key] == "0123" {
					cut = append(cut, key)
					assert.Equal(t, true, got[key+"_truncated"], key)
				}
			}
			assert.ElementsMatch(t, c.cut, cut)
		})
	}
}

func TestTwiceChangesNothing(t *testing.T) {
	for _, mode := range []Mode{ModePrefix, ModeJSON} {
		t.Run(string(mode), func(t *testing.T) {
			tr := truncatorOf(func(c *Config) { c.MaxBytes, c.Mode, c.OriginalSize = 9, mode, true })
			td := tracesOf(`{"a":"€€€€€"}`)
			once := ptrace.NewTraces()
			assert.NotZero(t, tr.traces(td))
			td.CopyTo(once)
			assert.Zero(t, tr.traces(td))
			assert.Equal(t, once, td)
		})
	}
}

func TestOriginalSize(t *testing.T) {
	sized := func(limit int) *Truncator {
		return truncatorOf(func(c *Config) { c.MaxBytes, c.OriginalSize = limit, true })
	}
	m := mapOf("x_json", "0123456789")
	attrs(sized(8), m)
	assert.Equal(t, map[string]any{"x_json": "0123", "x_json_truncated": true, "x_json_original_bytes": int64(10)},
		attrs(sized(4), m), "the first size stays")

	m = mapOf("x_json", "0123456789")
	m.PutBool("x_json_truncated", true)
	assert.Equal(t, map[string]any{"x_json": "0123", "x_json_truncated": true},
		attrs(sized(4), m), "the original was longer than what came")

	m = mapOf("x_json", "0123456789")
	m.PutBool("x_json_truncated", false)
	assert.Equal(t, map[string]any{"x_json": "0123", "x_json_truncated": true, "x_json_original_bytes": int64(10)},
		attrs(sized(4), m), "what came was whole")
}

func TestFlagStaysOnWhatFits(t *testing.T) {
	m := mapOf("x_json", "0123")
	m.PutBool("x_json_truncated", true)
	assert.Equal(t, map[string]any{"x_json": "0123", "x_json_truncated": true}, attrs(limited(4), m))
}

func TestManyCutsInOneMap(t *testing.T) {
	m := pcommon.NewMap()
	for i := range 100 {
		m.PutStr(fmt.Sprintf("%d_json", i), "0123456789")
	}
	got := attrs(limited(4), m)
	require.Len(t, got, 200)
	for i := range 100 {
		assert.Equal(t, "0123", got[fmt.Sprintf("%d_json", i)])
		assert.Equal(t, true, got[fmt.Sprintf("%d_json_truncated", i)])
	}
}

func TestModeJSON(t *testing.T) {
	tr := truncatorOf(func(c *Config) { c.MaxBytes, c.Mode = 12, ModeJSON })
	got := attrs(tr, mapOf("object_json", `{"a":[1,"two"],"b":3}`, "text_json", "this is no JSON", "broken_json", `{"a":[1,"two"],"b"`))
	assert.Equal(t, `{"a":[1,""]}`, got["object_json"])
	assert.Equal(t, "this is no J", got["text_json"])
	assert.Equal(t, `{"a":[1,"two`, got["broken_json"])
}

func TestShortValueDoesNotKeepTheLongOne(t *testing.T) {
	long := strings.Repeat("x", 1000)
	assert.NotSame(t, unsafe.StringData(long), unsafe.StringData(cutPrefix(long, 249)))
	assert.Same(t, unsafe.StringData(long), unsafe.StringData(cutPrefix(long, 250)), "a copy would save little")
}

func TestWhatFitsCostsNoAllocation(t *testing.T) {
	for _, mode := range []Mode{ModePrefix, ModeJSON} {
		tr := truncatorOf(func(c *Config) { c.Mode, c.OriginalSize = mode, true })
		td, ld := tracesOf(strings.Repeat("x", 30720)), logsOf(strings.Repeat("x", 30720))
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("long.but.not.chosen", strings.Repeat("x", 50000))
		assert.Zero(t, testing.AllocsPerRun(100, func() { tr.traces(td) }))
		assert.Zero(t, testing.AllocsPerRun(100, func() { tr.logs(ld) }))
	}
}
