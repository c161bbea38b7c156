// Package intake runs the transactions of all ways in: the telemetry of each goes to the
// pipelines, and the sessions keep what it did only if they accept that.
package intake

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// Patience is for how long those who send telemetry try again, as a rule: what they could not
// send for longer is lost.
const Patience = 10 * time.Second

// Runner runs transactions for all ways in, and hands their telemetry to the receiver's
// pipelines. Its methods are safe for concurrent use; its fields are set before the first
// call.
type Runner struct {
	Engine  *session.Engine
	Build   *telemetry.Options
	Meter   *telemetry.Meter
	Traces  consumer.Traces  // nil if no pipeline accepts them, as are the next
	Logs    consumer.Logs    //
	Metrics consumer.Metrics //
	Obs     Observer         // nil counts nothing
	// Wall is the machine's clock, time.Now if it is nil. It gives times to what has
	// none; timers go by the engine's.
	Wall func() time.Time
	// Sync stores what is open before a request is answered; nil if that may wait.
	Sync     func(context.Context) error
	unstored atomic.Bool // the last Sync failed

	measuring sync.Mutex // reports leave in the order of their times

	Telemetry *metadata.TelemetryBuilder
	Logger    *zap.Logger
	Bodies    *body.Budget // of requests in flight; nil for no bound
	BodyBytes int64        // of a message that is pushed, at most; 0 for no bound
	HookKey   []string     // headers that keep sessions of the same id apart, of which hooks report
	// Deliveries bounds what sources hand on, see [Runner.Delivery]; nil if it ends
	// with their reading.
	Deliveries context.Context //nolint:containedctx // of all sources
	endpoints  sync.Map        // []metric.AddOption by endpoint, of which there are few
}

// count adds what the engine counted in a committed transaction to the component's own
// metrics; endpoint is where it came in, "" for a sweep.
func (r *Runner) count(ctx context.Context, endpoint string, counts map[string]int64) {
	for what, n := range counts {
		switch what {
		case session.BadContext:
			r.BadContexts(ctx, endpoint, n)
		case session.SessionEvicted:
			r.evicted(ctx, "session", n)
		case session.CallEvicted:
			r.evicted(ctx, "call", n)
		case session.FactsMerged:
			r.Telemetry.McpReceiverFactsMerged.Add(ctx, n)
		case session.FloodBegins:
			r.Logger.Warn("Session exceeds limits::notices_per_second; dropping and counting the rest")
		case session.UndeclaredBegins:
			r.Logger.Warn("Dropping reminders from a server that did not declare them; set reminder::undeclared to record to keep them")
		case session.BelowLevelBegins:
			r.Logger.Info("Dropping log messages below the level that was agreed on or log::min_level; counting them")
		case session.Repeated, session.HostRepeated, session.BelowLevel, session.Undeclared, session.Flood, session.StreamUpdate, session.ForeignSpan:
			r.Dropped(ctx, endpoint, what, n)
		default:
			r.Invalid(ctx, endpoint, what, n)
		}
	}
}

// Dropped counts messages that were left out on purpose.
func (r *Runner) Dropped(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverDroppedMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

func (r *Runner) evicted(ctx context.Context, kind string, n int64) {
	r.Telemetry.McpReceiverEvictions.Add(ctx, n, metric.WithAttributes(attribute.String("kind", kind)))
}

// Lost counts one of a kind that is lost.
func (r *Runner) Lost(ctx context.Context, kind string) { r.lost(ctx, kind, 1) }

func (r *Runner) lost(ctx context.Context, kind string, n int64) {
	r.Telemetry.McpReceiverLosses.Add(ctx, n, metric.WithAttributes(attribute.String("kind", kind)))
}

// BadContexts counts trace contexts that are not valid.
func (r *Runner) BadContexts(ctx context.Context, endpoint string, n int64) {
	r.Telemetry.McpReceiverInvalidTraceContexts.Add(ctx, n, metric.WithAttributes(attribute.String("endpoint", endpoint)))
}

// Invalid counts messages that were accepted although something is wrong with them.
func (r *Runner) Invalid(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverInvalidMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

// Accepted counts messages that the pipelines accepted.
func (r *Runner) Accepted(ctx context.Context, endpoint string, n int64) {
	if n > 0 {
		r.Telemetry.McpReceiverAcceptedMessages.Add(ctx, n, r.of(endpoint)...)
	}
}

// of is the endpoint as the attributes of a metric: to make a set of them takes
// longer than to count.
func (r *Runner) of(endpoint string) []metric.AddOption {
	if options, ok := r.endpoints.Load(endpoint); ok {
		return options.([]metric.AddOption)
	}
	options := []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("endpoint", endpoint)))}
	r.endpoints.Store(endpoint, options)
	return options
}

// Rejected counts messages that could not be read or that a pipeline refused.
func (r *Runner) Rejected(ctx context.Context, endpoint, reason string, n int64) {
	r.Telemetry.McpReceiverRejectedMessages.Add(ctx, n, metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("reason", label(reason))))
}

// label is a reason in the form that metric attributes have.
func label(reason string) string { return strings.ReplaceAll(strings.ToLower(reason), " ", "_") }
