package jsonrpc

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func result(t *testing.T, text string) Result {
	m, err := decode(`{"jsonrpc":"2.0","id":1,"result":` + text + `}`)
	require.NoError(t, err)
	require.Equal(t, jsonscan.Value(text), m.Result.Raw)
	m.Result.Raw = ""
	return m.Result
}

func TestResult(t *testing.T) {
	assert.Equal(t, Result{
		Content: `{"type":"text","text":"x"}`, Role: `"assistant"`, Model: `"m"`, StopReason: `"endTurn"`,
	}, result(t, `{"content":{"type":"text","text":"x"},"role":"assistant","model":"m","stopReason":"endTurn"}`))
	assert.Equal(t, Result{
		Action: `"accept"`, ProtocolVersion: `"v"`, Server: Implementation{`"n"`, `"1"`},
		Structured: `{"a":1}`, IsError: "true", Meta: Meta{ProgressToken: "1"},
	}, result(t, `{"action":"accept","protocolVersion":"v","serverInfo":{"name":"n","version":"1"},"structuredContent":{"a":1},"isError":true,"_meta":{"progressToken":1},"x":2}`))
}

func TestFirstText(t *testing.T) {
	for content, want := range map[string]jsonscan.Value{
		`[]`: "", `[7,null,[]]`: "", `null`: "",
		`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`: `"a"`,
		`[{"type":"image","data":""},{"type":"text","text":"b"}]`: `"b"`,
		`[{"text":""},{"text":"b"}]`:                              `""`,
		`[{"resource":{"text":"inner"}}]`:                         "",
	} {
		r := result(t, `{"content":`+content+`}`)
		assert.Equal(t, want, r.FirstText, content)
		assert.Equal(t, jsonscan.Value(content), r.Content)
	}
}

func TestContents(t *testing.T) {
	for _, tt := range []struct {
		contents string
		mime     jsonscan.Value
		bytes    int64
	}{
		{`[]`, "", 0},
		{`null`, "", 0},
		{`[7,"x",null]`, "", 0},
		{`[{"text":"abc","mimeType":"text/plain"}]`, `"text/plain"`, 3},
		{`[{"mimeType":"a","text":"ab"},{"mimeType":"b","text":"c"}]`, `"a"`, 3},
		{`[{"text":"ab"},{"mimeType":"b","text":"c"}]`, "", 3},
		{`[{"text":"ä"}]`, "", 2},
		{`[{"text":"\u00e4\n"}]`, "", 3},
		{`[{"text":7,"blob":8}]`, "", 0},
		{`[{"blob":""}]`, "", 0},
		{`[{"blob":"aGVsbG8="}]`, "", 5},
		{`[{"blob":"aGVsbG8"}]`, "", 5},
		{`[{"blob":"aGVsbG9v"},{"blob":"aGVsbA=="}]`, "", 10},
	} {
		r := result(t, `{"contents":`+tt.contents+`}`)
		assert.Equal(t, tt.mime, r.MimeType, tt.contents)
		assert.Equal(t, tt.bytes, r.Bytes, tt.contents)
		assert.Empty(t, r.Content)
	}
}

// Some encoders write the slash of base64 as \/, and = as \u003d.
func TestBlobWithEscapes(t *testing.T) {
	for _, blob := range []string{`"\/\/79"`, `"aGVsbG8\u003d"`, `"aGVsbA\u003d\u003d"`} {
		var text string
		require.NoError(t, json.Unmarshal([]byte(blob), &text))
		want, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		assert.Equal(t, int64(len(want)), result(t, `{"contents":[{"blob":`+blob+`}]}`).Bytes, blob)
	}
}

func TestError(t *testing.T) {
	for text, want := range map[string]Error{
		`{"code":-32601,"message":"no","data":{"x":1}}`: {Code: -32601, HasCode: true, Message: `"no"`},
		`{"code":1e3}`:          {Code: 1000, HasCode: true},
		`{"code":1.5}`:          {},
		`{"code":"7"}`:          {},
		`{"code":1e99}`:         {},
		`{"message":{"x":"y"}}`: {Message: `{"x":"y"}`},
		`"oops"`:                {},
	} {
		m, err := decode(`{"jsonrpc":"2.0","id":1,"error":` + text + `}`)
		require.NoError(t, err, text)
		want.Raw = jsonscan.Value(text)
		assert.Equal(t, want, m.Error)
		assert.True(t, m.Error.Present())
	}
}
