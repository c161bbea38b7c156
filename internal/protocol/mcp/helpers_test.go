package mcp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// recorder is a target that keeps what it is given. Of the events of one message
// none takes the place of another.
type recorder struct {
	envs   []event.Envelope
	events []event.Event
	err    error
}

func (r *recorder) Apply(_ context.Context, env *event.Envelope, e event.Event) error {
	r.envs, r.events = append(r.envs, *env), append(r.events, e)
	return r.err
}

func message(t *testing.T, text string) *jsonrpc.Message {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c))
	return &m
}

// decode returns what becomes of a message.
func decode(t *testing.T, env event.Envelope, text string) *recorder {
	t.Helper()
	var d Decoder
	var r recorder
	require.NoError(t, d.Message(t.Context(), &r, &env, message(t, text)))
	return &r
}

// only is the only event of a message.
func only(t *testing.T, env event.Envelope, text string) event.Event {
	t.Helper()
	r := decode(t, env, text)
	require.Len(t, r.events, 1)
	return r.events[0]
}

// request, notify and reply are messages around what matters of them.
func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func notify(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

func reply(result string) string { return `{"jsonrpc":"2.0","id":1,"result":` + result + `}` }

// named is the notice of a notification, without its details.
func named(method, params string) event.Notice {
	return event.Notice{
		Contact: event.Contact{Method: method}, Raw: jsonscan.Value(notify(method, params)),
		Params: jsonscan.Value(params), Version: "2.0", FromClient: true,
	}
}

func about(n event.Notice, d event.Detail) event.Notice {
	n.Detail = d
	return n
}

func fromServer(n event.Notice) event.Notice {
	n.FromClient = false
	return n
}

// counter is a target that keeps nothing.
type counter struct{ n int }

func (c *counter) Apply(context.Context, *event.Envelope, event.Event) error {
	c.n++
	return nil
}
