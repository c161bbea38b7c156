package mcpreceiver

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
)

// open opens the storage and brings back what was open when the collector stopped.
func (s *sessions) open(ctx context.Context, host component.Host) (err error) {
	s.Health.Host = host
	if s.Storage, err = s.storageClient(ctx, host); err != nil || s.Settings.Storage == nil {
		return err
	}
	saved := &checkpoint.Checkpointer{Engine: s.Runner.Engine, Client: s.Storage}
	restored, err := saved.Restore(ctx)
	if err != nil {
		// What is kept there may still be of use, so nothing is put in its place.
		err = fmt.Errorf("cannot read open sessions from %s; nothing is stored there until the collector restarts: %w", s.Settings.Storage, err)
		s.Logger.Warn("Cannot restore sessions; they will not survive a restart", zap.Error(err))
		s.Health.Broken(err)
		return nil
	}
	s.Checkpoint = saved
	if saved.StoppedAt != 0 {
		s.pulse.miss(saved.StoppedAt, s.Runner.Engine.Now())
	}
	if s.Settings.StorageSync {
		s.Runner.Engine.CopyAlways(true)
		s.Runner.Sync = saved.Sync
	}
	if restored.Sessions+restored.Calls > 0 {
		s.Logger.Info("Restored open sessions",
			zap.Int("sessions", restored.Sessions), zap.Int("calls", restored.Calls))
	}
	for range restored.Lost {
		s.Lost("record")
	}
	if restored.Lost > 0 {
		s.Logger.Warn("Some open sessions or calls were lost; their stored records are corrupt or orphaned",
			zap.Int("records", restored.Lost), zap.Error(restored.Err))
	}
	return nil
}

func (s *sessions) storageClient(ctx context.Context, host component.Host) (storage.Client, error) {
	if s.Settings.Storage == nil {
		return storage.NewNopClient(), nil
	}
	extension, ok := host.GetExtensions()[*s.Settings.Storage]
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is not in service::extensions: add it there", s.Settings.Storage)
	}
	stores, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is not a storage extension: use one such as file_storage", s.Settings.Storage)
	}
	return stores.GetClient(ctx, component.KindReceiver, s.ID, "")
}

// reportCheckpoint reports whether open sessions can be stored.
func (s *sessions) reportCheckpoint() func(error) {
	report := s.Health.Part()
	return func(err error) {
		if err != nil {
			err = fmt.Errorf("cannot store open sessions in %s, retrying: %w", s.Settings.Storage, err)
			s.Logger.Warn("Cannot store open sessions; a crash loses everything since the last successful write", zap.Error(err))
		}
		report(err)
	}
}

// saveOrEnd stores what is open, or ends it if it cannot be stored, so that it is
// exported at least.
func (s *sessions) saveOrEnd(ctx context.Context) error {
	if s.Checkpoint == nil {
		return s.drain(ctx)
	}
	unkept := s.Checkpoint.Close(ctx)
	if unkept == nil {
		return nil
	}
	s.Logger.Warn("Storage cannot be written; ending open sessions as incomplete", zap.Error(unkept))
	if lost := s.drain(ctx); lost != nil {
		if s.Checkpoint.Close(ctx) == nil {
			return nil // there was room for the rest
		}
		return errors.Join(unkept, lost)
	}
	if err := s.Checkpoint.Discard(ctx); err != nil {
		s.Logger.Warn("Cannot discard stored sessions; they will be restored at the next start and end again with the same span IDs", zap.Error(err))
	}
	return nil
}

// closeStorage gives the storage back.
func (s *sessions) closeStorage(ctx context.Context) error {
	if s.Storage == nil {
		return nil
	}
	err := s.Storage.Close(ctx)
	s.Storage = nil
	if err != nil {
		return errors.Join(errors.New("could not store open sessions, or how far trace files and events were read"), err)
	}
	return nil
}
