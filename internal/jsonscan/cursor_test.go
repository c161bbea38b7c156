package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
)

func scan(text string) (Value, error) {
	var c Cursor
	c.Reset([]byte(text))
	v := c.Value()
	if c.Err() == nil && !c.End() {
		c.fail("more than one value")
	}
	return v, c.Err()
}

var texts = []string{
	`{}`, `[]`, `{"a":1}`, `[1,2,[3,{"a":[]}],{}]`, ` { "a" : [ 1 , 2 ] , "b" : null } `,
	`""`, `"\""`, `"\u00e9\n"`, `"ä日本"`, `"` + strings.Repeat("long ", 100) + `"`,
	`0`, `-0`, `1.5e+10`, `-1E-2`, `true`, `false`, `null`,
	``, `{`, `[`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `{"a" 1}`, `{1:2}`,
	`[1 2]`, `{"a":1 "b":2}`, `]`, `}`, `[}`, `{]`, `01`, `1.`, `.5`, `+1`, `1e`, `-`, `tru`, `nul`, `truex`,
	`"`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"a\nb\"", "\"\x00\"", `"a" "b"`, "\xef\xbb\xbf{}",
	"\"abcdefg\x80\"", "\"\xff\xfe and some more text behind it\"", `"12345678"`, `"1234567\\"`, `"12345678\`,
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range texts {
		_, err := scan(text)
		assert.Equal(t, json.Valid([]byte(text)), err == nil, "%q: %v", text, err)
	}
}

// A text broken at each of its bytes, by each byte that means something.
func TestBrokenAgreesWithEncodingJSON(t *testing.T) {
	text := payload.Structured(300) + ` { "ä\n\u00e9" : [ { } , [ ] , -1.5e+10 , "` + strings.Repeat("long ", 20) + `" ] }`
	for _, text := range []string{text, text[strings.IndexByte(text, ' ')+1:]} {
		for at := range text {
			broken := []string{text[:at]}
			for _, c := range "{}[],:\"\\-0e.tn \x00\x80" {
				broken = append(broken, text[:at]+string(c)+text[at:], text[:at]+string(c)+text[at+1:])
			}
			for _, text := range append(broken, text[:at]+"\xff"+text[at+1:]) {
				if _, err := scan(text); json.Valid([]byte(text)) != (err == nil) {
					t.Errorf("%q: %v", text, err)
				}
			}
		}
	}
}

// The first byte marked is the first at which a plain string stops, wherever it is.
func TestSpecial(t *testing.T) {
	for at := range 8 {
		for ch := range 256 {
			b := []byte("abcdefgh")
			b[at] = byte(ch)
			stops := ch < 0x20 || ch == '"' || ch == '\\' || ch >= 0x80
			m := special(binary.LittleEndian.Uint64(b))
			require.Equal(t, stops, m != 0, "byte %d at %d", ch, at)
			if stops {
				require.Equal(t, at, firstByte(m), "byte %d at %d", ch, at)
			}
		}
	}
}

func FuzzCursor(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := scan(string(b))
		if valid := json.Valid(b); valid != (err == nil) && nesting(b) < MaxDepth {
			t.Fatalf("encoding/json says %v, the cursor %v", valid, err)
		}
		if err != nil {
			return
		}
		require.Equal(t, strings.Trim(string(b), " \t\r\n"), string(v))
		var want any
		decoder := json.NewDecoder(bytes.NewReader(b))
		decoder.UseNumber() // a float64 has no room for 1E441
		require.NoError(t, decoder.Decode(&want))
		if s, ok := want.(string); ok && utf8.Valid(b) {
			require.Equal(t, s, v.Str())
			require.Equal(t, len(s), v.StrLen())
		}
		walk(t, v)
	})
}

// walk steps through v with Key and Next and must see what encoding/json sees.
func walk(t *testing.T, v Value) {
	var c Cursor
	c.Reset([]byte(v))
	switch {
	case v.IsObject():
		got := map[string]json.RawMessage{}
		c.EnterObject()
		for key, ok := c.Key(); ok; key, ok = c.Key() {
			got[key] = json.RawMessage(c.Value())
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(v), &want))
		if utf8.ValidString(string(v)) {
			require.Equal(t, want, got)
		}
	case v.IsArray():
		n := 0
		c.EnterArray()
		for ; c.Next(); n++ {
			c.Value()
		}
		var want []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(v), &want))
		require.Len(t, want, n)
	default:
		c.Value()
	}
	require.NoError(t, c.Err())
	require.Equal(t, len(v), c.Offset())
}

func nesting(b []byte) (deepest int) {
	depth := 0
	for _, ch := range b {
		switch ch {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}

func TestDepthIsBounded(t *testing.T) {
	_, err := scan(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))
	require.NoError(t, err)
	_, err = scan(strings.Repeat("[", 10_000_000))
	require.EqualError(t, err, "invalid JSON at byte 1024: nested too deep")
}

func TestSkipLineGoesOnBehindTheError(t *testing.T) {
	var c Cursor
	c.Reset([]byte("{bad}\n{\"a\":1}"))
	c.Value()
	require.Error(t, c.Err())
	require.True(t, c.SkipLine(c.Offset()))
	assert.Equal(t, Value(`{"a":1}`), c.Value())
	require.NoError(t, c.Err())
	assert.False(t, c.SkipLine(c.Offset()))
}

func TestBadUTF8IsNoticed(t *testing.T) {
	for text, bad := range map[string]bool{`"abc"`: false, `"ä"`: false, "\"\xff\"": true, "[\"plain text\",\"\xc3\"]": true} {
		var c Cursor
		c.Reset([]byte(text))
		c.Value()
		require.NoError(t, c.Err())
		assert.Equal(t, bad, c.BadUTF8(), "%q", text)
	}
}

func TestValue(t *testing.T) {
	n, ok := Value("1e3").Int()
	assert.True(t, ok)
	assert.Equal(t, int64(1000), n)
	_, ok = Value("1.5").Int()
	assert.False(t, ok)
	_, ok = Value(`"1"`).Int()
	assert.False(t, ok)
	f, ok := Value("-2.5").Float()
	assert.True(t, ok)
	assert.InDelta(t, -2.5, f, 0)
	assert.Equal(t, "7", Value("7").Text())
	assert.Equal(t, "7", Value(`"7"`).Text())
	assert.Equal(t, "é", Value(`"\u00e9"`).Str())
	assert.Empty(t, Value("").Str())
}

func TestCut(t *testing.T) {
	assert.Equal(t, "ab", Cut("abc", 2))
	assert.Equal(t, "abc", Cut("abc", 3))
	assert.Equal(t, "a", Cut("aä", 2))
	assert.Equal(t, "aä", Cut("aä", 3))
	assert.Equal(t, "\x80\x80\x80\x80\x80", Cut("\x80\x80\x80\x80\x80\x80\x80", 5))
	assert.Equal(t, "a\x80", Cut("a\x80\x80b", 2))
	assert.Equal(t, "abcd\xe2", Cut("abcd\xe2x", 5))
	assert.Empty(t, Cut("ä", 1))
	assert.Empty(t, Cut("abc", 0))
}

func TestScanningDoesNotAllocate(t *testing.T) {
	b := []byte(`{"a":[1,2,{"b":"text without escapes"}],"c":null}`)
	var c Cursor
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		c.Reset(b)
		c.EnterObject()
		for _, ok := c.Key(); ok; _, ok = c.Key() {
			c.Value()
		}
	}))
}

func BenchmarkValue(b *testing.B) {
	for name, text := range map[string]string{
		"small":   `{"phase":"working","tokens_used":61200,"tokens_limit":200000,"elapsed_seconds":840.5,"current_task":"refactor the parser"}`,
		"text":    `"` + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2200) + `"`,
		"escaped": `"` + strings.Repeat(`The \"quick\" brown fox\njumps over the lazy dog. `, 2000) + `"`,
	} {
		b.Run(name, func(b *testing.B) {
			var c Cursor
			data := []byte(text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				c.Reset(data)
				c.Value()
			}
		})
	}
}
