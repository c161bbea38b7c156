package mcpprocessor

import (
	"context"
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// sharedIndex is what all replicas know together.
type sharedIndex interface {
	// Ask answers the questions in place. After an error none of the answers counts.
	Ask(context.Context, []index.Question) error
	// Check reports whether the index still has what it was told, or forgot it,
	// as after a restart without persistence. An error: it does not answer.
	Check(context.Context) (remembers bool, err error)
	// Close lets go of the connections.
	Close() error
}

const (
	askTimeout = 500 * time.Millisecond // after that the index is not asked again for a while
	rounds     = 32                     // questions may raise questions, as a chain of traces does
	pollSize   = 2000                   // questions at a time
)

// converge asks the shared index until the rules have no more questions. One at a
// time does it, for all: who comes meanwhile finds that what it asks was asked, and
// has to wait for the answers. Nobody begins to ask when askTimeout is over, so a
// slow index is waited for twice as long at most.
func (s *stitcher) converge() {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return
	}
	for i := 0; i < rounds && ctx.Err() == nil; i++ {
		qs, away := s.questions()
		if len(qs) == 0 {
			return
		}
		if away { // and so that all of it is told again when it is back
			s.hear(qs, errAway)
			continue
		}
		_ = s.ask(qs) // the rules heard it
	}
}

func (s *stitcher) questions() (qs []index.Question, away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	qs = s.rules.asks
	s.rules.asks = nil
	return qs, !s.rules.shared
}

func (s *stitcher) ask(qs []index.Question) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	err := s.shared.Ask(ctx, qs)
	s.answers.Add(1)
	if err != nil {
		s.telemetry.McpProcessorStitchIndexFailures.Add(context.Background(), 1)
		s.failed.Store(&err)
	}
	s.hear(qs, err)
	return err
}

// hear tells the rules the answers; if there is an error there are none.
func (s *stitcher) hear(qs []index.Question, err error) {
	s.do(func(r *rules) {
		if err != nil {
			r.shared = false
		}
		for i := range qs {
			r.hear(&qs[i], err == nil)
		}
	})
}

// check finds out whether the index answers, and tells it again what it forgot.
func (s *stitcher) check() {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	remembers, err := s.shared.Check(ctx)
	cancel()
	var again []index.Question
	s.do(func(r *rules) {
		if err == nil && (!r.shared || !remembers) {
			again = r.idx.Questions(r.now)
		}
		r.shared = err == nil
	})
	s.timer.reportIndex(s.trouble(err))
	s.askAll(again)
}

// trouble is what the index failed to do since the last time, if that it answers
// now is not all.
func (s *stitcher) trouble(now error) error {
	if before := s.failed.Swap(nil); now == nil && before != nil {
		return *before
	}
	return now
}

// askAll asks a great many questions, which may take its time; but not when there
// is nobody to answer.
func (s *stitcher) askAll(qs []index.Question) {
	for len(qs) > 0 {
		n := min(len(qs), pollSize)
		if s.ask(qs[:n]) != nil {
			return // what it was not told, it is told when it answers again
		}
		qs = qs[n:]
	}
}

// poll looks for claims and decisions that were made elsewhere since: one
// question for each value and each trace that something waits for.
func (s *stitcher) poll() {
	var qs []index.Question
	s.mu.Lock()
	if s.rules.shared {
		qs = s.rules.wanted()
	}
	s.mu.Unlock()
	s.askAll(qs)
	s.converge()
}

// sweepShared lets go what waited long enough, unless the others know better: it
// asks them for a client that came at the last moment, then says that the trace
// stays, and obeys if somebody has said something else.
func (s *stitcher) sweepShared() {
	for more := true; more; {
		due := s.overdue
		s.overdue = nil
		s.do(func(r *rules) { due, more = r.overdue(due) })
		if len(due) == 0 {
			return
		}
		s.converge()
		if due = s.sayStay(due); len(due) > 0 {
			s.overdue = due // being decided by somebody else just now
			s.nudge()
			return
		}
	}
}

func (s *stitcher) sayStay(due []*trace) []*trace {
	for range rounds {
		s.do(func(r *rules) {
			due = slices.DeleteFunc(due, func(t *trace) bool { return t.Data.state == settled })
			for _, t := range due {
				r.sayStay(t)
			}
		})
		if len(due) == 0 {
			return nil
		}
		s.converge()
	}
	return due
}
