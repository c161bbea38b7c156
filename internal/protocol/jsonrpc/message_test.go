package jsonrpc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func decode(text string) (*Message, error) {
	var c jsonscan.Cursor
	var m Message
	c.Reset([]byte(text))
	err := m.Decode(&c)
	return &m, err
}

func TestMessageKinds(t *testing.T) {
	for _, tt := range []struct {
		text    string
		kind    Kind
		id      jsonscan.Value
		method  string
		invalid string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, Request, "1", "m", ""},
		{`{"jsonrpc":"2.0","id":"1","method":"m"}`, Request, `"1"`, "m", ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, Request, "1.5", "m", ""},
		{`{"jsonrpc":"2.0","id":"","method":"m"}`, Request, `""`, "m", ""},
		{`{"method":"m","id":-7,"jsonrpc":"2.0"}`, Request, "-7", "m", ""},
		{`{"jsonrpc":"2.0","method":"m"}`, Notification, "", "m", ""},
		{`{"jsonrpc":"2.0","method":"m","id":null}`, Notification, "", "m", "id is null"},
		{`{"jsonrpc":"2.0","method":"m","extra":[{}]}`, Notification, "", "m", ""},
		{`{"jsonrpc":"2.0","method":"\u006d"}`, Notification, "", "m", ""},
		{`{"jsonrpc":"2.0","met\u0068od":"m"}`, Notification, "", "m", ""},
		{`{"jsonrpc":"2.0","method":"a","method":"m"}`, Notification, "", "m", ""},
		{`{"jsonrpc":"1.0","method":"m"}`, Notification, "", "m", "jsonrpc is not 2.0"},
		{`{"jsonrpc":2.0,"method":"m"}`, Notification, "", "m", ""},
		{`{"method":"m"}`, Notification, "", "m", "jsonrpc is not 2.0"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, Response, "1", "", ""},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, Response, "1", "", ""},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, Response, "1", "", ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"e"}}`, Response, "1", "", ""},
		{`{"jsonrpc":"2.0","id":1,"error":"e"}`, Response, "1", "", "error code is not an integer"},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, Response, "1", "", "both result and error"},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`, Response, "", "", "a response without id"},
		{`{"jsonrpc":"2.0","result":{}}`, Response, "", "", "a response without id"},
	} {
		m, err := decode(tt.text)
		require.NoError(t, err, tt.text)
		assert.Equal(t, tt.kind, m.Kind, tt.text)
		assert.Equal(t, tt.id, m.ID, tt.text)
		assert.Equal(t, tt.method, m.Method, tt.text)
		assert.Equal(t, tt.invalid, m.Invalid, tt.text)
		assert.Equal(t, jsonscan.Value(tt.text), m.Raw)
	}
}

func TestMessageErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: errNotObject.Error(), `7`: errNotObject.Error(), `"{}"`: errNotObject.Error(), `null`: errNotObject.Error(),
		`{}`:                               errNotRPC.Error(),
		`{"jsonrpc":"2.0"}`:                errNotRPC.Error(),
		`{"jsonrpc":"2.0","id":1}`:         errNotRPC.Error(),
		`{"jsonrpc":"2.0","error":null}`:   errNotRPC.Error(),
		`{"id":1,"params":{}}`:             errNotRPC.Error(),
		`{"method":""}`:                    errMethod.Error(),
		`{"method":7}`:                     errMethod.Error(),
		`{"method":null,"id":1}`:           errMethod.Error(),
		`{"method":"m","id":{}}`:           errID.Error(),
		`{"method":"m","id":[1]}`:          errID.Error(),
		`{"method":"m","id":true}`:         errID.Error(),
		`{"id":false,"result":{}}`:         errID.Error(),
		`{"method":"m"`:                    "invalid JSON at byte 13: expected a comma",
		`{"method":"m",}`:                  "invalid JSON at byte 14: expected a member name",
		`{"method" "m"}`:                   "invalid JSON at byte 10: expected a colon",
		`{"method":"m","params":{"a":01}}`: "invalid JSON at byte 29: expected a comma",
		``:                                 "invalid JSON at byte 0: expected a value",
	} {
		_, err := decode(text)
		assert.EqualError(t, err, want, text)
	}
}

func TestParams(t *testing.T) {
	m, err := decode(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"name":"n","arguments":{"a": 1},"uri":"u","messages":[],
		"systemPrompt":"s","modelPreferences":{},"message":"m","requestedSchema":{"t":1},"progressToken":7,"progress":0.5,
		"total":1,"requestId":"r","reason":"why","level":"info","logger":"l","data":[1],"sessionId":"sid","eventId":"e",
		"reminder":{"id":"rid","x":1},"protocolVersion":"v","clientInfo":{"name":"cn","version":"cv","title":"t"},"unknown":{},
		"_meta":{"progressToken":"pt","traceparent":"tp","tracestate":"ts","mcp.request_id":"a","requestId":"b",
		"io.modelcontextprotocol/protocolVersion":"mv","io.modelcontextprotocol/clientInfo":{"name":"mc"},
		"io.modelcontextprotocol/serverInfo":{"name":"ms"},"other":1}}}`)
	require.NoError(t, err)
	p := m.Params
	assert.True(t, p.Raw.IsObject())
	p.Raw = ""
	assert.Equal(t, Params{
		Name: `"n"`, Arguments: `{"a": 1}`, URI: `"u"`, RequestID: `"r"`, Reason: `"why"`,
		SamplingParams: SamplingParams{Messages: `[]`, SystemPrompt: `"s"`, Preferences: `{}`},
		Message:        `"m"`, Schema: `{"t":1}`, ProgressParams: ProgressParams{ProgressToken: `7`, Progress: `0.5`, Total: `1`},
		LogParams: LogParams{Level: `"info"`, Logger: `"l"`, Data: `[1]`}, SessionID: `"sid"`, EventID: `"e"`, ReminderID: `"rid"`,
		ProtocolVersion: `"v"`, Client: Implementation{`"cn"`, `"cv"`},
		Meta: Meta{
			ProgressToken: `"pt"`, Traceparent: `"tp"`, Tracestate: `"ts"`, RequestID: `"a"`, RequestIDAlias: `"b"`,
			ProtocolVersion: `"mv"`, Client: Implementation{Name: `"mc"`}, Server: Implementation{Name: `"ms"`},
		},
	}, p)
}

func TestParamsOfAnyType(t *testing.T) {
	for _, text := range []string{`7`, `null`, `[1,{"name":"n"}]`, `"s"`, `true`} {
		m, err := decode(`{"jsonrpc":"2.0","method":"m","params":` + text + `}`)
		require.NoError(t, err)
		assert.Equal(t, Params{Raw: jsonscan.Value(text)}, m.Params)
	}
}

func TestDecodingANotificationDoesNotAllocate(t *testing.T) {
	body := []byte(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":61200,"tokens_limit":200000,"elapsed_seconds":840.5,"current_task":"refactor the parser"}}`)
	var c jsonscan.Cursor
	var it Item
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		c.Reset(body)
		if it.Decode(&c) != nil {
			panic("refused")
		}
	}))
	assert.True(t, bytes.HasPrefix(body, []byte(it.Message.Raw)))
}
