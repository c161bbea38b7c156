package inspectorwire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outcomes are the types of a body's events and the errors of the rest.
func outcomes(t *testing.T, body string, form Form) []string {
	var got []string
	for i, item := range Events([]byte(body), form) {
		require.Equal(t, len(got), i)
		if item.Err != nil {
			assert.Zero(t, *item.Event)
			got = append(got, "! "+item.Err.Error())
			continue
		}
		got = append(got, strings.Clone(item.Event.Type))
	}
	return got
}

func TestEventsOfJSON(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"nothing":          {"", nil},
		"white space":      {" \r\n\t", nil},
		"one":              {`{"type":"A"}`, []string{"A"}},
		"array":            {`[{"type":"A"}, {"type":"B"}]`, []string{"A", "B"}},
		"empty array":      {`[ ]`, nil},
		"NDJSON":           {"{\"type\":\"A\"}\n\n{\"type\":\"B\"}\r\n", []string{"A", "B"}},
		"pretty-printed":   {"{\n  \"type\": \"A\"\n}\n{\n  \"type\": \"B\"\n}\n", []string{"A", "B"}},
		"on one line":      {`{"type":"A"}{"type":"B"}`, []string{"A", "B"}},
		"arrays and lines": {"[{\"type\":\"A\"}]\n{\"type\":\"B\"}", []string{"A", "B"}},
		"bad line": {
			"{\"type\":\"A\"}\n{bad}\n{\"type\":\"B\"}",
			[]string{"A", "! invalid JSON at byte 14: expected a member name", "B"},
		},
		"line that breaks off": {
			"{\"type\":\"A\n{\"type\":\"B\"}",
			[]string{"! invalid JSON at byte 10: control character in a string", "B"},
		},
		"bad last line": {"{\"type\":\"A\"}\nx", []string{"A", "! invalid JSON at byte 13: expected a value"}},
		"zero byte":     {"\x00\n{\"type\":\"A\"}", []string{"! invalid JSON at byte 0: expected a value", "A"}},
		"no event":      {"1 {}\n{\"type\":\"A\"}", []string{"! " + ErrNotObject.Error(), "! " + ErrNoType.Error(), "A"}},
		"no event in an array": {
			`[{"type":"A"},[{"type":"B"}],{},{"type":"C"}]`,
			[]string{"A", "! " + ErrNotObject.Error(), "! " + ErrNoType.Error(), "C"},
		},
		"bad element": {
			"[{\"type\":\"A\"},\n{bad},\n{\"type\":\"B\"}]\n{\"type\":\"C\"}",
			[]string{
				"A", "! invalid JSON at byte 16: expected a member name",
				"B", "! invalid JSON at byte 34: expected a value", "C",
			},
		},
		"missing comma":       {`[{"type":"A"} {"type":"B"}]`, []string{"A", "! invalid JSON at byte 14: expected a comma"}},
		"array that ends off": {`[{"type":"A"},`, []string{"A", "! invalid JSON at byte 14: expected a value"}},
		"array that is open":  {"[", []string{"! invalid JSON at byte 1: unexpected end"}},
		"deep":                {"{\"a\":" + strings.Repeat("[", 2000) + "\n{\"type\":\"A\"}", []string{"! invalid JSON at byte 1028: nested too deep", "A"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, outcomes(t, tc.body, JSON))
		})
	}
}

func TestEventsOfAStream(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"nothing":        {"", nil},
		"blank lines":    {"\n\r\n\r\r\n", nil},
		"no data":        {"id: 1\nretry: 5\n\n: comment\n\nevent: x\n\ndata\n\ndata:\n\n", nil},
		"order of lines": {"retry: 1\ndata: {\"type\":\"A\"}\nid: 1\n: comment\nevent: message\nother: x\n\n", []string{"A"}},
		"several lines":  {"data: {\ndata:\"type\":\ndata:  \"A\"}\n\n", []string{"A"}},
		"no blank line":  {"data: {\"type\":\"A\"}\n", []string{"A"}},
		"no line feed":   {"id: 1\n\ndata: {\"type\":\"A\"}", []string{"A"}},
		"CRLF":           {"id: 1\r\ndata: {\"type\":\"A\"}\r\n\r\ndata: {\"type\":\"B\"}\r\n", []string{"A", "B"}},
		"CR":             {"data: {\"type\":\"A\"}\r\rdata: {\"type\":\"B\"}\r", []string{"A", "B"}},
		"mark in front":  {"\uFEFFdata: {\"type\":\"A\"}\n\n", []string{"A"}},
		"bad data": {
			"data: {bad}\n\ndata: [{\"type\":\"A\"}]\n\ndata: {\"type\":\"B\"} x\n\ndata: {\"type\":\"C\"}\n\n",
			[]string{"! invalid JSON at byte 1: expected a member name", "! " + ErrNotObject.Error(), "! " + ErrTrailing.Error(), "C"},
		},
		"big": {
			"data: {\"type\":\"A\",\"x\":\"" + strings.Repeat("long ", 100_000) + "\"}\n\ndata: {\"type\":\"B\"}\n\n",
			[]string{"A", "B"},
		},
		"bad UTF-8": {"data: {\"type\":\"A\xff\"}\n\n", []string{"A\uFFFD"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, outcomes(t, tc.body, SSE))
		})
	}
}

func TestGoldenFrames(t *testing.T) {
	for name, want := range map[string]Event{
		"connected": {Type: TypeConnected, Message: "Connected to Inspector event stream"},
		"session_started": {
			Type: TypeSessionStarted, SessionID: "49757271-d177-4d40-9b30-e8f09ed9ca78", Time: at + 204_531_000, EventID: 1,
			Engine: "asyncio", Title: "billing Session", StartTime: at + 204_518_000,
		},
		"keep_alive": {Type: TypeHeartbeat, Time: at + 30_209_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			body := frame(t, name)
			_, data, _ := strings.Cut(string(body), "data: ")
			want.Raw, _, _ = strings.Cut(data, "\n")
			n := 0
			for _, item := range Events(body, SSE) {
				require.NoError(t, item.Err)
				assert.Equal(t, want, *item.Event)
				n++
			}
			assert.Equal(t, 1, n)
		})
	}
}

func TestAllGoldenFramesInOneStream(t *testing.T) {
	body := string(frame(t, "connected")) + string(frame(t, "session_started")) + string(frame(t, "keep_alive"))
	assert.Equal(t, []string{TypeConnected, TypeSessionStarted, TypeHeartbeat}, outcomes(t, body, SSE))
}

func frame(tb testing.TB, name string) []byte {
	body, err := os.ReadFile(filepath.Join("testdata", "frames", name+".sse"))
	require.NoError(tb, err)
	return body
}

func TestEventsStopsWhenAsked(t *testing.T) {
	for body, form := range map[string]Form{
		"{\"type\":\"A\"}\n{\"type\":\"B\"}":                 JSON,
		`[{"type":"A"},{"type":"B"}]`:                        JSON,
		"data: {\"type\":\"A\"}\n\ndata: {\"type\":\"B\"}\n": SSE,
	} {
		n := 0
		for range Events([]byte(body), form) {
			n++
			break
		}
		assert.Equal(t, 1, n, body)
	}
}
