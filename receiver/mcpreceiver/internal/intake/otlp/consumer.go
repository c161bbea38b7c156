// Package otlp consumes what arrives over OTLP: telemetry of agents reaches the sessions,
// and all of it passes on, in the same transaction.
package otlp

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Endpoint stands for both protocols in the receiver's own metrics.
const Endpoint = "otlp"

const (
	idBytes   = 1024 // of sessions
	nameBytes = 256  // of agents
)

// Settings configure a [Consumer].
type Settings struct {
	Runner *intake.Runner
	// Decoder makes a decoder of agents' telemetry, which serves one request at a time.
	Decoder func() protocol.Decoder
	// SessionKey names the attributes that keep sessions of the same id apart.
	SessionKey []string
	// Pass passes on all spans and records unchanged: they reach no session.
	Pass bool
	// KeepInternal passes on the spans of an agent's own machinery.
	KeepInternal bool
}

// Consumer consumes traces, logs and metrics. It owns what it is given: requests are
// changed in place.
type Consumer struct {
	Settings
	decoders sync.Pool
	lineage  lineage
}

// New returns a consumer.
func New(s Settings) *Consumer {
	return &Consumer{Settings: s, decoders: sync.Pool{New: func() any { return s.Decoder() }}}
}

// Capabilities implements consumer.Traces, consumer.Logs and consumer.Metrics.
func (*Consumer) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// ConsumeMetrics implements consumer.Metrics: it counts and drops.
func (c *Consumer) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	c.dropped(ctx, "metrics", md.DataPointCount())
	return nil
}

// dropped counts what does not pass on.
func (c *Consumer) dropped(ctx context.Context, signal string, n int) {
	if n > 0 {
		c.Runner.Telemetry.McpReceiverOtlpDroppedItems.Add(ctx, int64(n), metric.WithAttributes(attribute.String("signal", signal)))
	}
}

// tally counts what was recognized in one request.
type tally struct {
	items    map[string]int64 // by agent
	internal map[string]int64 // by agent
	tooLong  int64            // reports whose session id is too long
}

func (t *tally) reset() { *t = tally{} }

// increment adds one to counts[key]; counts may be nil.
func increment(counts map[string]int64, key string) map[string]int64 {
	if counts == nil {
		counts = map[string]int64{}
	}
	counts[key]++
	return counts
}

func (c *Consumer) count(ctx context.Context, t *tally, signal string) {
	own := c.Runner.Telemetry
	for agent, n := range t.items {
		own.McpReceiverAgentItems.Add(ctx, n, metric.WithAttributes(attribute.String("agent", agent), attribute.String("signal", signal)))
	}
	for agent, n := range t.internal {
		own.McpReceiverInternalSpans.Add(ctx, n, metric.WithAttributes(attribute.String("agent", agent)))
	}
	if t.tooLong > 0 {
		c.Runner.Invalid(ctx, Endpoint, "session id too long", t.tooLong)
	}
}

// label returns the agent's name in metrics: senders choose others freely.
func label(agent string) string {
	if mcpconv.IsCodingAgent(agent) {
		return agent
	}
	return "other"
}

// transact runs a request with agents' reports. It returns when what the request left
// open is stored, if a crash must not lose that.
func (c *Consumer) transact(
	ctx context.Context, signal string, t *tally, apply intake.Apply, deliver intake.Deliver,
) error {
	if err := c.Runner.Storable(ctx); err != nil {
		return fmt.Errorf("the storage of open sessions cannot be written now, send this again later: %w", err)
	}
	err := c.Runner.Transact(ctx, Endpoint, apply, deliver)
	if !intake.Kept(err) {
		return err
	}
	// Pipelines have it: sent again it would be recorded twice, so that a failure is
	// not the sender's but the next one's.
	_ = c.Runner.Store(ctx)
	c.count(ctx, t, signal)
	return err
}

// apply feeds the report's events to its session; false if it names none.
func apply(ctx context.Context, tx *session.Tx, now int64, r *protocol.Report, tenant string, t *tally) (bool, error) {
	tx.Tenant = tenant
	t.items = increment(t.items, label(r.Agent))
	switch {
	case r.Session == "":
		return false, nil
	case len(r.Session) > idBytes:
		t.tooLong++
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
		about.Repeats = cmp.Or(tx.About.Repeats, about.Repeats)
	}
	tx.About = about
	return true, nil
}

// ahead bounds how far the clock of an agent may be ahead of ours: what is further in
// the future no clock can have said.
const ahead = int64(time.Hour)

// timeOf returns the time of the report, or now if it has none that is possible.
func timeOf(r *protocol.Report, now int64) int64 {
	if r.Time <= 0 || r.Time > now+ahead {
		return now
	}
	return r.Time
}
