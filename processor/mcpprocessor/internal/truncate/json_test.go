package truncate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func TestCut(t *testing.T) {
	const object = `{"path":"/tmp","sizes":[10,200]}`
	for _, c := range []struct {
		in    string
		limit int
		want  string // "" means that there is nothing to close
	}{
		{object, 31, `{"path":"/tmp","sizes":[10]}`},
		{object, 28, `{"path":"/tmp","sizes":[10]}`},
		{object, 27, `{"path":"/tmp","sizes":[]}`},
		{object, 24, `{"path":"/tmp"}`},
		{object, 12, `{"path":"/"}`},
		{object, 11, `{"path":""}`},
		{object, 10, `{}`},
		{object, 2, `{}`},
		{object, 1, ``},

		{`"abcdef"`, 7, `"abcde"`},
		{`"abcdef"`, 2, `""`},
		{`"abcdef"`, 1, ``},
		{`"a\nbc"`, 4, `"a"`},
		{`"a\nbc"`, 5, `"a\n"`},
		{`"a\u00e9b"`, 8, `"a"`},
		{`"a\u00e9b"`, 9, `"a\u00e9"`},
		{`"a\\\\b"`, 6, `"a\\"`},
		{`"a\"b\"c"`, 5, `"a\""`},
		{`"a€€"`, 6, `"a€"`},
		{`"a€€"`, 5, `"a"`},
		{`"€` + "\x80\xff" + `x"`, 6, `"€` + "\x80" + `"`},

		{`"\ud83d\ude00x"`, 14, `"\ud83d\ude00"`},
		{`"\ud83d\ude00x"`, 13, `""`},
		{`"\uD83D\uDE00x"`, 8, `""`},
		{`"\ud83d\u00e9x"`, 8, `"\ud83d"`}, // alone from the start: nothing is torn
		{`"\ud83dxxxxxxx"`, 8, `"\ud83d"`},
		{`"\ude00\ud83dx"`, 8, `"\ude00"`},

		{`[1,2,3]`, 6, `[1,2]`},
		{`[1,2,3]`, 5, `[1,2]`},
		{`[1,2,3]`, 4, `[1]`},
		{`[123,456]`, 8, `[123]`},
		{`[123,456]`, 4, `[]`},
		{`[true,false]`, 10, `[true]`},
		{`[null]   `, 8, `[null]  `},
		{`[ 1 , 2 ]`, 8, `[ 1 , 2]`},
		{`[ 1 , 2 ]`, 6, `[ 1 ]`},
		{`[-1.5e+10,0]`, 11, `[-1.5e+10]`},
		{`[-1.5e+10,0]`, 9, `[]`},

		{`[[[[]]],1]`, 9, `[[[[]]]]`},
		{`[[[[]]],1]`, 8, `[[[[]]]]`},
		{`[[[[]]],1]`, 6, `[[[]]]`},
		{`[[[[]]],1]`, 5, `[[]]`},
		{`[{},{},{}]`, 8, `[{},{}]`},
		{`[{"a":{"b":"cdef"}}]`, 15, `[{"a":{}}]`},
		{`[{"a":{"b":"cdef"}}]`, 16, `[{"a":{"b":""}}]`},
		{`{"a":1,"a":2}`, 10, `{"a":1}`},
		{`{"a":[],"b":[]}`, 10, `{"a":[]}`},

		{`12345`, 3, ``},
		{`12345   `, 6, `12345 `},
		{`      1`, 3, ``},
		{`true`, 3, ``},

		{`{"a":1} x`, 8, ``},
		{`{"a":1}{"a":1}`, 8, ``},
		{`{"a":"unfinished`, 8, ``},
		{`"a" said the b`, 4, ``},
		{"\"a\"\x00\x00\x00", 4, ``},
		{`plain text`, 4, ``},
		{`[INFO] a line of a log`, 8, ``},
		{`[1,2]`, 5, ``}, // fits
		{`[1,2]`, 0, ``},
	} {
		t.Run(fmt.Sprintf("%s at %d", c.in, c.limit), func(t *testing.T) {
			got, ok := closedPrefix(c.in, c.limit)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.want != "", ok)
			assert.LessOrEqual(t, len(got), max(c.limit, 0))
		})
	}
}

func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	got, ok := closedPrefix(nested(jsonscan.MaxDepth), 1000)
	require.True(t, ok)
	assert.Equal(t, nested(500), got)

	objects := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	got, ok = closedPrefix(objects, 500)
	require.True(t, ok)
	assert.True(t, json.Valid([]byte(got)))
	assert.Equal(t, strings.Repeat(`{"a":`, 83)+"{}"+strings.Repeat("}", 83), got)

	_, ok = closedPrefix(nested(jsonscan.MaxDepth+1), 1000)
	assert.False(t, ok)
	_, ok = closedPrefix(strings.Repeat("[", 10_000_000), 1000)
	assert.False(t, ok)
}

func TestAllocations(t *testing.T) {
	text := `{"a":"` + strings.Repeat("long ", 10_000) + `"}`
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { closedPrefix(text, 30720) }), 1.0, "the result")
	plain := strings.Repeat("long ", 10_000)
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { closedPrefix(plain, 30720) }), 1.0, "the cursor's error")
}

func BenchmarkCut(b *testing.B) {
	for name, text := range map[string]string{
		"text":    `{"text":"` + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2200) + `"}`,
		"rows":    `[` + strings.Repeat(`{"id":12345,"ok":true,"name":"x"},`, 3000) + `{}]`,
		"nested":  strings.Repeat("[", 1000) + strings.Repeat(`[],`, 33000) + "1" + strings.Repeat("]", 1000),
		"no JSON": strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2200),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				closedPrefix(text, 30720)
			}
		})
	}
}
