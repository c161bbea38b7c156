package mcpconnector

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

const (
	idBytes   = 1024 // of sessions
	nameBytes = 256  // of agents
)

// tally counts what was recognized in one request.
type tally struct {
	items    map[string]int64 // by agent
	internal map[string]int64 // likewise
	noted    map[string]int64 // by reason
}

func (t *tally) reset() { *t = tally{} }

// one is the counts with one more of that key; nil is none.
func one(counts map[string]int64, key string) map[string]int64 {
	if counts == nil {
		counts = map[string]int64{}
	}
	counts[key]++
	return counts
}

func (c *mcpConnector) count(ctx context.Context, t *tally, signal string) {
	for agent, n := range t.items {
		c.telemetry.McpConnectorAgentItems.Add(ctx, n, metric.WithAttributes(attribute.String("agent", agent), attribute.String("signal", signal)))
	}
	for agent, n := range t.internal {
		c.telemetry.McpConnectorInternalSpans.Add(ctx, n, metric.WithAttributes(attribute.String("agent", agent)))
	}
	for reason, n := range t.noted {
		c.note(ctx, reason, n)
	}
}

// label is what the agent is called in metrics: others name themselves as they like.
func label(agent string) string {
	if mcpconv.IsCodingAgent(agent) {
		return agent
	}
	return "other"
}

// transact takes a request with what agents report into the sessions. It is answered
// when what it left open is stored, if a crash must not lose that.
func (c *mcpConnector) transact(
	ctx context.Context, signal string, t *tally, apply pipeline.Apply, deliver pipeline.Deliver,
) error {
	leave, err := c.enter()
	if err != nil {
		return err
	}
	defer leave()
	if err := c.sessions.Runner.Storable(ctx); err != nil {
		return fmt.Errorf("the storage of open sessions cannot be written now, send this again later: %w", err)
	}
	if err = c.runner.Transact(ctx, signal, apply, deliver); !pipeline.Kept(err) {
		return err
	}
	// Pipelines have it: sent again it would be recorded twice, so that a failure is
	// not the sender's but the next one's.
	_ = c.sessions.Runner.Store(ctx)
	c.count(ctx, t, signal)
	return err
}

// take lets the session take what the report says; it is false for a report of no
// session.
func take(ctx context.Context, tx *session.Tx, now int64, r *otlp.Report, tenant string, t *tally) (bool, error) {
	tx.Tenant = tenant
	t.items = one(t.items, label(r.Agent))
	switch {
	case r.Session == "":
		return false, nil
	case len(r.Session) > idBytes:
		t.noted = one(t.noted, "session id too long")
		return false, nil
	}
	env := event.Envelope{
		Arrival: now, Time: timeOf(r, now), Session: r.Session, Client: jsonscan.Cut(r.Agent, nameBytes),
		Direction: event.FromClient,
	}
	if len(r.Events) == 0 {
		return true, tx.Locate(ctx, &env)
	}
	var about session.Place // of the first: the others follow from it
	for i, e := range r.Events {
		if err := tx.Apply(ctx, &env, e); err != nil {
			return false, err
		}
		if i == 0 {
			about = tx.About
		}
	}
	tx.About = about
	return true, nil
}

// ahead is how far the clock of an agent may be ahead of ours. What is further in
// the future was not told by a clock.
const ahead = int64(time.Hour)

// timeOf is when what is reported happened.
func timeOf(r *otlp.Report, now int64) int64 {
	if r.Time <= 0 || r.Time > now+ahead {
		return now
	}
	return r.Time
}
