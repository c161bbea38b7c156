package mcpreceiver

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/inspector"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/tracefiles"
)

// read starts what the receiver gets by itself: event streams and files.
func (r *mcpReceiver) read(ctx context.Context, host component.Host) error {
	reading, stop := context.WithCancel(context.Background())
	r.stopReading = stop
	var err error
	if r.storage, err = r.storageClient(ctx, host); err != nil {
		return err
	}
	for i := range r.cfg.Inspector {
		if err := r.readStream(ctx, reading, host, &r.cfg.Inspector[i]); err != nil {
			return fmt.Errorf("inspector::%d: %w", i, err)
		}
	}
	if len(r.cfg.TraceFiles.Include) > 0 {
		r.readFiles(reading, host)
	}
	return r.subscribe(ctx, reading, host)
}

func (r *mcpReceiver) readStream(ctx, reading context.Context, host component.Host, cfg *InspectorConfig) error {
	client, err := cfg.ToClient(ctx, host.GetExtensions(), r.set.TelemetrySettings)
	if err != nil {
		return err
	}
	client.Timeout = 0 // the stream lasts
	c := inspector.New(inspector.Settings{
		Runner: r.runner, Logger: r.set.Logger, HTTP: client, Endpoint: cfg.Endpoint,
		FetchTraces: cfg.FetchTraces, Status: r.reporter(host),
	})
	r.reading.Go(func() {
		c.Run(reading)
		client.CloseIdleConnections()
	})
	return nil
}

func (r *mcpReceiver) readFiles(reading context.Context, host component.Host) {
	if r.cfg.Storage == nil {
		r.set.Logger.Info("Trace files are read from their start each time the collector starts; set storage to go on where it stopped")
	}
	files := tracefiles.New(tracefiles.Settings{
		Runner: r.runner, Logger: r.set.Logger, Include: r.cfg.TraceFiles.Include,
		Every: r.cfg.TraceFiles.PollInterval, Places: tracefiles.Stored{Client: r.storage}, Status: r.reporter(host),
	})
	r.reading.Go(func() { files.Run(reading) })
}

func (r *mcpReceiver) storageClient(ctx context.Context, host component.Host) (storage.Client, error) {
	if r.cfg.Storage == nil {
		return storage.NewNopClient(), nil
	}
	extension, ok := host.GetExtensions()[*r.cfg.Storage]
	if !ok {
		return nil, fmt.Errorf("storage: there is no extension %q among service::extensions", r.cfg.Storage)
	}
	keeper, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: the extension %q keeps nothing, choose one such as file_storage", r.cfg.Storage)
	}
	return keeper.GetClient(ctx, component.KindReceiver, r.set.ID, "")
}

// reporter tells the status of something that comes and goes.
func (r *mcpReceiver) reporter(host component.Host) func(error) {
	return func(err error) {
		if err == nil {
			componentstatus.ReportStatus(host, componentstatus.NewEvent(componentstatus.StatusOK))
			return
		}
		r.set.Logger.Warn("A source cannot be read now; it is tried again", zap.Error(err))
		componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(err))
	}
}

// stopSources ends reading, and gives the storage back.
func (r *mcpReceiver) stopSources(ctx context.Context) error {
	if r.stopReading == nil {
		return nil
	}
	r.stopReading()
	r.reading.Wait()
	r.stopReading, r.events = nil, nil
	if r.storage == nil {
		return nil
	}
	err := r.storage.Close(ctx)
	r.storage = nil
	if err != nil {
		return errors.Join(errors.New("how far trace files and events were read could not be kept"), err)
	}
	return nil
}
