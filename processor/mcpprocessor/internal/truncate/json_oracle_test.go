package truncate

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// oracle tries every prefix, the longest first, and reads the result with
// encoding/json: it knows nothing of how the cutting is done.
func oracle(s string, limit int) (string, bool) {
	if !json.Valid([]byte(s)) || len(s) <= limit {
		return "", false
	}
	whole := tokens(s)
	for n := max(limit, 0); n > 0; n-- {
		got := s[:n] + closers(s[:n])
		if len(got) <= limit && json.Valid([]byte(got)) && begins(whole, tokens(got)) {
			return got, true
		}
	}
	return "", false
}

// closers balances what head leaves open.
func closers(head string) string {
	var out string
	quoted, escaped := false, false
	for _, ch := range []byte(head) {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = ch == '\\', ch != '"'
		case ch == '"':
			quoted = true
		case ch == '[':
			out = "]" + out
		case ch == '{':
			out = "}" + out
		case ch == ']', ch == '}':
			out = out[1:]
		}
	}
	if quoted {
		return `"` + out
	}
	return out
}

func tokens(s string) (out []json.Token) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			panic(err)
		}
		out = append(out, token)
	}
}

// begins reports whether head has nothing that whole does not: the same tokens,
// the last of which may be a part of a string, and then closing brackets.
func begins(whole, head []json.Token) bool {
	same := 0
	for same < len(head) && head[same] == whole[same] {
		same++
	}
	if same < len(head) {
		part, ok := head[same].(string)
		full, okToo := whole[same].(string)
		if ok && okToo && strings.HasPrefix(full, part) {
			same++
		}
	}
	for _, token := range head[same:] {
		if token != json.Delim(']') && token != json.Delim('}') {
			return false
		}
	}
	return true
}

func check(t require.TestingT, s string, limit int) {
	want, wantOK := oracle(s, limit)
	got, ok := closedPrefix(s, limit)
	require.Equal(t, wantOK, ok, "%q at %d", s, limit)
	require.Equal(t, want, got, "%q at %d", s, limit)
	if ok {
		require.LessOrEqual(t, len(got), limit)
		_, again := closedPrefix(got, limit)
		require.False(t, again)
	}
}

// space, text and value draw JSON that is written in unusual ways.
var (
	space = rapid.StringOfN(rapid.RuneFrom([]rune(" \t\r\n")), 0, 2, -1)
	text  = rapid.Map(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "{", "}", "[", "]", ",", ":", "€", "𝄞", "\x80", "\xe2\x82", "\xff", "\u2028",
			`\"`, `\\`, `\/`, `\n`, `\u0041`, `\u0000`, `\ud83d\ude00`, `\uD83D\uDE00`, `\ud83d`, `\uDbFf`, `\udc00`, `\uDFff`, `\uFFFD`,
		}),
		rapid.StringMatching(`[a-z ]{0,4}`),
	), 0, 5), func(parts []string) string { return `"` + strings.Join(parts, "") + `"` })
	scalar = rapid.OneOf(text, text,
		rapid.SampledFrom([]string{"true", "false", "null", "0", "-0", "12", "-3.25", "1e5", "6.02E+23", "100000000"}))
)

func value(depth int) *rapid.Generator[string] {
	if depth == 0 {
		return scalar
	}
	return rapid.Custom(func(t *rapid.T) string {
		inner := value(rapid.IntRange(0, depth-1).Draw(t, "depth"))
		pad := func() string { return space.Draw(t, "space") }
		var items []string
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return pad() + scalar.Draw(t, "scalar") + pad()
		case 1, 2:
			for range rapid.IntRange(0, 4).Draw(t, "members") {
				items = append(items, pad()+text.Draw(t, "name")+pad()+":"+pad()+inner.Draw(t, "value")+pad())
			}
			return pad() + "{" + strings.Join(items, ",") + pad() + "}" + pad()
		default:
			for range rapid.IntRange(0, 4).Draw(t, "elements") {
				items = append(items, pad()+inner.Draw(t, "value")+pad())
			}
			return pad() + "[" + strings.Join(items, ",") + pad() + "]" + pad()
		}
	})
}

func TestTheLongestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := value(4).Draw(t, "text")
		require.True(t, json.Valid([]byte(s)), "%q", s)
		check(t, s, rapid.IntRange(0, len(s)).Draw(t, "limit"))
	})
}

func TestBrokenText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(value(3).Draw(t, "text"))
		i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[i] = rapid.SampledFrom([]byte("{}[],:\"\\ 0e.-\x00\x1fu")).Draw(t, "byte")
		check(t, string(b), rapid.IntRange(0, len(b)).Draw(t, "limit"))
	})
}

func TestOracle(t *testing.T) {
	got, ok := oracle(`{"a":[1,"two"],"b":3}`, 12)
	assert.True(t, ok)
	assert.Equal(t, `{"a":[1,""]}`, got)
	assert.False(t, begins(tokens(`[12]`), tokens(`[1]`)))
	assert.False(t, begins(tokens(`["\ud83d\ude00"]`), tokens(`["\ud83d"]`)))
	assert.True(t, begins(tokens(`{"a":["bc"]}`), tokens(`{"a":["b"]}`)))
}

func FuzzJSONCut(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string, limit uint16) {
		const bruteForce = 400
		if len(s) <= bruteForce {
			check(t, s, int(limit))
			return
		}
		got, ok := closedPrefix(s, int(limit))
		if ok {
			require.LessOrEqual(t, len(got), int(limit))
			require.True(t, json.Valid([]byte(got)))
		}
	})
}
