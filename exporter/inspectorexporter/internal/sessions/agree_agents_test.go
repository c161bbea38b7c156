package sessions

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
)

// sent is a log record or span, and when its agent has sent it.
type sent struct {
	at   time.Time
	give func() error
}

// TestErrorsAgreeWithTheConnector: what a row counts of an agent's spans alone is what the
// connector counts of all that the agent reports, its log records too.
func TestErrorsAgreeWithTheConnector(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join(testdata, "connector", "*", "input.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		name := filepath.Base(filepath.Dir(input))
		t.Run(name, func(t *testing.T) {
			var spans ptrace.Traces
			synctest.Test(t, func(t *testing.T) { spans = connected(t, input) })
			require.Positive(t, agree(t, name, flat(spans)))
			require.Positive(t, agree(t, name+", normalized", flat(normalize(t, spans))))
		})
	}
}

func flat(td ptrace.Traces) (all []reported) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, reported{rs.Resource(), span})
			}
		}
	}
	return all
}

// connected is what comes out of the connector.
func connected(t *testing.T, input string) ptrace.Traces {
	text, err := os.ReadFile(input)
	require.NoError(t, err)
	var steps []struct{ Replay []string }
	require.NoError(t, yaml.Unmarshal(text, &steps))
	factory, out := mcpconnector.NewFactory(), new(consumertest.TracesSink)
	cfg, set := factory.CreateDefaultConfig(), connectortest.NewNopSettings(factory.Type())
	logs, err := factory.CreateLogsToTraces(t.Context(), set, cfg, out)
	require.NoError(t, err)
	traces, err := factory.CreateTracesToTraces(t.Context(), set, cfg, out)
	require.NoError(t, err)
	var all []sent
	for _, step := range steps {
		for _, file := range step.Replay {
			all = append(all, items(t, filepath.Join(filepath.Dir(input), file), logs, traces)...)
		}
	}
	slices.SortStableFunc(all, func(a, b sent) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	time.Sleep(time.Until(all[0].at)) // virtual
	require.NoError(t, logs.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
	for _, s := range all {
		time.Sleep(time.Until(s.at))
		require.NoError(t, s.give())
	}
	time.Sleep(time.Hour)
	require.NoError(t, logs.Shutdown(t.Context()))
	require.NoError(t, traces.Shutdown(t.Context()))
	whole := ptrace.NewTraces()
	for _, td := range out.AllTraces() {
		td.ResourceSpans().MoveAndAppendTo(whole.ResourceSpans())
	}
	return whole
}

// items are those of a file.
func items(t *testing.T, file string, logs connector.Logs, traces connector.Traces) (all []sent) {
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	if strings.HasSuffix(file, ".logs.json") {
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
		require.NoError(t, err)
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					one := plog.NewLogs()
					resource := one.ResourceLogs().AppendEmpty()
					rl.Resource().CopyTo(resource.Resource())
					scope := resource.ScopeLogs().AppendEmpty()
					sl.Scope().CopyTo(scope.Scope())
					r.CopyTo(scope.LogRecords().AppendEmpty())
					at := cmp.Or(r.Timestamp(), r.ObservedTimestamp()).AsTime()
					if said := facts.Str(r.Attributes(), "event.timestamp"); at.Unix() == 0 && said != "" {
						at = timeOf(t, said).AsTime()
					}
					all = append(all, sent{at, func() error { return logs.ConsumeLogs(t.Context(), one) }})
				}
			}
		}
		return all
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
	require.NoError(t, err)
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				one := ptrace.NewTraces()
				resource := one.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(resource.Resource())
				scope := resource.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(scope.Scope())
				s.CopyTo(scope.Spans().AppendEmpty())
				all = append(all, sent{s.EndTimestamp().AsTime(), func() error { return traces.ConsumeTraces(t.Context(), one) }})
			}
		}
	}
	return all
}

// normalize is what the processor makes of spans.
func normalize(t *testing.T, td ptrace.Traces) ptrace.Traces {
	factory, sink := mcpprocessor.NewFactory(), new(consumertest.TracesSink)
	cfg := factory.CreateDefaultConfig().(*mcpprocessor.Config)
	cfg.Stitch.Enabled = false
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	return sink.AllTraces()[0]
}
