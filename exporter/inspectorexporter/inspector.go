package inspectorexporter

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/stream"
	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/internal/httpserver"
)

// Bounds of what is not configured.
const (
	maxClients = 1000
	maxPending = 64 << 20
	tickEvery  = 5 * time.Second
	beatsEvery = time.Second
	maxBeats   = 200             // at once: readers keep the last 1,000 events
	grace      = 3 * time.Second // for answers that are being sent when the exporter stops
)

// shown is what clients can see, and what changes it.
type shown struct {
	board  *sessions.Board
	daily  *daily.Book
	events *stream.Stream
	store  *store.Store // nil before Start
}

// inspector wires sessions, files and the web UI together. It may be stopped
// without having been started, and twice.
type inspector struct {
	shown
	cfg       *Config
	set       exporter.Settings
	telemetry *metadata.TelemetryBuilder
	running   atomic.Bool
	order     sync.Mutex // held while one item is taken
	closed    bool
	host      component.Host
	server    *httpserver.Server
	stop      context.CancelFunc
	stopped   <-chan struct{}
	restored  *restoring
	working   sync.WaitGroup
}

func newInspector(set exporter.Settings, cfg *Config) (*inspector, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	board := sessions.New(cfg.MaxSessions, time.Now)
	return &inspector{
		cfg: cfg, set: set, telemetry: telemetry, shown: shown{
			board:  board,
			daily:  daily.New(time.Now),
			events: stream.New(maxClients, time.Now()),
		},
	}, nil
}

// Start implements component.Component.
func (i *inspector) Start(ctx context.Context, host component.Host) error {
	dir, err := i.cfg.dir()
	if err != nil {
		return err
	}
	i.host = host
	files, err := store.Open(store.Options{
		Dir: dir, MaxFileBytes: i.cfg.MaxFileBytes, MaxTotalBytes: i.cfg.MaxTotalBytes, Retention: i.cfg.Retention,
		MaxSessions: i.cfg.MaxSessions, MaxPending: maxPending, Meta: i.board.Meta, Failed: i.failed, Lost: i.lost,
		Damaged: i.damaged,
	})
	if err != nil {
		return err
	}
	i.store = files
	running, stop := context.WithCancel(context.Background())
	i.stop, i.stopped = stop, running.Done()
	i.restored = restore(running, &i.shown, i.set.Logger)
	if err := errors.Join(i.observe(), i.serve(ctx, host)); err != nil {
		return err
	}
	i.running.Store(true)
	i.working.Go(func() { i.store.Run(running, i.removed) })
	i.working.Go(func() { i.tick(running) })
	i.working.Go(func() { i.restored.rest(running) })
	return nil
}

func (i *inspector) serve(ctx context.Context, host component.Host) error {
	g := &gateway{
		shown: &i.shown, log: i.set.Logger, started: time.Now(), stopped: i.stopped, restored: &i.restored.ready,
		version: i.set.BuildInfo.Version, traceURL: i.cfg.TraceURL,
	}
	server, err := httpserver.Start(ctx, httpserver.Settings{
		Config: &i.cfg.HTTP, Key: "exporters::" + i.set.ID.String() + "::http::endpoint",
		Host: host, Telemetry: i.set.TelemetrySettings, Grace: grace,
		Handler: func(addr net.Addr) http.Handler {
			guarded := httpserver.NewGuard(addr, &i.cfg.HTTP)
			guarded.Refuse = func(w http.ResponseWriter, why string) { refuse(w, http.StatusForbidden, why) }
			return secure(guarded.Wrap(g.handler()))
		},
	})
	if err != nil {
		return err
	}
	i.server = server
	shared.Announcing(i.set.Logger).Info("The web UI is at " + httpserver.URL(&i.cfg.HTTP, server.Addr().String()) + "/_inspector/ui")
	return nil
}

// Shutdown implements component.Component.
func (i *inspector) Shutdown(ctx context.Context) error {
	i.running.Store(false)
	if i.stop != nil {
		i.stop() // also ends the event streams, for which the server would wait
		i.stop = nil
	}
	// Clients that read slowly, or not at all, must not keep the files from being
	// closed.
	err := i.server.Shutdown(ctx)
	if ctx.Err() != nil {
		err = nil // ctx is done, so that they were cut off
	}
	i.working.Wait()
	if i.store != nil && !i.closed {
		i.closed = true
		err = errors.Join(err, i.store.Close())
	}
	i.telemetry.Shutdown()
	return err
}

// failed reports that lines are not kept, or are again.
func (i *inspector) failed(err error) {
	if err == nil {
		componentstatus.ReportStatus(i.host, componentstatus.NewEvent(componentstatus.StatusOK))
		i.set.Logger.Info("Session files are written again")
		return
	}
	if !errors.Is(err, store.ErrLost) {
		i.telemetry.McpInspectorExporterWriteFailures.Add(context.Background(), 1)
	}
	i.set.Logger.Error("Cannot write session files; sessions are still shown", zap.Error(err))
	componentstatus.ReportStatus(i.host, componentstatus.NewRecoverableErrorEvent(err))
}

// damaged reports a file that cannot be read to its end.
func (i *inspector) damaged(file string, err error) {
	i.telemetry.McpInspectorExporterCorruptFiles.Add(context.Background(), 1)
	i.set.Logger.Error("A file in traces_dir is damaged; what can be read of it is shown, and new spans go into another file",
		zap.String("file", file), zap.Error(err))
}

func (i *inspector) lost(lines int) {
	i.telemetry.McpInspectorExporterLostLines.Add(context.Background(), int64(lines))
}

func (i *inspector) removed(id string) {
	i.board.Remove(id)
	i.daily.Remove(id)
	i.events.Rouse()
}

// tick looks for sessions that stalled, and sends heartbeats of those that did not.
func (i *inspector) tick(ctx context.Context) {
	tick, beat := time.NewTicker(tickEvery), time.NewTicker(beatsEvery)
	defer tick.Stop()
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			i.beat()
		case <-tick.C:
			i.board.Tick()
			i.events.Rouse()
		}
	}
}

// beat publishes in order with what changes sessions.
func (i *inspector) beat() {
	i.order.Lock()
	defer i.order.Unlock()
	events := i.board.Beat(maxBeats)
	for k := range events {
		i.publish(events[k])
	}
}

// observe registers what own metrics look at.
func (i *inspector) observe() error {
	own := metric.WithAttributes(attribute.String("exporter", i.set.ID.String())) // or the last of several counts alone
	look := func(value func() int) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(value()), own)
			return nil
		}
	}
	files := i.store
	return errors.Join(
		i.telemetry.RegisterMcpInspectorExporterClientsCallback(look(i.events.Readers)),
		i.telemetry.RegisterMcpInspectorExporterSessionsCallback(look(i.board.Len)),
		i.telemetry.RegisterMcpInspectorExporterPendingBytesCallback(look(func() int { _, n := files.Sizes(); return n })),
	)
}
