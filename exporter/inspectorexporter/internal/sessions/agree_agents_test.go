package sessions

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// sent is a log record or span, and when its agent has sent it.
type sent struct {
	at   time.Time
	give func() error
}

// TestErrorsAgreeWithAgents: what a row counts of an agent's spans alone is what the
// receiver counts of all that the agent reports, its log records too.
func TestErrorsAgreeWithAgents(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join(testdata, "otlp", "*", "input.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		name := filepath.Base(filepath.Dir(input))
		t.Run(name, func(t *testing.T) {
			var spans ptrace.Traces
			synctest.Test(t, func(t *testing.T) { spans = received(t, input) })
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

// received is what comes out of the receiver. Its OTLP servers are not for virtual time:
// the test stands in for them, before the consumer that is behind them.
func received(t *testing.T, input string) ptrace.Traces {
	text, err := os.ReadFile(input)
	require.NoError(t, err)
	var steps []struct{ Replay []string }
	require.NoError(t, yaml.Unmarshal(text, &steps))
	factory, out := mcpreceiver.NewFactory(), new(consumertest.TracesSink)
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	r, err := factory.CreateTraces(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, out)
	require.NoError(t, err)
	in := reflect.ValueOf(r).MethodByName("Unwrap").Call(nil)[0].MethodByName("OTLP").Call(nil)[0].Interface().(otlp)
	var all []sent
	for _, step := range steps {
		for _, file := range step.Replay {
			all = append(all, items(t, filepath.Join(filepath.Dir(input), file), in)...)
		}
	}
	slices.SortStableFunc(all, func(a, b sent) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	time.Sleep(time.Until(all[0].at)) // virtual
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	for _, s := range all {
		time.Sleep(time.Until(s.at))
		require.NoError(t, s.give())
	}
	time.Sleep(time.Hour)
	require.NoError(t, r.Shutdown(t.Context()))
	whole := ptrace.NewTraces()
	for _, td := range out.AllTraces() {
		td.ResourceSpans().MoveAndAppendTo(whole.ResourceSpans())
	}
	return whole
}

type otlp interface {
	consumer.Logs
	consumer.Traces
}

// items are those of a file.
func items(t *testing.T, file string, in otlp) (all []sent) {
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
					all = append(all, sent{at, func() error { return in.ConsumeLogs(t.Context(), one) }})
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
				all = append(all, sent{s.EndTimestamp().AsTime(), func() error { return in.ConsumeTraces(t.Context(), one) }})
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
