package mcpreceiver

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// pulseInterval is the time between two beats.
const pulseInterval = 5 * time.Second

// pulse tells when the receiver stood still or was away. Its clock stands still where the whole
// machine sleeps: then nothing is missed. It is safe for concurrent use.
type pulse struct {
	mu     sync.Mutex
	last   time.Time     // at which it ran
	missed *event.Missed // nil if sessions know all of it
}

// beat notes that the receiver ran then.
func (p *pulse) beat(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = at
}

// check notes that the receiver runs. If it stood still, no alarm comes of that time: this
// comes before what is due is looked for.
func (p *pulse) check(engine *session.Engine) {
	p.mu.Lock()
	silent := time.Since(p.last)
	p.last = time.Now()
	p.mu.Unlock()
	if silent >= pulseInterval+intake.Patience {
		until := engine.Deafened()
		p.miss(until-int64(silent), until)
	}
}

// miss notes that nothing could be heard in a time, Unix ns, if that was too long for those
// who try again.
func (p *pulse) miss(from, until int64) {
	if until-from < int64(intake.Patience) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.missed; m != nil {
		from, until = min(m.From, from), max(m.Until, until)
	}
	p.missed = &event.Missed{From: from, Until: until}
}

// tell tells open sessions what was missed. What a pipeline refuses is told again the next time.
func (p *pulse) tell(ctx context.Context, runner *intake.Runner, logger *zap.Logger) {
	p.mu.Lock()
	missed := p.missed
	p.missed = nil
	p.mu.Unlock()
	if missed == nil {
		return
	}
	logger.Warn("The collector could not hear anything for a while; what agents did then may be missing",
		zap.Time("from", time.Unix(0, missed.From)), zap.Time("until", time.Unix(0, missed.Until)))
	for _, name := range runner.Engine.OpenSessions() {
		err := runner.Run(ctx, "", func(tx *session.Tx, _ int64) error {
			return tx.Apply(ctx, &event.Envelope{Session: name}, missed)
		})
		if err != nil {
			p.miss(missed.From, missed.Until)
		}
	}
}
