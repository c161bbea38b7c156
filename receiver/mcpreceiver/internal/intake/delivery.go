package intake

import "context"

// Delivery is the context for handing on what a source has read: it keeps the
// deadline of ctx, but when ctx is canceled, because reading stops, the delivery
// goes on until Deliveries is done. What was half delivered would come again after
// a restart. The caller must call the CancelFunc when the delivery has ended.
func (r *Runner) Delivery(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Deliveries == nil {
		return context.WithCancel(ctx)
	}
	delivery, cancel := context.WithCancel(context.WithoutCancel(ctx))
	release := cancel
	if deadline, ok := ctx.Deadline(); ok {
		delivery, release = context.WithDeadline(delivery, deadline)
	}
	stop := context.AfterFunc(r.Deliveries, cancel)
	return delivery, func() {
		stop()
		release()
		cancel()
	}
}
