package mcpreceiver

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/checkpoint"
)

// open opens the storage and brings back what was open when the collector stopped.
func (r *mcpReceiver) open(ctx context.Context, host component.Host) (err error) {
	if r.storage, err = r.storageClient(ctx, host); err != nil || r.cfg.Storage == nil {
		return err
	}
	saved := &checkpoint.Checkpointer{Engine: r.runner.Engine, Client: r.storage}
	restored, err := saved.Restore(ctx)
	if err != nil {
		// What is kept there may still be of use, so nothing is put in its place.
		err = fmt.Errorf("cannot read open sessions from %s; nothing is stored there until the collector restarts: %w", r.cfg.Storage, err)
		r.set.Logger.Warn("Cannot restore sessions; they will not survive a restart", zap.Error(err))
		componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(err))
		return nil
	}
	r.checkpoint = saved
	if r.cfg.StorageSync {
		r.runner.Engine.CopyAlways(true)
		r.runner.Sync = saved.Sync
	}
	if restored.Sessions+restored.Calls > 0 {
		r.set.Logger.Info("Restored open sessions",
			zap.Int("sessions", restored.Sessions), zap.Int("calls", restored.Calls))
	}
	for range restored.Lost {
		r.lost("record")
	}
	if restored.Lost > 0 {
		r.set.Logger.Warn("Some open sessions or calls were lost; their stored records are corrupt or orphaned",
			zap.Int("records", restored.Lost), zap.Error(restored.Err))
	}
	return nil
}

func (r *mcpReceiver) storageClient(ctx context.Context, host component.Host) (storage.Client, error) {
	if r.cfg.Storage == nil {
		return storage.NewNopClient(), nil
	}
	extension, ok := host.GetExtensions()[*r.cfg.Storage]
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is not in service::extensions: add it there", r.cfg.Storage)
	}
	stores, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is not a storage extension: use one such as checked_file_storage", r.cfg.Storage)
	}
	return stores.GetClient(ctx, component.KindReceiver, r.set.ID, "")
}

// reportCheckpoint reports whether open sessions can be stored.
func (r *mcpReceiver) reportCheckpoint(host component.Host) func(error) {
	return func(err error) {
		if err == nil {
			componentstatus.ReportStatus(host, componentstatus.NewEvent(componentstatus.StatusOK))
			return
		}
		err = fmt.Errorf("cannot store open sessions in %s, retrying: %w", r.cfg.Storage, err)
		r.set.Logger.Warn("Cannot store open sessions; a crash loses everything since the last successful write", zap.Error(err))
		componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(err))
	}
}

// saveOrEnd stores what is open, or ends it if it cannot be stored, so that it is
// exported at least.
func (r *mcpReceiver) saveOrEnd(ctx context.Context) error {
	if r.checkpoint == nil {
		return r.sweeper.drain(ctx)
	}
	unkept := r.checkpoint.Close(ctx)
	if unkept == nil {
		return nil
	}
	r.set.Logger.Warn("Storage cannot be written; ending open sessions as incomplete", zap.Error(unkept))
	if lost := r.sweeper.drain(ctx); lost != nil {
		if r.checkpoint.Close(ctx) == nil {
			return nil // there was room for the rest
		}
		return errors.Join(unkept, lost)
	}
	if err := r.checkpoint.Discard(ctx); err != nil {
		r.set.Logger.Warn("Cannot discard stored sessions; they will be restored at the next start and end again with the same span IDs", zap.Error(err))
	}
	return nil
}

// closeStorage gives the storage back.
func (r *mcpReceiver) closeStorage(ctx context.Context) error {
	if r.storage == nil {
		return nil
	}
	err := r.storage.Close(ctx)
	r.storage = nil
	if err != nil {
		return errors.Join(errors.New("could not store open sessions, or how far trace files and events were read"), err)
	}
	return nil
}
