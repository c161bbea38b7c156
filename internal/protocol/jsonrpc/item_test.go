package jsonrpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func item(text string) (Item, error) {
	var c jsonscan.Cursor
	var it Item
	c.Reset([]byte(text))
	err := it.Decode(&c)
	return it, err
}

func TestItemIsBareOrARecord(t *testing.T) {
	end := observation.End{Present: true, Reason: "closed"}
	for _, tt := range []struct {
		name, text string
		want       observation.Record
		message    bool
	}{
		{"bare", ping, observation.Record{}, true},
		{"bare with members of a record", `{"session":"s","jsonrpc":"2.0","id":1,"method":"ping","time":1}`, observation.Record{}, true},
		{"record", `{"message":` + ping + `}`, observation.Record{}, true},
		{"message last", `{"session":"s","message":` + ping + `}`, observation.Record{Session: "s"}, true},
		{"message first", `{"message":` + ping + `,"session":"s"}`, observation.Record{Session: "s"}, true},
		{"bare members before the message", `{"id":7,"method":"x","message":` + ping + `,"session":"s"}`, observation.Record{Session: "s"}, true},
		{"bare members after the message", `{"message":` + ping + `,"id":7,"method":"x","session":"s"}`, observation.Record{Session: "s"}, true},
		{"escapes in keys", `{"s\u0065ssion":"s","m\u0065ssage":` + ping + `}`, observation.Record{Session: "s"}, true},
		{"duplicate members: the last counts", `{"session":"a","session":"s","message":{},"message":` + ping + `}`, observation.Record{Session: "s"}, true},
		{"unknown members", `{"x":{"session":"no"},"message":` + ping + `,"y":[1]}`, observation.Record{}, true},
		{"end", `{"end":{"reason":"closed"},"session":"s"}`, observation.Record{Session: "s", End: end}, false},
		{"status", `{"transport_status":"connected"}`, observation.Record{TransportStatus: "connected"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			it, err := item(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, it.Record)
			assert.Equal(t, tt.message, it.HasMessage)
			if tt.message {
				assert.Equal(t, "ping", it.Message.Method)
				assert.Equal(t, jsonscan.Value("1"), it.Message.ID)
				assert.Contains(t, tt.text, string(it.Message.Raw))
			}
		})
	}
}

func TestItemErrors(t *testing.T) {
	for text, want := range map[string]error{
		`7`: errNotObject, `null`: errNotObject, `"x"`: errNotObject, `[]`: errNotObject,
		`{}`:                                    errRecord,
		`{"session":"s"}`:                       errRecord,
		`{"end":{},"transport_status":"x"}`:     errRecord,
		`{"end":{},"message":` + ping + `}`:     errRecord,
		`{"transport_status":""}`:               errRecord,
		`{"end":true}`:                          errRecord,
		`{"message":7}`:                         errNotObject,
		`{"message":{}}`:                        errNotRPC,
		`{"message":null,"end":{}}`:             errNotObject,
		`{"message":{"method":"m","id":[]}}`:    errID,
		`{"jsonrpc":"2.0","method":{}}`:         errMethod,
		`{"message":` + ping + `,"message":{}}`: errNotRPC,
	} {
		_, err := item(text)
		assert.ErrorIs(t, err, want, text)
	}
	_, err := item(`{"message":` + ping + `,`)
	var syntax *jsonscan.SyntaxError
	assert.ErrorAs(t, err, &syntax)
}

func TestARecordThatSaysNothingNamesItsMembers(t *testing.T) {
	_, err := item(`{"sesion":"s","mesage":` + ping + `,"sesion":1}`)
	assert.ErrorContains(t, err, `its members: "sesion", "mesage"; those known: message, end, transport_status, time, session, `)
	_, err = item(`{}`)
	assert.ErrorContains(t, err, `its members: none; `)
}

func TestUnknownMembers(t *testing.T) {
	for text, want := range map[string]string{
		ping:                        ``,
		`{"message":` + ping + `}`:  ``,
		`{"end":{"reason":"done"}}`: ``,
		`{"id":7,"session":"s","message":` + ping + `}`:                                  ``, // an id may be anybody's
		`{"sesion":"s","message":` + ping + `,"sesion":2}`:                               `"sesion"`,
		`{"a\n\u00e9":1,"message":` + ping + `}`:                                         `"a\n\u00e9"`,
		`{"message":` + ping + `,"` + strings.Repeat("x", 99) + `":1}`:                   `"` + strings.Repeat("x", nameBytes) + `"`,
		`{"message":` + ping + `,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8}`:       `"1", "2", "3", "4", "5", "6", "7", "8"`,
		`{"message":` + ping + `,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9}`: `"1", "2", "3", "4", "5", "6", "7", "8" and more`,
		`{"session":"s","jsonrpc":"2.0","x":[],"id":1,"method":"ping"}`:                  `"session", "x"`,
	} {
		it, err := item(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, it.Unknown(), text)
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	text := "{\"session\":\"a\xff\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"m\",\"params\":{\"name\":\"\xe2\x28\"}}}"
	it, err := item(text)
	require.NoError(t, err)
	assert.True(t, it.Sanitized)
	assert.Equal(t, "a\uFFFD", it.Session)
	assert.Equal(t, jsonscan.Value("\"\uFFFD\""), it.Message.ID)
	assert.Equal(t, "\uFFFD(", it.Message.Params.Name.Str())
}

func TestSanitizingEndsWithTheItem(t *testing.T) {
	body := "{\"jsonrpc\":\"2.0\",\"method\":\"a\xff\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n"
	var methods []string
	var sanitized []bool
	var it Item
	var items jsonscan.Items
	items.Reset([]byte(body))
	for items.Next() {
		require.NoError(t, items.Done(it.Decode(items.Cursor())))
		methods, sanitized = append(methods, it.Message.Method), append(sanitized, it.Sanitized)
	}
	assert.Equal(t, []string{"a\uFFFD", "b"}, methods)
	assert.Equal(t, []bool{true, false}, sanitized)
}
