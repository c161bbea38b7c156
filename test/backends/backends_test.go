package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const here = `
receivers:
  mcp:
    http: {endpoint: "%s"}
    otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}
extensions:
  healthcheckv2: {http: {endpoint: "%s"}}
service:
  telemetry:
    metrics: {readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: %s}}}}]}
`

// elsewhere is a trace whose root is of a program that is not in the feed.
var elsewhere = pcommon.TraceID{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}

// shown are all spans as Jaeger shows them, by trace, with their services.
type shown map[pcommon.TraceID]map[pcommon.SpanID]span

type span struct {
	ptrace.Span
	service, scope string
}

func (s span) str(key string) string {
	if v, ok := s.Attributes().Get(key); ok {
		return v.AsString()
	}
	return ""
}

// TestJaeger sends the feed through embedded:jaeger, and ends all sessions.
func TestJaeger(t *testing.T) {
	j := harness.StartJaeger(t)
	mcp, otlp, health := harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	config := fmt.Sprintf(here, mcp, harness.FreeAddress(t), otlp, health, harness.PortOf(t, harness.FreeAddress(t)))
	c := harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{"JAEGER_ENDPOINT=" + j.OTLP},
		[]string{"--config", "embedded:jaeger", "--config", "yaml:" + config})
	c.Ready(t, func() bool { return harness.HTTPOK("http://" + health + "/status") })
	truths, err := feed(harness.Root, "http://"+mcp, "http://"+otlp)
	require.NoError(t, err)
	c.Terminate(t)

	all := shown{}
	for _, service := range j.Services(t) {
		found := j.Find(t, service, "")
		require.NotZero(t, found.SpanCount(), service)
		all.add(found)
	}
	all.requireWhole(t)
	all.requireConventions(t)
	all.requireUsage(t, truths)
	all.requireView(t)
	require.Contains(t, j.Dependencies(t), "shop-agent > prices")
	require.Empty(t, all[pcommon.TraceID{15: 7}], "a stitched trace is gone")
	require.NotZero(t, j.Find(t, "shop-agent", "tools/call price").SpanCount(), "search by tool")
}

func (all shown) add(found ptrace.Traces) {
	for _, rs := range found.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get("service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if all[s.TraceID()] == nil {
					all[s.TraceID()] = map[pcommon.SpanID]span{}
				}
				all[s.TraceID()][s.SpanID()] = span{s, service.Str(), ss.Scope().Name()}
			}
		}
	}
}

// requireWhole: each trace has one root and no orphans, links lead somewhere, and Jaeger warns
// of nothing that we made.
func (all shown) requireWhole(t *testing.T) {
	for id, trace := range all {
		if id == elsewhere {
			continue
		}
		var roots []string
		for _, s := range trace {
			if s.ParentSpanID().IsEmpty() {
				roots = append(roots, s.Name())
			} else {
				_, ok := trace[s.ParentSpanID()]
				assert.True(t, ok, "%s: %s is an orphan", s.service, s.Name())
			}
			if s.scope == mcpconv.ReceiverScope {
				assert.Empty(t, s.str(harness.JaegerWarnings), "%s: %s", s.service, s.Name())
			}
			for _, l := range s.Links().All() {
				_, ok := all[l.TraceID()][l.SpanID()]
				assert.True(t, ok, "%s: %s links to nothing", s.service, s.Name())
			}
		}
		// Codex and opencode have internal spans around everything.
		if !slices.ContainsFunc(roots, func(name string) bool { return name == "session_task.turn" || strings.HasPrefix(name, "ai.") }) {
			assert.Len(t, roots, 1, "roots of %s", id)
		}
	}
}

// requireConventions: what has a GenAI key is a GenAI operation.
func (all shown) requireConventions(t *testing.T) {
	for _, trace := range all {
		for _, s := range trace {
			if s.scope == mcpconv.ReceiverScope && s.str(mcpconv.GenAIConversation) != "" {
				assert.NotEmpty(t, s.str(mcpconv.GenAIOperation), s.Name())
			}
		}
	}
}

// requireUsage: what a backend adds up over a session is the truth.
func (all shown) requireUsage(t *testing.T, truths []Truth) {
	tokens, calls := map[string]int64{}, map[string]int{}
	for _, trace := range all {
		for _, s := range trace {
			session := s.str(mcpconv.SessionID)
			if s.str(mcpconv.MethodName) == mcpconv.MethodToolsCall && s.Kind() == ptrace.SpanKindClient {
				calls[session]++
			}
			if s.str(mcpconv.DialectRepeats) != "" || s.str(mcpconv.DuplicateOf) != "" {
				continue
			}
			if used, ok := s.Attributes().Get(mcpconv.GenAIUsageInput); ok {
				tokens[strings.TrimSuffix(s.service, "_exec")] += used.Int()
			}
		}
	}
	for _, truth := range truths {
		if truth.Session != "" {
			assert.Equal(t, truth.ToolCalls, calls[truth.Session], "tool calls of %s", truth.Session)
			continue
		}
		assert.Equal(t, truth.InputTokens, tokens[truth.Service], "input tokens of %s", truth.Service)
	}
}
