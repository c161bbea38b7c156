package inspector

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// follow keeps count of the sessions that are open and hands the event on.
func (c *Client) follow(e *inspectorwire.Event) {
	switch e.Type {
	case inspectorwire.TypeSessionStarted:
		if len(c.open) < openMax || c.open[e.SessionID] > 0 {
			c.open[e.SessionID]++
		}
	case inspectorwire.TypeSessionFinished:
		if c.open[e.SessionID]--; c.open[e.SessionID] <= 0 {
			delete(c.open, e.SessionID)
			c.finish(e)
			return
		}
	}
	c.deliver(func(tx *session.Tx, now int64) error { return c.tell(tx, now, e) })
}

// finish ends a session; its trace goes first, so that the root can link to the
// trace's own.
func (c *Client) finish(e *inspectorwire.Event) {
	if c.fetch {
		c.traces.get(c.ctx, e.SessionID)
	}
	c.deliver(func(tx *session.Tx, now int64) error { return c.tell(tx, now, e) })
}

func (c *Client) tell(tx *session.Tx, now int64, e *inspectorwire.Event) error {
	env := &event.Envelope{Arrival: now, Time: e.Time, Session: e.SessionID, Invalid: e.Invalid}
	if env.Time == 0 {
		env.Time = now
	}
	return tx.Apply(c.ctx, env, c.decoder.Event(env, e))
}

// deliver runs a transaction until the pipelines accept it; the stream waits. What
// they refuse for too long is counted and lost.
func (c *Client) deliver(apply func(*session.Tx, int64) error) {
	ctx, cancel := context.WithTimeout(c.ctx, deliveryMax)
	defer cancel()
	err := retry.Do(ctx, retry.New(refusedAgain, lastRetry), 0, func() error {
		delivery, ended := c.runner.Delivery(ctx)
		defer ended()
		err := c.runner.Run(delivery, Label, apply)
		if consumererror.IsPermanent(err) {
			return retry.Permanent(err)
		}
		return err
	})
	if err != nil {
		c.runner.Rejected(c.ctx, Label, "pipeline refused", 1)
		return
	}
	c.runner.Accepted(ctx, Label, 1)
}
