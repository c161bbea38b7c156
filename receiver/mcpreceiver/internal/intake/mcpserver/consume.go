package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// pipelineTimeout is the time for which messages wait for a pipeline once their sender is gone:
// fire-and-forget senders do not wait for the answer.
const pipelineTimeout = 30 * time.Second

// consume applies all messages. Those that are refused are counted and gone:
// hosts send notifications once.
func (h *handler) consume(ctx context.Context, a *said, b *body) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pipelineTimeout)
	defer cancel()
	var decoder mcp.Decoder
	err := h.runner.Run(ctx, Path, func(tx *session.Tx, now int64) error {
		for i := range b.messages {
			if err := decoder.Message(ctx, tx, a.observe(&b.messages[i], now), &b.messages[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if intake.Kept(err) {
		_ = h.runner.Store(ctx) // it is kept in memory if this fails
	}
	h.count(ctx, a, int64(len(b.messages)), err)
	return err
}

func (h *handler) count(ctx context.Context, a *said, n int64, err error) {
	if err != nil {
		h.runner.Rejected(ctx, Path, refusal(err), n)
		return
	}
	if a.BadContext {
		h.runner.BadContexts(ctx, Path, 1)
	}
	h.runner.Accepted(ctx, Path, n)
}

func refusal(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return "pipeline refused"
}

// observe returns what is known around a message.
func (a *said) observe(m *jsonrpc.Message, now int64) *event.Envelope {
	return &event.Envelope{
		Arrival: now, Time: now, Session: cmp.Or(a.MCPSession, a.name()), MCPSession: a.MCPSession,
		Direction: event.FromClient, Transport: "http", Server: serverName,
		Client:    cmp.Or(m.Params.Meta.Client.Name.Str(), m.Params.Client.Name.Str()),
		Peer:      a.Peer,
		RequestID: a.RequestID, Push: a.Context, Served: true,
	}
}

// answer lets the SDK answer the requests, after their telemetry was accepted: a
// heartbeat's answer says whether it was.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, a *said, b *body) {
	ctx := r.Context()
	if h.consume(ctx, a, b) != nil {
		ctx = context.WithValue(ctx, refusedKey{}, true)
	}
	h.sdk.ServeHTTP(w, asked(ctx, r, b))
}

// asked is the request with what the SDK is to answer as its body.
func asked(ctx context.Context, r *http.Request, b *body) *http.Request {
	text := b.asked()
	r = r.WithContext(ctx)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return r
}

// initialize opens a session, if the SDK agrees. No pipeline can prevent it: an
// agent must not lose its server because telemetry is refused.
func (h *handler) initialize(w http.ResponseWriter, r *http.Request, a *said, b *body) {
	var reply buffered
	h.sdk.ServeHTTP(&reply, asked(r.Context(), r, b))
	if version := agreed(&reply); version != "" {
		b.requests[0].Params.ProtocolVersion = event.JSON(version)
		a.MCPSession = h.sessions.mint(h.runner.Engine.Now())
		w.Header().Set("Mcp-Session-Id", a.MCPSession)
		_ = h.consume(r.Context(), a, b) // counted
	}
	reply.copyTo(w)
}

// agreed is the revision, as JSON, that the reply to initialize settles on; ""
// if it is an error.
func agreed(reply *buffered) string {
	var message struct {
		Result struct {
			ProtocolVersion json.RawMessage `json:"protocolVersion"`
		} `json:"result"`
	}
	if reply.status() != http.StatusOK || json.Unmarshal(reply.body.Bytes(), &message) != nil {
		return ""
	}
	return string(message.Result.ProtocolVersion)
}

// close ends the session in the engine.
func (h *handler) close(r *http.Request, id string) error {
	a, err := saidBy(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), pipelineTimeout)
	defer cancel()
	err = h.runner.Run(ctx, Path, func(tx *session.Tx, now int64) error {
		return tx.Apply(ctx, &event.Envelope{
			Arrival: now, Time: now, Session: id, MCPSession: id, Direction: event.FromClient,
			Transport: "http", Server: serverName, Peer: a.Peer, Push: a.Context, Served: true,
		}, &event.Closed{Reason: mcpconv.EndClosed})
	})
	if intake.Kept(err) {
		_ = h.runner.Store(ctx)
	}
	h.count(ctx, &a, 1, err)
	if consumererror.IsPermanent(err) {
		return nil // never will it take it
	}
	return err
}

// buffered holds a small answer until it is known what to add to it.
type buffered struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header {
	if b.header == nil {
		b.header = http.Header{}
	}
	return b.header
}

func (b *buffered) WriteHeader(code int) {
	if b.code == 0 {
		b.code = code
	}
}

func (b *buffered) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

func (b *buffered) status() int {
	if b.code == 0 {
		return http.StatusOK
	}
	return b.code
}

func (b *buffered) copyTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), b.header)
	w.WriteHeader(b.status())
	_, _ = w.Write(b.body.Bytes()) // the client is gone if this fails
}
