package mcpreceiver

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/inspector"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/tracefiles"
)

// read starts what the receiver gets by itself: event streams and files.
func (r *mcpReceiver) read(ctx context.Context, host component.Host) error {
	reading, stop := context.WithCancel(context.Background())
	r.stopReading = stop
	r.runner.Deliveries, r.cutOff = context.WithCancel(context.Background())
	for i := range r.cfg.Inspector {
		if err := r.readStream(ctx, reading, host, &r.cfg.Inspector[i]); err != nil {
			return fmt.Errorf("inspector::%d: %w", i, err)
		}
	}
	if len(r.cfg.TraceFiles.Include) > 0 {
		r.readFiles(reading)
	}
	return r.subscribe(ctx, reading, host)
}

// client makes the client of a source. Its credentials stay with the origin that
// is configured.
func (r *mcpReceiver) client(ctx context.Context, host component.Host, cfg *confighttp.ClientConfig) (*http.Client, error) {
	client, err := cfg.ToClient(ctx, host.GetExtensions(), r.set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	client.CheckRedirect = httpclient.SameOrigin
	return client, nil
}

func (r *mcpReceiver) readStream(ctx, reading context.Context, host component.Host, cfg *InspectorConfig) error {
	client, err := r.client(ctx, host, &cfg.ClientConfig)
	if err != nil {
		return err
	}
	client.Timeout = 0 // the stream lasts
	c := inspector.New(inspector.Settings{
		Runner: r.runner, Logger: r.set.Logger, HTTP: client, Endpoint: cfg.Endpoint,
		FetchTraces: cfg.FetchTraces, Status: r.reporter(),
	})
	r.reading.Go(func() {
		c.Run(reading)
		client.CloseIdleConnections()
	})
	return nil
}

func (r *mcpReceiver) readFiles(reading context.Context) {
	if r.cfg.Storage == nil {
		r.set.Logger.Info("Trace files are read from the beginning at each start; set storage to resume where reading stopped")
	}
	files := tracefiles.New(tracefiles.Settings{
		Runner: r.runner, Logger: r.set.Logger, Include: r.cfg.TraceFiles.Include,
		Every: r.cfg.TraceFiles.PollInterval, Places: tracefiles.Stored{Client: r.sessions.Storage}, Status: r.reporter(),
	})
	r.reading.Go(func() { files.Run(reading) })
}

// reporter reports the status of a source that comes and goes.
func (r *mcpReceiver) reporter() func(error) {
	report := r.sessions.Health.Part()
	return func(err error) {
		if err != nil {
			r.set.Logger.Warn("Source unavailable; retrying", zap.Error(err))
		}
		report(err)
	}
}

// awaitSources waits until the sources, which read no more, have handed on what
// was in flight, or that was cut off.
func (r *mcpReceiver) awaitSources() {
	if r.stopReading == nil {
		return
	}
	r.reading.Wait()
	r.cutOff()
	r.stopReading, r.cutOff, r.events = nil, nil, nil
}
