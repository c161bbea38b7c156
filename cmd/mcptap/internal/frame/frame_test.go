package frame

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type seen struct {
	Text, ID, Method, Session, RequestID, Traceparent string
	Bytes                                             int64
	Reduced, ClientInfo                               bool
}

func collect(to *[]seen) func(*Message) {
	return func(m *Message) {
		*to = append(*to, seen{
			Text: string(m.Text), ID: strings.Clone(string(m.ID)), Method: strings.Clone(m.Method), Session: strings.Clone(m.Session),
			RequestID: strings.Clone(m.RequestID), Traceparent: strings.Clone(m.Traceparent), Bytes: m.Bytes, Reduced: m.Reduced, ClientInfo: m.ClientInfo,
		})
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string][]seen{
		` {"id":1,"method":"a"} `: {{Text: `{"id":1,"method":"a"}`, ID: "1", Method: "a", Bytes: 21}},
		`[{"id":"x"},7,{"method":"b"},{},{"id":null}]`: {
			{Text: `{"id":"x"}`, ID: `"x"`, Bytes: 10}, {Text: `{"method":"b"}`, Method: "b", Bytes: 14},
		},
		`{"method":"i","params":{"clientInfo":{},"sessionId":"s","_meta":{"requestId":"q","traceparent":"t"}}}`: {{
			Text:   `{"method":"i","params":{"clientInfo":{},"sessionId":"s","_meta":{"requestId":"q","traceparent":"t"}}}`,
			Method: "i", Session: "s", RequestID: "q", Traceparent: "t", ClientInfo: true, Bytes: 101,
		}},
		`{}`: nil, `7`: nil, ``: nil, `{"id":1`: nil, `{"id":1} x`: nil, `[{"id":1},`: nil, "plain text": nil,
	} {
		var got []seen
		Parse([]byte(text), collect(&got))
		assert.Equal(t, want, got, text)
	}
}

// However a stream is cut, the messages are those of its lines.
func TestAnyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.OneOf(
			rapid.Map(messages(), marshal), rapid.StringMatching(`[ -~]{0,30}`),
			rapid.Map(rapid.SliceOf(rapid.ByteRange(11, 255)), func(b []byte) string { return string(b) }),
		)).Draw(t, "lines")
		limit := rapid.IntRange(1, 400).Draw(t, "limit")
		var whole, cut []seen
		for _, line := range lines {
			if len(line) <= limit {
				Parse([]byte(line), collect(&whole))
			} else {
				one := NewAssembler(limit, collect(&whole))
				one.Part([]byte(line))
				one.End()
			}
		}
		a := NewAssembler(limit, collect(&cut))
		rest := strings.Join(lines, "\n")
		for rest != "" {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			a.Lines([]byte(rest[:n]))
			rest = rest[n:]
		}
		a.End()
		assert.Equal(t, whole, cut)
	})
}

// A reduced message has the members that are kept, whatever else is in the message.
func TestReduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := messages().Draw(t, "message")
		text := marshal(message)
		var got []seen
		a := NewAssembler(0, collect(&got))
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			a.Part([]byte(rest[:n]))
			rest = rest[n:]
		}
		a.End()
		require.Len(t, got, 1, text)
		assert.Equal(t, int64(len(text)), got[0].Bytes)
		assert.True(t, got[0].Reduced)
		assert.JSONEq(t, marshal(reducedOf(message)), got[0].Text, text)
	})
}

var kept = map[string][]string{
	"params": {"name", "_meta", "sessionId"}, "result": {"isError", "_meta", "sessionId"}, "error": {"code", "message"},
}

func reducedOf(message map[string]any) map[string]any {
	reduced := map[string]any{}
	for _, key := range []string{"jsonrpc", "id", "method"} {
		if v, ok := message[key]; ok {
			reduced[key] = v
		}
	}
	for section, keys := range kept {
		members, _ := message[section].(map[string]any)
		inner := map[string]any{}
		for _, key := range keys {
			if v, ok := members[key]; ok && fits(section, key, v) {
				inner[key] = v
			}
		}
		if _, ok := message[section]; len(inner) > 0 || ok && section != "params" {
			reduced[section] = inner
		}
	}
	return reduced
}

func fits(section, key string, v any) bool {
	for _, slot := range slots {
		if slot.section == section && slot.key == key {
			text, err := json.Marshal(v)
			return err == nil && len(text) <= slot.limit
		}
	}
	return false
}

func marshal(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func messages() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		m := map[string]any{"jsonrpc": "2.0", "id": rapid.OneOf(scalar(), rapid.Just[any](1)).Filter(func(v any) bool { return v != nil }).Draw(t, "id")}
		if rapid.Bool().Draw(t, "request") {
			m["method"] = rapid.StringMatching(`[a-z/]{1,20}`).Draw(t, "method")
		}
		for _, section := range []string{"params", "result", "error", "id_", "other"} {
			if rapid.Bool().Draw(t, section) {
				m[section] = value(3).Draw(t, section+" value")
			}
		}
		return m
	})
}

func scalar() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.IntRange(-9, 9999), func(n int) any { return n }),
		rapid.Just[any](true), rapid.Just[any](nil), rapid.SampledFrom([]any{`"`, `\`, `\"`, `a\\"}`, "{", "]"}),
	)
}

func value(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalar()
	}
	keys := rapid.OneOf(rapid.SampledFrom([]string{"name", "_meta", "sessionId", "isError", "code", "message", "id", "params"}), rapid.StringMatching("[a-z\"]{1,3}"))
	return rapid.OneOf(
		scalar(),
		rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(keys, rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 5), func(v map[string]any) any { return v }),
	).Filter(func(v any) bool { return len(marshal(map[string]any{"": v})) < 1000 })
}

// Limits of what is kept hold, and what is over them is left out.
func TestReducedIsBounded(t *testing.T) {
	var got []seen
	a := NewAssembler(100, collect(&got))
	a.Lines([]byte(`{"jsonrpc":"2.0","id":7,"result":{"content":"` + strings.Repeat("x\\\"", 1<<20) + `","isError":true,"_meta":{"a":"` +
		strings.Repeat("y", 70<<10) + `"}}}` + "\n" + `{"id":8,"method":"after"}` + "\n"))
	require.Len(t, got, 2)
	assert.Equal(t, `{"jsonrpc":"2.0","id":7,"result":{"isError":true}}`, got[0].Text)
	assert.Equal(t, "after", got[1].Method)
}

func TestGap(t *testing.T) {
	var got []seen
	a := NewAssembler(1000, collect(&got))
	a.Lines([]byte(`{"id":1}` + "\n" + `{"id":`))
	a.Gap(0, true)
	a.Lines([]byte(`2}` + "\n" + `{"id":3}` + "\n" + `{"id":`))
	a.Gap(5, true)
	a.Lines([]byte(`9}` + "\n" + `{"id":4}` + "\n" + `{"id":`))
	a.Gap(2, false)
	a.Lines([]byte(`{"id":5}`))
	a.End()
	assert.Equal(t, int64(1+5+1+2), a.Lost)
	var ids []string
	for _, m := range got {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"1", "3", "4", "5"}, ids)
}

// Nothing breaks it, it hands out only what is JSON, and what is reduced never
// grows.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"a","params":{"name":"n","_meta":{"x":[1,{"y":"\""}]}}}`), uint16(10), uint16(3))
	f.Add([]byte("[{\"id\":1}]\n{\"result\":{\"isError\":tru"), uint16(5), uint16(1))
	f.Fuzz(func(t *testing.T, text []byte, limit, step uint16) {
		a := NewAssembler(int(limit), func(m *Message) {
			if !json.Valid(m.Text) {
				t.Errorf("not JSON: %q of %q", m.Text, text)
			}
		})
		for n := int(step) + 1; len(text) > 0; text = text[min(n, len(text)):] {
			a.Lines(text[:min(n, len(text))])
		}
		a.End()
	})
}
