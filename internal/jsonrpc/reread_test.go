package jsonrpc

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// FuzzReread reads what is read a second time, of ACP, tasks and rounds, and
// events of hooks, against what encoding/json reads.
func FuzzReread(f *testing.F) {
	for _, text := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"read","status":"pending","rawInput":{"a":[1]},"content":[{"type":"content","content":{"type":"text","text":"y"}}]}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2e3,"entries":[null]}`,
		`{"task":{"taskId":"k","status":"working","ttl":1000,"statusMessage":"m"}}`,
		`{"resultType":"task","taskId":"k","status":"completed","result":{"content":[],"isError":true},"error":{"code":-1,"message":"m"}}`,
		`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}},"b":1}}`,
		`{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"T","tool_use_id":"u","tool_input":{},"duration_ms":1}`,
		`{"_meta":{"otel":{"traces":{"resourceSpans":[{}]}}},"title":null,"title":"a"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		rereadHook(t, value)
		m, ok := messageOf(`{"jsonrpc":"2.0","method":"session/update","params":{"update":` + string(value) + `,"result":` + string(value) + `}}`)
		if !ok {
			return
		}
		var u Update
		u.DecodeUpdate(m.Params.Update)
		for key, raw := range fields(t, m.Params.Update) {
			if to := u.member(key); to != nil && raw != "null" {
				require.Equal(t, raw, string(*to), key)
			}
		}
		state := m.Params.State()
		if reply, told := state.Outcome(); told {
			require.Equal(t, Response, reply.Kind)
			require.True(t, json.Valid([]byte(reply.Raw)))
		}
		first := FirstOf(u.Content)
		require.True(t, first == "" || json.Valid([]byte(first)), first)
		rereadResult(t, value)
	})
}

// messageOf is a message, if it is one: values may break out of their place.
func messageOf(text string) (*Message, bool) {
	var c jsonscan.Cursor
	var m Message
	c.Reset([]byte(text))
	return &m, m.Decode(&c) == nil && json.Valid([]byte(text))
}

func rereadResult(t *testing.T, value []byte) {
	m, ok := messageOf(`{"jsonrpc":"2.0","id":1,"result":` + string(value) + `}`)
	if !ok {
		return
	}
	if task, created := m.Result.Created(); created {
		require.NotEmpty(t, task.ID)
		task.Outcome()
	}
	_, _, schema := m.Result.Input()
	for _, v := range []Value{schema, m.Result.Meta.ResourceSpans} {
		require.True(t, v == "" || json.Valid([]byte(v)), v)
	}
}

func rereadHook(t *testing.T, value []byte) {
	var c jsonscan.Cursor
	var h Hook
	c.Reset(value)
	if h.Decode(&c, "") == nil && h.Raw != "" {
		require.True(t, json.Valid([]byte(h.Raw)), h.Raw)
	}
}
