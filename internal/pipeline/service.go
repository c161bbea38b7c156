package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// Service keeps the sessions of one component: it ends what is due, reports
// metrics and stores what is open. What no message causes leaves through its
// Runner, whoever else uses the engine: by the owner's pipelines, else by those
// lent. Open, Run and Close are for the component that owns it.
type Service struct {
	Runner   *Runner
	Settings *Settings
	Kind     component.Kind // of the owner
	ID       component.ID   // of the owner
	Logger   *zap.Logger
	Lost     func(kind string) // counts what is lost: "record"
	Health   shared.Status     // of the owner, from Open on

	Storage    storage.Client           // nil before Open
	Checkpoint *checkpoint.Checkpointer // nil if open sessions are not stored

	stop    context.CancelFunc // of what runs in the background
	running sync.WaitGroup     // what uses pipelines there
	saving  sync.WaitGroup     // what uses the storage there
	users   users
	agents  agentOptions
}

// Run starts what runs in the background. Others may use the engine from now on.
func (s *Service) Run() {
	running, stop := context.WithCancel(context.Background())
	s.stop = stop
	sweeper := s.sweeper()
	s.running.Go(func() { sweeper.run(running, s.Health.Part()) })
	if saved := s.Checkpoint; saved != nil {
		s.saving.Go(func() { saved.Run(running, s.Settings.StorageInterval, s.reportCheckpoint()) })
	}
	s.running.Go(func() { sweeper.measure(running) })
	s.users.admit()
}

// Close ends what Run started, if anything: nobody else may use the engine any
// more, what they have in flight is waited for, and what is open is stored, or
// without a storage ended, as far as the pipelines accept it before ctx is done.
// What does not end until then is left behind, and the error says so.
func (s *Service) Close(ctx context.Context) error {
	err := s.users.refuse(ctx)
	if s.stop == nil {
		return err
	}
	s.stop()
	s.stop = nil
	hung, unsaved := await(ctx, &s.running, "a pipeline"), await(ctx, &s.saving, "the storage")
	switch err = errors.Join(err, hung, unsaved); {
	case unsaved != nil:
	case hung == nil:
		err = errors.Join(err, s.saveOrEnd(ctx), s.Runner.Measure(ctx))
	case s.Checkpoint != nil: // which needs no pipeline
		err = errors.Join(err, s.Checkpoint.Close(ctx))
	}
	return err
}

// promptly is how long what was told to stop may take although the time is over: as
// a rule it ends at once, and only then can be stored what is open.
const promptly = time.Second

// await waits for all of the group until ctx is done.
func await(ctx context.Context, group *sync.WaitGroup, what string) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done:
		return nil
	case <-time.After(promptly):
		return fmt.Errorf("%s has not returned: %w", what, ctx.Err())
	}
}

// Drain ends what is open.
func (s *Service) Drain(ctx context.Context) error {
	_ = s.sweeper().drain(ctx) // what it comes to counts
	return s.left()
}

func (s *Service) sweeper() *sweeper {
	return &sweeper{runner: s.Runner, cfg: s.Settings, logger: s.Logger}
}

// left is an error if sessions are still open.
func (s *Service) left() error {
	if n := s.Runner.Engine.Sizes().Sessions; n > 0 {
		return fmt.Errorf("%d open sessions were lost: no pipeline accepted their end in time", n)
	}
	return nil
}

// patience is how long Return takes at most if its context gives no deadline, as the
// collector's does not.
const patience = 30 * time.Second

// Return takes back what is lent, and lets what can leave only by that leave before:
// the metrics, and what is open unless that is stored. What is on its way is waited
// for until ctx is done. After the owner's Close there is nothing of all this.
func (s *Service) Return(ctx context.Context, o *Outlets) (err error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	if s.Checkpoint == nil && onlyBy(s.Runner, o, tracesOf, s.Runner.Traces) {
		err = s.drainInUse(ctx)
	}
	if onlyBy(s.Runner, o, metricsOf, s.Runner.Metrics) {
		err = errors.Join(err, s.Runner.Measure(ctx))
	}
	if users := s.Runner.giveBack(o); users != nil {
		err = errors.Join(err, await(ctx, users, "a pipeline"))
	}
	return err
}

// drainInUse ends what is open while others may work on it: what they have in hand is
// free again in a moment.
func (s *Service) drainInUse(ctx context.Context) error {
	for range promptly / MinPause {
		refused := s.sweeper().drain(ctx)
		sizes := s.Runner.Engine.Sizes()
		if refused != nil || sizes.Working == 0 && sizes.Sessions == 0 || !retry.Sleep(ctx, MinPause) {
			break
		}
	}
	return s.left()
}

// Enter lets somebody other than the owner use the engine until Leave; it is false
// as long as the owner does not run.
func (s *Service) Enter() bool { return s.users.enter() }

// Leave ends what Enter began.
func (s *Service) Leave() { s.users.leave() }

// Over reports whether the owner runs no more: nobody will be let in again.
func (s *Service) Over() bool { return s.users.over() }

// users are those who use the engine beside its owner.
type users struct {
	mu     sync.Mutex
	n      int
	left   chan struct{} // closed when the last one leaves; nil if nobody waits for that
	opened bool
	closed bool // for good
}

func (u *users) admit() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.opened = true
}

func (u *users) over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.closed
}

// refuse lets nobody in any more, and waits until all have left, or ctx is done.
func (u *users) refuse(ctx context.Context) error {
	u.mu.Lock()
	u.opened, u.closed = false, true
	if u.n == 0 {
		u.mu.Unlock()
		return nil
	}
	if u.left == nil {
		u.left = make(chan struct{})
	}
	left := u.left
	u.mu.Unlock()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("telemetry of agents is still on its way: %w", ctx.Err())
	}
}

func (u *users) enter() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.opened {
		u.n++
	}
	return u.opened
}

func (u *users) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n--; u.n == 0 && u.left != nil {
		close(u.left)
		u.left = nil
	}
}
