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
	askTimeout = 500 * time.Millisecond // a batch waits for the index that long at most, and only once
	rounds     = 32                     // questions may raise questions, as a chain of traces does
	pollSize   = 2000                   // questions at a time
)

// converge asks the shared index until the rules have no more questions.
func (s *stitcher) converge() {
	for range rounds {
		qs := s.questions()
		if len(qs) == 0 {
			return
		}
		s.ask(qs)
	}
}

func (s *stitcher) questions() []index.Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	qs := s.rules.asks
	s.rules.asks = nil
	return qs
}

func (s *stitcher) ask(qs []index.Question) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	err := s.shared.Ask(ctx, qs)
	cancel()
	if err != nil {
		s.telemetry.McpProcessorStitchIndexFailures.Add(context.Background(), 1)
	}
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
	var before bool
	var again []index.Question
	s.do(func(r *rules) {
		before = r.shared
		r.shared = err == nil
		if err == nil && (!before || !remembers) {
			again = r.idx.Questions(r.now)
		}
	})
	if before != (err == nil) || s.timer.checked == 0 {
		s.timer.reportIndex(err)
	}
	s.timer.checked++
	s.askAll(again)
}

// askAll asks a great many questions, which may take its time.
func (s *stitcher) askAll(qs []index.Question) {
	for len(qs) > 0 {
		n := min(len(qs), pollSize)
		s.ask(qs[:n])
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
