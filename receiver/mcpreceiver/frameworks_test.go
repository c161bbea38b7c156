package mcpreceiver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

const dialectFixtures = "../../processor/mcpprocessor/internal/normalize/testdata/"

// frameworks are recordings of programs, and their rows: tool calls, model calls, turns,
// agents, tokens in and out, cost, errors, refusals; state, model, title.
var frameworks = []struct {
	file string
	rows map[string]string
}{
	{dialectFixtures + "openinference/langchain-js.json", map[string]string{
		"conversation-1": "1 1 0 0 0 0 0 0 0, done, , ",
	}},
	{dialectFixtures + "openinference/langgraph-js.json", map[string]string{
		"conversation-1": "2 3 0 0 360 54 0 1 0, done, gpt-4o, ",
	}},
	{dialectFixtures + "openinference/openai-agents-js.json", map[string]string{
		"trace:2ac7a0b8f7dbb803fec9c1aad7b954f3": "2 3 1 1 360 54 0 1 0, done, gpt-4o, weather-workflow",
	}},
	{dialectFixtures + "openllmetry/mcp-js.json", map[string]string{
		"trace:2ac7a0b8f7dbb803fec9c1aad7b954f3": "2 0 0 0 0 0 0 1 0, done, , mcp.client.session",
	}},
	{dialectFixtures + "vercel/ai-5.json", map[string]string{
		"conversation-1": "1 2 1 0 240 36 0 0 0, done, gpt-4o, ",
	}},
	{dialectFixtures + "vercel_otel/ai-7.json", map[string]string{
		"trace:2ac7a0b8f7dbb803fec9c1aad7b954f3": "1 2 1 0 240 36 0 0 0, done, gpt-4o, invoke_agent gpt-4o",
	}},
	{dialectFixtures + "adk/adk-js.json", map[string]string{
		"conversation-1": "1 2 0 1 240 36 0 0 0, done, gemini-2.5-flash, ",
	}},
	{dialectFixtures + "langfuse/sdk-js.json", map[string]string{
		"conversation-1": "2 1 1 0 120 18 0.0021 1 0, done, gpt-4o, ",
	}},
	{dialectFixtures + "mastra/otel-exporter-js.json", map[string]string{
		"conversation-1": "2 3 1 0 360 54 0 1 0, done, gpt-4o, ",
	}},
	{dialectFixtures + "genkit/genkit-go.json", map[string]string{
		"trace:00000000000000000000000000000001": "1 2 1 0 240 36 0 0 0, done, gpt-4o, weather-agent",
		"trace:00000000000000000000000000000008": "2 2 1 0 240 36 0 2 0, done, gpt-4o, weather-agent",
	}},
	{dialectFixtures + "mcp_go/mcp-go.json", map[string]string{
		"trace:00000000000000000000000000000001": "0 0 0 0 0 0 0 0 0, done, , mcp.server/discover",
		"trace:00000000000000000000000000000004": "0 0 0 0 0 0 0 0 0, done, , mcp.tools/list",
		"trace:00000000000000000000000000000007": "1 0 0 0 0 0 0 0 0, done, , mcp.tools/call",
		"trace:0000000000000000000000000000000b": "1 0 0 0 0 0 0 0 0, done, , mcp.tools/call",
		"trace:0000000000000000000000000000000f": "1 0 0 0 0 0 0 1 0, done, , mcp.tools/call",
	}},
	{dialectFixtures + "inspector/mcp-agent.json", map[string]string{
		"trace:6512e41a04b93caed27aab2721422e75": "1 1 1 0 0 0 0 1 0, done, gpt-4o, research_app",
	}},
	{"../../testdata/otlp/gen-ai-trace/trace.traces.json", map[string]string{
		"trace:5b8efff798038103d269b633813fc60c": "2 2 1 1 250 50 0 1 0, done, gpt-5, invoke_agent shop",
	}},
}

// A row of a framework's session does not depend on the order and the batches of its spans.
func TestFrameworks(t *testing.T) {
	for _, c := range frameworks {
		t.Run(c.file, func(t *testing.T) {
			body, err := os.ReadFile(c.file)
			require.NoError(t, err)
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
			require.NoError(t, err)
			first := frameworkRows(t, td, nil)
			short := map[string]string{}
			for id, row := range first {
				short[id] = row[0]
			}
			for seed := range uint64(12) {
				got := frameworkRows(t, td, rand.New(rand.NewPCG(seed, 1)))
				require.Equal(t, first, got, "seed %d", seed)
			}
			require.Equal(t, c.rows, short)
		})
	}
}

// frameworkRows returns the rows of the spans in an order and in batches of chance, or as
// they are: the figures of each, and all of it.
func frameworkRows(t *testing.T, td ptrace.Traces, chance *rand.Rand) map[string][2]string {
	found := map[string][2]string{}
	synctest.Test(t, func(t *testing.T) {
		s := newSetupOf(t, settings(), nil, newDecoder)
		var batches []ptrace.Traces
		latest := int64(0)
		everySpan(td, func(from *otlp.Origin, one ptrace.Span) bool {
			if len(batches) == 0 || chance != nil && chance.IntN(2) == 0 {
				batches = append(batches, ptrace.NewTraces())
			}
			at := 0
			if chance != nil {
				at = chance.IntN(len(batches))
			}
			add(batches[at], from, one)
			latest = max(latest, otlp.Nanos(one.EndTimestamp()))
			return true
		})
		if chance != nil {
			chance.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
		}
		time.Sleep(time.Until(time.Unix(0, latest)))
		s.start(t)
		for _, b := range batches {
			require.NoError(t, s.traces.ConsumeTraces(t.Context(), b))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		s.stop(t)
		all := rowsOf(s)
		for _, out := range s.out.AllTraces() {
			requireRows(t, all, out)
		}
		for id, row := range all {
			if _, part := row.Get(mcpconv.SessionPartOf); part {
				continue
			}
			for _, key := range []string{mcpconv.StateSequence, mcpconv.StateWriter} {
				row.Remove(key)
			}
			m := row.AsRaw()
			var lines []string
			for _, key := range slices.Sorted(maps.Keys(m)) {
				lines = append(lines, fmt.Sprintf("%s=%v", key, m[key]))
			}
			figures := strings.Join(ofRow(row), " ") + ", " + strings.Join([]string{
				text(row, mcpconv.StateName), text(row, mcpconv.LLMModel), text(row, mcpconv.SessionTitle),
			}, ", ")
			found[id] = [2]string{figures, strings.Join(lines, "\n")}
		}
	})
	return found
}

// add copies the span to a request.
func add(to ptrace.Traces, from *otlp.Origin, one ptrace.Span) {
	rs := to.ResourceSpans().AppendEmpty()
	from.Resource.CopyTo(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(from.Scope)
	one.CopyTo(ss.Spans().AppendEmpty())
}
