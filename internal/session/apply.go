package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// Apply takes one event. It sets env.Session where only what is known of the
// connection has it. The errors are ctx's and the one that [Yielded] knows; the
// transaction must then be rolled back.
func (tx *Tx) Apply(ctx context.Context, env *event.Envelope, e event.Event) error {
	if env != nil { // an occurrence needs none
		env.Arrival = tx.store.Now()
		if err := tx.rules.parts.find(ctx, env, e); err != nil {
			return err
		}
	}
	switch e := e.(type) {
	case *event.Heartbeat:
		return tx.rules.hosts.heartbeat(ctx, env, e)
	case *event.CallStarted:
		return tx.rules.requests.callStarted(ctx, env, e)
	case *event.CallEnded:
		return tx.rules.requests.callEnded(ctx, env, e)
	case *event.Contact:
		_, err := tx.rules.arrivals.arrive(ctx, env, e, arrival{effect: tx.rules.arrivals.effect(e.Method), silent: true})
		return err
	case *event.ProcessGone:
		return tx.rules.ends.gone(ctx, env)
	case *event.Missed:
		return tx.rules.stalls.missed(ctx, env, e)
	case *event.KeepAlive:
		_, err := tx.rules.arrivals.arrive(ctx, env, &e.Contact, arrival{effect: keepAlive})
		return err
	case *event.Occurrence:
		tx.rules.transports.occurred(e)
		return nil
	}
	if handled, err := tx.rules.transports.applyTransport(ctx, env, e); handled {
		return err
	}
	if handled, err := tx.rules.workflows.applyWorkflow(ctx, env, e); handled {
		return err
	}
	if n := noticeOf(e); n != nil && n.Source == event.Wire {
		return tx.rules.notifications.notified(ctx, env, e, n)
	}
	return tx.rules.selfReports.applySelfReport(ctx, env, e)
}

// Locate finds the place of something that an agent reports and that causes nothing:
// its turn, else its session. It opens no session.
func (tx *Tx) Locate(ctx context.Context, env *event.Envelope) error {
	env.Arrival = tx.store.Now()
	return tx.rules.selfReports.locate(ctx, env)
}

// noticeOf is the notice that the event embeds, nil if it embeds none.
func noticeOf(e event.Event) *event.Notice {
	if n, ok := e.(interface{ Base() *event.Notice }); ok {
		return n.Base()
	}
	return nil
}
