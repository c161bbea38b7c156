package pipeline

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
)

// Service keeps the sessions of one component: it ends what is due, reports
// metrics and stores what is open. What no message causes leaves through its
// Runner, whoever else uses the engine: by the owner's pipelines, else by those lent. Open, Run and Close are for the component
// that owns it.
type Service struct {
	Runner   *Runner
	Settings *Settings
	Kind     component.Kind // of the owner
	ID       component.ID   // of the owner
	Logger   *zap.Logger
	Lost     func(kind string) // counts what is lost: "record"

	Storage    storage.Client           // nil before Open
	Checkpoint *checkpoint.Checkpointer // nil if open sessions are not stored

	stop    context.CancelFunc // of what runs in the background
	running sync.WaitGroup
	users   users
	agents  agentOptions
}

// Run starts what runs in the background. Others may use the engine from now on.
func (s *Service) Run(host component.Host) {
	running, stop := context.WithCancel(context.Background())
	s.stop = stop
	sweeper := &sweeper{runner: s.Runner, cfg: s.Settings, logger: s.Logger}
	s.running.Go(func() { sweeper.run(running, host) })
	if saved := s.Checkpoint; saved != nil {
		s.running.Go(func() { saved.Run(running, s.Settings.StorageInterval, s.reportCheckpoint(host)) })
	}
	s.running.Go(func() { sweeper.measure(running) })
	s.users.admit()
}

// Close ends what Run started, if anything: nobody else may use the engine any
// more, what they have in flight is waited for, and what is open is stored, or
// without a storage ended, as far as the pipelines accept it before ctx is done.
func (s *Service) Close(ctx context.Context) error {
	s.users.refuse()
	if s.stop == nil {
		return nil
	}
	s.stop()
	s.running.Wait()
	s.stop = nil
	return errors.Join(s.saveOrEnd(ctx), s.Runner.Measure(ctx))
}

// Drain ends what is open.
func (s *Service) Drain(ctx context.Context) error {
	return (&sweeper{runner: s.Runner, cfg: s.Settings, logger: s.Logger}).drain(ctx)
}

// Return lets what can leave only by what is lent leave before that is taken back:
// the metrics, and what is open unless that is stored. After the owner's Close there
// is nothing of both.
func (s *Service) Return(ctx context.Context, o *Outlets) (err error) {
	if s.Runner.Traces == nil && o.Traces != nil && s.Checkpoint == nil {
		err = s.Drain(ctx)
	}
	if s.Runner.Metrics == nil && o.Metrics != nil {
		err = errors.Join(err, s.Runner.Measure(ctx))
	}
	return err
}

// Enter lets somebody other than the owner use the engine until Leave; it is false
// as long as the owner does not run.
func (s *Service) Enter() bool { return s.users.enter() }

// Leave ends what Enter began.
func (s *Service) Leave() { s.users.leave() }

// users are those who use the engine beside its owner.
type users struct {
	mu     sync.Mutex
	idle   sync.Cond // on mu; its L is set when somebody waits
	n      int
	opened bool
}

func (u *users) admit() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.opened = true
}

// refuse lets nobody in any more, and waits until all have left.
func (u *users) refuse() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.opened, u.idle.L = false, &u.mu
	for u.n > 0 {
		u.idle.Wait()
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
	if u.n--; u.n == 0 {
		u.idle.Broadcast()
	}
}
