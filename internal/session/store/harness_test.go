// Package table_test drives a whole Engine, since only that reaches every state
// of a Table. Its tests are here because they look inside.
package store_test

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/inspector"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

const second = int64(time.Second)

func testOptions() session.Options {
	return session.Options{
		Traits:      registry.Traits,
		IdleTimeout: time.Minute, Linger: 10 * time.Second, MaxSessions: 10, Remember: 24 * time.Hour, MaxSpans: 100,
		CallTimeout: 2 * time.Minute, MaxOpenCalls: 100, MaxOpenBytes: 1 << 20, ProgressEvents: 4,
		TextBytes: 64, KeepPayloads: true, DropMethods: map[string]bool{"ping": true},
		MaxPending: 100, Lost: func(string) {},
		StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 2, MinLevel: 1,
	}
}

type tb = store.TB

// tableOf is the Table of the Engine, which shows it to nobody.
func tableOf(e *session.Engine) *store.Table {
	v := reflect.ValueOf(e).Elem()
	for _, f := range v.Fields() {
		if f.Type() == reflect.TypeFor[*store.Table]() {
			return (*store.Table)(f.UnsafePointer())
		}
	}
	panic("the Engine has no Table")
}

// txOf is the transaction of the store behind that of the sessions.
func txOf(tx *session.Tx) *store.Tx {
	return (*store.Tx)(reflect.ValueOf(tx).Elem().FieldByName("store").UnsafePointer())
}

func snapshot(e *session.Engine) string { return store.Snapshot(tableOf(e)) }

func sound(t tb, e *session.Engine) {
	t.Helper()
	store.Sound(t, tableOf(e))
}

// parse reads a message.
func parse(t tb, text string) *jsonrpc.Message {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c), text)
	return &m
}

// decoders are used again, as those of intakes are.
var decoders = sync.Pool{New: func() any { return new(mcp.Decoder) }}

// message passes a message to the transaction.
func message(ctx context.Context, tx *session.Tx, env *event.Envelope, m *jsonrpc.Message) error {
	d := decoders.Get().(*mcp.Decoder)
	defer decoders.Put(d)
	return d.Message(ctx, tx, env, m)
}

// inspected passes an event of the Inspector.
func inspected(ctx context.Context, tx *session.Tx, env *event.Envelope, e *inspectorwire.Event) error {
	var d inspector.Decoder
	return tx.Apply(ctx, env, d.Event(env, e))
}

// transport passes a transport's change of status.
func transport(ctx context.Context, tx *session.Tx, env *event.Envelope, status string) error {
	e := &event.TransportChanged{Status: event.TransportStatus{Status: status}}
	e.Notice = event.Notice{Source: event.Transport, Name: mcpconv.SpanTransport, FromClient: true, Detail: &e.Status}
	return tx.Apply(ctx, env, e)
}

func closed(ctx context.Context, tx *session.Tx, env *event.Envelope, reason string, exit *int64) error {
	return tx.Apply(ctx, env, &event.Closed{Reason: reason, ExitCode: exit})
}

// commit runs one transaction and returns what it reported.
func commit(t *testing.T, e *session.Engine, now int64, apply func(tx *session.Tx) error) (*story, map[string]int64) {
	t.Helper()
	told := newStory(e)
	tx := e.Begin(now, told, nil)
	require.NoError(t, apply(tx))
	tx.Finish()
	tx.Commit()
	return told, tx.Counts()
}

// say commits one message of session s on connection c, arriving at its time.
func say(t *testing.T, e *session.Engine, now int64, dir event.Direction, text string) (*story, map[string]int64) {
	t.Helper()
	env := event.Envelope{Arrival: now, Time: now, Session: "s", Connection: "c", Direction: dir}
	return commit(t, e, now, func(tx *session.Tx) error { return message(context.Background(), tx, &env, parse(t, text)) })
}

const (
	callOne  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"t"}}}`
	replyOne = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

func stamp(ns int64) time.Time { return time.Unix(0, ns) }
