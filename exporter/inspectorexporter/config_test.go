package inspectorexporter

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/metadatatest"
)

func TestConfig(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, cfg.Validate())
	assert.Equal(t, "localhost:7810", cfg.HTTP.NetAddr.Endpoint)
	conf := confmap.NewFromStringMap(map[string]any{
		"http": map[string]any{"endpoint": "localhost:1"}, "traces_dir": "~/x", "retention": "1h", "max_file_bytes": 2 << 20,
		"max_total_bytes": 4 << 20, "max_sessions": 7, "trace_url": "https://jaeger.example/trace/{trace_id}?uiFind={span_id}",
	})
	require.NoError(t, conf.Unmarshal(cfg))
	require.NoError(t, cfg.Validate())
	assert.Equal(t, time.Hour, cfg.Retention)
}

func TestConfigsThatAreRefused(t *testing.T) {
	for key, values := range map[string][]any{
		"retention":       {"0s", "168ns"},
		"max_file_bytes":  {0, -1, 1000},
		"max_total_bytes": {0, 1 << 20},
		"max_sessions":    {0, -1},
		"trace_url":       {"javascript:alert('{trace_id}')", "/trace/{trace_id}", "http://jaeger.example/", "http://", "data:text/html,{trace_id}", "://"},
	} {
		for _, value := range values {
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, confmap.NewFromStringMap(map[string]any{key: value}).Unmarshal(cfg), "%s: %v", key, value)
			assert.ErrorContains(t, cfg.Validate(), key, "%v", value)
		}
	}
}

func TestDirectory(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_STATE_HOME", "")
	for dir, want := range map[string]string{"": "/home/me/.local/state/otelcol-mcp/sessions", "~/x": "/home/me/x", "/y": "/y"} {
		got, err := (&Config{TracesDir: dir}).dir()
		require.NoError(t, err)
		assert.Equal(t, filepath.FromSlash(want), got)
	}
	t.Setenv("XDG_STATE_HOME", "/state")
	got, err := (&Config{}).dir()
	require.NoError(t, err)
	assert.Equal(t, filepath.FromSlash("/state/otelcol-mcp/sessions"), got)
}

// TestOneInstance: the traces and the logs of one configuration share a port and
// a state.
func TestOneInstance(t *testing.T) {
	factory := NewFactory()
	cfg := configFor(t.TempDir())
	set := exportertest.NewNopSettings(metadata.Type)
	traces, err := factory.CreateTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	logs, err := factory.CreateLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, traces.Start(context.Background(), componenttest.NewNopHost()))
	require.NoError(t, logs.Start(context.Background(), componenttest.NewNopHost()))
	require.NoError(t, traces.ConsumeTraces(t.Context(), spansOf(started("s-1"))))
	ld := plog.NewLogs()
	record("s-1", "call.start", call, 1, "mcp.rpc.method", "tools/call")(ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	require.NoError(t, logs.ConsumeLogs(t.Context(), ld))
	require.NoError(t, traces.Shutdown(context.Background()))
	require.NoError(t, logs.Shutdown(context.Background()))
	require.NoError(t, logs.Shutdown(context.Background()), "twice")
	require.Error(t, traces.ConsumeTraces(t.Context(), spansOf(started("s-1"))))
}

func TestStoppedUnstarted(t *testing.T) {
	i, err := newInspector(exportertest.NewNopSettings(metadata.Type), configFor(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, i.Shutdown(context.Background()))
	require.NoError(t, i.Shutdown(context.Background()))
}

func TestPortInUse(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	cfg := configFor(t.TempDir())
	cfg.HTTP.NetAddr.Endpoint = r.server.Addr().String()
	i, err := newInspector(exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	err = i.Start(context.Background(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "cannot listen on "+r.server.Addr().String())
	require.ErrorContains(t, err, "or change exporters::"+i.set.ID.String()+"::http::endpoint")
	require.NoError(t, i.Shutdown(context.Background()))
}

func TestOwnMetrics(t *testing.T) {
	tel := componenttest.NewTelemetry()
	i, err := newInspector(metadatatest.NewSettings(tel), configFor(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, i.Start(context.Background(), componenttest.NewNopHost()))
	r := &running{inspector: i, t: t, base: "http://" + i.server.Addr().String()}
	r.send(started("s-1"), span("", "GET /", 50, 49, 1, 2), started("s-2"))
	r.store.Flush()
	one := func(n int64, attributes ...attribute.KeyValue) []metricdata.DataPoint[int64] {
		return []metricdata.DataPoint[int64]{{Value: n, Attributes: attribute.NewSet(attributes...)}}
	}
	own := attribute.String("exporter", "mcp_inspector")
	ignore := metricdatatest.IgnoreTimestamp()
	metadatatest.AssertEqualMcpInspectorExporterSessions(t, tel, one(2, own), ignore)
	metadatatest.AssertEqualMcpInspectorExporterSkippedItems(t, tel, one(1), ignore)
	metadatatest.AssertEqualMcpInspectorExporterClients(t, tel, one(0, own), ignore)
	metadatatest.AssertEqualMcpInspectorExporterPendingBytes(t, tel, one(0, own), ignore)
	r.close()
	require.NoError(t, tel.Shutdown(context.Background()))
}

// TestTwoExporters: what one shows is not hidden by what the other shows.
func TestTwoExporters(t *testing.T) {
	tel := componenttest.NewTelemetry()
	var want []metricdata.DataPoint[int64]
	for n, name := range []string{"", "2"} {
		set := metadatatest.NewSettings(tel)
		set.ID = component.NewIDWithName(set.ID.Type(), name)
		i, err := newInspector(set, configFor(t.TempDir()))
		require.NoError(t, err)
		require.NoError(t, i.Start(context.Background(), componenttest.NewNopHost()))
		r := &running{inspector: i, t: t, base: "http://" + i.server.Addr().String()}
		t.Cleanup(r.close)
		if n == 0 {
			r.send(started("s-1"))
		}
		want = append(want, metricdata.DataPoint[int64]{
			Value: int64(1 - n), Attributes: attribute.NewSet(attribute.String("exporter", set.ID.String())),
		})
	}
	metadatatest.AssertEqualMcpInspectorExporterSessions(t, tel, want, metricdatatest.IgnoreTimestamp())
}
