package mcpreceiver

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
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// sessions ends what is due, reports metrics and stores what is open.
type sessions struct {
	Runner   *intake.Runner
	Settings *Settings
	ID       component.ID // of the receiver
	Logger   *zap.Logger
	Lost     func(kind string) // counts what is lost: "record"
	Health   shared.Status     // of the receiver, from open on

	Storage    storage.Client           // nil before Open
	Checkpoint *checkpoint.Checkpointer // nil if open sessions are not stored

	pulse   pulse
	stop    context.CancelFunc // of what runs in the background
	running sync.WaitGroup     // what uses pipelines there
	saving  sync.WaitGroup     // what uses the storage there
}

// run starts what runs in the background.
func (s *sessions) run() {
	running, stop := context.WithCancel(context.Background())
	s.stop = stop
	sweeper := s.sweeper()
	s.pulse.beat(time.Now())
	s.running.Go(func() { sweeper.run(running, s.Health.Part()) })
	if saved := s.Checkpoint; saved != nil {
		s.saving.Go(func() { saved.Run(running, s.Settings.StorageInterval, s.reportCheckpoint()) })
	}
	s.running.Go(func() { sweeper.measure(running) })
	s.running.Go(func() { sweeper.endGone(running) })
	s.running.Go(func() { sweeper.keepPulse(running) })
}

// close ends what run started, if anything: what is open is stored, or without a storage
// ended, as far as the pipelines accept it before ctx is done. What does not end until
// then is left behind, and the error says so. Nothing may use the engine any more.
func (s *sessions) close(ctx context.Context) error {
	if s.stop == nil {
		return nil
	}
	s.stop()
	s.stop = nil
	hung, unsaved := await(ctx, &s.running, "a pipeline"), await(ctx, &s.saving, "the storage")
	err := errors.Join(hung, unsaved)
	switch {
	case unsaved != nil:
	case hung == nil:
		err = errors.Join(err, s.saveOrEnd(ctx))
		s.sweeper().measureLast(ctx)
	case s.Checkpoint != nil: // which needs no pipeline
		err = errors.Join(err, s.Checkpoint.Close(ctx))
	}
	return err
}

// stopGrace is the time that a stop may take although its context is done: as
// a rule it ends at once, and only then can be stored what is open.
const stopGrace = time.Second

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
	case <-time.After(stopGrace):
		return fmt.Errorf("%s has not returned: %w", what, ctx.Err())
	}
}

// drain ends what is open.
func (s *sessions) drain(ctx context.Context) error {
	_ = s.sweeper().drain(ctx) // what it comes to counts
	return s.left()
}

func (s *sessions) sweeper() *sweeper {
	return &sweeper{runner: s.Runner, pulse: &s.pulse, cfg: s.Settings, logger: s.Logger}
}

// left is an error if sessions are still open.
func (s *sessions) left() error {
	if n := s.Runner.Engine.Sizes().Sessions; n > 0 {
		return fmt.Errorf("%d open sessions were lost: no pipeline accepted their end in time", n)
	}
	return nil
}
