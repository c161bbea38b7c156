package store_test

import (
	"context"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// program is a random sequence of transactions.
type program struct {
	opt   session.Options
	steps []programStep
}

type programStep struct {
	now      int64
	ops      []op // else the Engine's own work
	sweep    bool
	drain    bool
	rollback bool
}

// op is one thing that is told to a transaction.
type op struct {
	what  string
	apply func(ctx context.Context, t tb, tx *session.Tx, env event.Envelope) error
	env   event.Envelope
}

func drawProgram(t *rapid.T) program {
	p := program{opt: testOptions()}
	p.opt.MaxSessions = rapid.IntRange(2, 3).Draw(t, "max_sessions")
	p.opt.MaxOpenCalls = rapid.IntRange(1, 3).Draw(t, "max_open")
	p.opt.MaxSpans = rapid.IntRange(3, 20).Draw(t, "max_spans")
	p.opt.ProgressEvents = rapid.IntRange(2, 4).Draw(t, "progress")
	p.opt.MaxOpenBytes = rapid.SampledFrom([]int64{2000, 1 << 20}).Draw(t, "max_bytes")
	p.opt.MaxPending = rapid.SampledFrom([]int{1, 1000}).Draw(t, "max_pending")
	p.opt.StuckAfter = rapid.SampledFrom([]time.Duration{10 * time.Second, 100 * time.Second}).Draw(t, "stuck_after")
	p.opt.StalledAfter = rapid.SampledFrom([]time.Duration{5 * time.Second, 100 * time.Second}).Draw(t, "stalled_after")
	p.opt.DropUndeclared = rapid.Bool().Draw(t, "undeclared")
	p.opt.InBand = rapid.Bool().Draw(t, "in_band")
	p.opt.KeepEnvelopes = rapid.Bool().Draw(t, "envelopes")
	now := 1000 * second
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		now += rapid.SampledFrom([]int64{0, 1, second, 15 * second, 70 * second, 200 * second}).Draw(t, "pause")
		p.steps = append(p.steps, drawStep(t, now))
	}
	return p
}

func drawStep(t *rapid.T, now int64) programStep {
	s := programStep{now: now, rollback: rapid.Bool().Draw(t, "rollback")}
	switch rapid.IntRange(0, 9).Draw(t, "step") {
	case 0, 1:
		s.sweep = true
	case 2:
		s.drain = rapid.Bool().Draw(t, "drain")
		s.sweep = !s.drain
	default:
		for range rapid.IntRange(1, 6).Draw(t, "ops") {
			s.ops = append(s.ops, drawOp(t, now))
		}
	}
	return s
}

func drawOp(t *rapid.T, now int64) op {
	env := event.Envelope{
		Arrival:    now,
		Time:       now + rapid.SampledFrom([]int64{0, 0, -second, 1}).Draw(t, "skew"),
		Session:    rapid.SampledFrom([]string{"a", "a", "b", "c", "d", ""}).Draw(t, "session"),
		Connection: rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "connection"),
		Transport:  rapid.SampledFrom([]string{"stdio", "http"}).Draw(t, "transport"),
		Direction:  event.Direction(rapid.IntRange(0, 2).Draw(t, "direction")),
	}
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 7, 8:
		return drawAgent(t, env)
	case 0:
		return drawInspector(t, env)
	case 6:
		return drawRest(t, env)
	case 1, 2:
		return drawHook(t, env)
	}
	return drawMessage(t, env)
}

func drawMessage(t *rapid.T, env event.Envelope) op {
	id := rapid.SampledFrom([]string{`1`, `2`, `3`, `"1"`}).Draw(t, "id")
	token := rapid.SampledFrom([]string{`"t"`, `"u"`}).Draw(t, "token")
	text := ""
	switch rapid.SampledFrom([]string{"request", "request", "reply", "cancel", "progress", "progress", "notice", "notice", "end", "transport", "task", "task", "round", "acp"}).Draw(t, "message") {
	case "request":
		method := rapid.SampledFrom([]string{"tools/call", "tools/call", "sampling/createMessage", "ping", "resources/read"}).Draw(t, "method")
		meta := rapid.SampledFrom([]string{
			`{}`, `{"progressToken":` + token + `}`,
			`{"traceparent":"00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"}`,
		}).Draw(t, "meta")
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"name":"n","uri":"u","arguments":{},"_meta":%s}}`, id, method, meta)
	case "reply":
		body := rapid.SampledFrom([]string{
			`"result":{}`, `"error":{"code":-32601,"message":"no"}`,
			`"result":{"_meta":{"otel":{"traces":{"resourceSpans":[{}]}}}}`,
		}).Draw(t, "body")
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, body)
	case "cancel":
		text = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"r"}}`, id)
	case "progress":
		message := rapid.SampledFrom([]string{"", "short", "a longer one"}).Draw(t, "text")
		text = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":%q}}`, token, message)
	case "end":
		return op{"end", func(ctx context.Context, _ tb, tx *session.Tx, env event.Envelope) error {
			return closed(ctx, tx, &env, "closed", new(int64))
		}, env}
	case "transport":
		return op{"transport", func(ctx context.Context, _ tb, tx *session.Tx, env event.Envelope) error {
			return transport(ctx, tx, &env, "reconnecting")
		}, env}
	case "notice":
		text = drawNotice(t)
	case "task":
		text = drawTask(t, id)
	case "round":
		text = drawRound(t, id)
	case "acp":
		text = drawACP(t, id)
	}
	env.Host = rapid.SampledFrom([]string{"", "", "a", "h"}).Draw(t, "host")
	env.ACP = rapid.IntRange(0, 4).Draw(t, "acp") == 0
	return op{text, func(ctx context.Context, t tb, tx *session.Tx, env event.Envelope) error {
		return message(ctx, tx, &env, parse(t, text))
	}, env}
}

// drawRest is what the other kinds leave out: tools that are heartbeats, requests
// that are served, spans sent along, roots found in files, and messages of ACP by
// a connection alone.
func drawRest(t *rapid.T, env event.Envelope) op {
	id := rapid.SampledFrom([]string{`1`, `2`, `3`}).Draw(t, "id")
	text := ""
	switch rapid.SampledFrom([]string{"beat", "served", "spans", "filed", "acp", "acp"}).Draw(t, "rest") {
	case "filed":
		root := identity.Context{Span: [8]byte{byte(len(id))}}
		return op{"filed " + env.Session, func(ctx context.Context, _ tb, tx *session.Tx, env event.Envelope) error {
			return tx.Apply(ctx, &env, &event.FileRootFound{Root: root})
		}, env}
	case "served":
		env.Served, env.MCPSession = true, env.Session
		method := rapid.SampledFrom([]string{"tools/call", "initialize", "tools/list"}).Draw(t, "method")
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"name":"host_heartbeat","arguments":{"phase":"working"},"clientInfo":{"name":"c"}}}`, id, method)
	case "beat":
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"eywa_heartbeat","arguments":{"phase":%q,"detail":"d"}}}`,
			id, rapid.SampledFrom([]string{"working", "idle", "waiting_approval", "x"}).Draw(t, "phase"))
		env.Host = rapid.SampledFrom([]string{"", "a", "h"}).Draw(t, "host")
	case "spans":
		text = `{"jsonrpc":"2.0","method":"notifications/otel/trace","params":{"resourceSpans":[{}]}}`
	case "acp":
		env.ACP, env.Connection = true, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "carrier")
		env.Session = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "of")
		text = rapid.SampledFrom([]string{
			`{"jsonrpc":"2.0","id":` + id + `,"method":"session/prompt","params":{"prompt":[]}}`,
			`{"jsonrpc":"2.0","id":` + id + `,"method":"fs/read_text_file","params":{"path":"p"}}`,
			`{"jsonrpc":"2.0","id":` + id + `,"result":{"stopReason":"end_turn"}}`,
			`{"jsonrpc":"2.0","id":` + id + `,"result":{"sessionId":"b"}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"t1","status":"pending"}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk"}}}`,
		}).Draw(t, "text")
	}
	return op{text, func(ctx context.Context, t tb, tx *session.Tx, env event.Envelope) error {
		return message(ctx, tx, &env, parse(t, text))
	}, env}
}

func drawInspector(t *rapid.T, env event.Envelope) op {
	env.Connection = ""
	status := rapid.SampledFrom([]string{"completed", "failed", "cancelled"}).Draw(t, "status")
	note := rapid.SampledFrom([]string{"", "a", "abc"}).Draw(t, "note")
	delta := rapid.Int64Range(-1, 1).Draw(t, "delta")
	what := rapid.SampledFrom([]string{"started", "finished", "waiting", "resumed", "beat", "told"}).Draw(t, "event")
	events := map[string]inspectorwire.Event{
		"started":  {Type: inspectorwire.TypeSessionStarted, Title: note, Engine: note, StartTime: env.Time},
		"finished": {Type: inspectorwire.TypeSessionFinished, Finish: inspectorwire.Finish{Status: status, ErrorText: note}},
		"waiting":  {Type: inspectorwire.TypeWaitingOnSignal, SignalName: "n", Prompt: note, Schema: "{}", Raw: note},
		"resumed":  {Type: inspectorwire.TypeSignalReceived},
		"beat":     {Type: inspectorwire.TypeHeartbeat, Deltas: inspectorwire.Deltas{TokensDelta: delta}},
		"told":     {Type: inspectorwire.TypeResourceFetched},
	}
	e := events[what]
	return op{fmt.Sprintf("%s %s %q %d", what, status, note, delta), func(ctx context.Context, _ tb, tx *session.Tx, env event.Envelope) error {
		return inspected(ctx, tx, &env, &e)
	}, env}
}
