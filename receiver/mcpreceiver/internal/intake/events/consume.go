package events

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// handle records a delivery. Its error is the pipelines'.
func (p *Endpoint) handle(ctx context.Context, d *delivery, kind string) error {
	fault, ended := d.fault(kind)
	switch {
	case kind == "gap":
		return p.gap(ctx, d, nil)
	case fault != nil && meaningOf(errorOf(fault), d.generation()) == meansExpired:
		return p.gap(ctx, d, fault)
	case ended:
		return p.over(ctx, d, fault)
	case fault != nil:
		_, err := p.about(ctx, d, mcpconv.EventsError, fault)
		return err
	}
	return p.event(ctx, d)
}

// generation is the one that the delivery shows.
func (d *delivery) generation() Generation {
	if d.header.Get(headerSignature) != "" || d.m["id"] != nil {
		return Draft1
	}
	if d.e != nil && d.e.s.src.speaks() == SEP3415 {
		return SEP3415
	}
	return Draft2
}

// event records one event, then the cursor that came with it.
func (p *Endpoint) event(ctx context.Context, d *delivery) error {
	o := occurrenceOf(d.raw, d.m, d.header.Get("webhook-id"))
	d.sign(o)
	if _, err := p.recorder.once(ctx, o); err != nil || d.e == nil {
		return err
	}
	s := d.e.s
	cursor := d.m.Cursor()
	if d.generation() == Draft1 {
		cursor = s.position.note(cursor, time.Now())
	}
	p.recorder.seen.Put(ctx, s.position.move(cursor)...)
	return nil
}

// sign says where an occurrence comes from.
func (d *delivery) sign(o *event.Occurrence) {
	if d.e != nil {
		d.e.s.sign(o, Webhook)
	} else {
		o.Endpoint, o.Delivery = d.theirs.Endpoint, Webhook
	}
	o.Generation = d.generation().String()
	if id := d.header.Get(headerSubscription); id != "" {
		o.Subscription = id
	}
}

// about records what is reported about the subscription, once however often that is
// delivered: first is false if it was delivered before.
func (p *Endpoint) about(ctx context.Context, d *delivery, method string, fault members) (first bool, err error) {
	o := aboutOf(method, fault)
	o.ID = d.header.Get("webhook-id")
	d.sign(o)
	if o.ID == "" {
		return true, p.recorder.run(ctx, o)
	}
	return p.recorder.once(ctx, o)
}

// gap goes on from the cursor. In the first draft it is an error without one, after which the
// subscription is to be made again.
func (p *Endpoint) gap(ctx context.Context, d *delivery, fault members) error {
	first, err := p.about(ctx, d, mcpconv.EventsGap, fault)
	if err != nil || !first {
		return err
	}
	p.runner.Lost(ctx, "event_gap")
	if d.e != nil {
		d.e.s.begin(ctx, d.m.Cursor())
		if fault != nil {
			d.e.s.news()
		}
	}
	return nil
}

func (p *Endpoint) over(ctx context.Context, d *delivery, fault members) error {
	if _, err := p.about(ctx, d, mcpconv.EventsTerminated, fault); err != nil {
		return err
	}
	if d.e != nil {
		d.e.terminate()
	}
	return nil
}
