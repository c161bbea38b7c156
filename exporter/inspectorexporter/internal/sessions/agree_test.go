package sessions

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// sent is a log record or span, and when its agent has sent it.
type sent struct {
	at   time.Time
	give func() error
}

const testdata = "../../../../testdata"

// TestRowsAgreeWithSummaries: whatever order the spans and the state records of real agents'
// sessions come in, the row has the figures of the summary, which it is not given.
func TestRowsAgreeWithSummaries(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join(testdata, "otlp", "*", "input.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	compared := 0
	for _, input := range inputs {
		name := filepath.Base(filepath.Dir(input))
		t.Run(name, func(t *testing.T) {
			var spans ptrace.Traces
			var states []item
			synctest.Test(t, func(t *testing.T) { spans, states = received(t, input) })
			compared += agree(t, name, spans, states)
			compared += agree(t, name+", normalized", normalize(t, spans), states)
		})
	}
	require.Greater(t, compared, len(inputs))
}

// received is what comes out of the receiver. Its OTLP servers are not for virtual time:
// the test stands in for them, before the consumer that is behind them.
func received(t *testing.T, input string) (whole ptrace.Traces, states []item) {
	text, err := os.ReadFile(input)
	require.NoError(t, err)
	var steps []struct{ Replay []string }
	require.NoError(t, yaml.Unmarshal(text, &steps))
	factory, out, records := mcpreceiver.NewFactory(), new(consumertest.TracesSink), new(consumertest.LogsSink)
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"http": map[string]any{"enabled": false}}).Unmarshal(cfg))
	set := receivertest.NewNopSettings(factory.Type())
	r, err := factory.CreateTraces(t.Context(), set, cfg, out)
	require.NoError(t, err)
	twin, err := factory.CreateLogs(t.Context(), set, cfg, records)
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
	require.NoError(t, twin.Start(t.Context(), componenttest.NewNopHost()))
	for _, s := range all {
		time.Sleep(time.Until(s.at))
		require.NoError(t, s.give())
	}
	time.Sleep(time.Hour)
	require.NoError(t, twin.Shutdown(t.Context()))
	require.NoError(t, r.Shutdown(t.Context()))
	whole = ptrace.NewTraces()
	for _, td := range out.AllTraces() {
		td.ResourceSpans().MoveAndAppendTo(whole.ResourceSpans())
	}
	for _, ld := range records.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					if lr.EventName() == mcpconv.LogSessionState {
						states = append(states, func(b *Board) Update { return b.Log(rl.Resource(), lr, sl.Scope().Name()) })
					}
				}
			}
		}
	}
	require.NotEmpty(t, states)
	return whole, states
}

// agree compares rows with summaries, in several orders. It returns how many rows it compared.
func agree(t *testing.T, name string, td ptrace.Traces, states []item) (compared int) {
	want := map[string]Totals{}
	all := slices.Clone(states)
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.Name() == mcpconv.SpanSummary {
					id, _ := attribute.ID(attribute.OwnID(rs.Resource().Attributes(), span.Attributes()))
					want[id] = sum(want[id], totalsOf(span.Attributes()))
					continue
				}
				all = append(all, func(b *Board) Update { return b.Span(rs.Resource(), span, ss.Scope().Name()) })
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for order := range 4 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b, _ := board(100)
		for _, one := range all {
			one(b)
		}
		for id, totals := range want {
			if b.byID[id] == nil {
				continue // part of another one
			}
			compared++
			assert.Equal(t, totals, row(t, b, id).Totals, "%s: session %s, order %d", name, id, order)
		}
	}
	return compared
}

// sum adds the totals of another epoch.
func sum(a, b Totals) Totals {
	a.ToolCalls, a.LLMCalls, a.Agents = a.ToolCalls+b.ToolCalls, a.LLMCalls+b.LLMCalls, a.Agents+b.Agents
	a.Turns, a.Refusals, a.Errors = a.Turns+b.Turns, a.Refusals+b.Refusals, a.Errors+b.Errors
	if b.Usage == nil {
		return a
	}
	u := *b.Usage
	if v := a.Usage; v != nil {
		u.Input, u.Output, u.CacheRead = u.Input+v.Input, u.Output+v.Output, u.CacheRead+v.CacheRead
		u.CacheWrite, u.Reasoning, u.CostUSD = u.CacheWrite+v.CacheWrite, u.Reasoning+v.Reasoning, u.CostUSD+v.CostUSD
	}
	a.Usage = &u
	return a
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
					if said := attribute.Str(r.Attributes(), "event.timestamp"); at.Unix() == 0 && said != "" {
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

func timeOf(t *testing.T, text string) pcommon.Timestamp {
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return pcommon.NewTimestampFromTime(at)
}
