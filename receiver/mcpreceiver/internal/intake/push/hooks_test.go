package push

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
)

// stuckSink takes nothing until nobody wants to know any more.
type stuckSink struct{}

func (stuckSink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (stuckSink) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestHooksAreAnsweredSoon(t *testing.T) {
	instruments() // outside of the bubble: they outlive it
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.runner.Traces = stuckSink{}
		began := time.Now()
		w := b.post(ClaudeCodePath, "application/json", []byte(`{"session_id":"s","hook_event_name":"Stop"}`))
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Equal(t, hooksWait, time.Since(began))
		require.Equal(t, emit.Sizes{}, b.runner.Engine.Sizes(), "what was refused leaves nothing")
	})
}

// TestManyOpenToolsAreNoHostage: a body of nothing but questions is accepted whole,
// within the time that hooks have.
func TestManyOpenToolsAreNoHostage(t *testing.T) {
	b := newBench()
	var body strings.Builder
	for i := range itemsMax - 1 {
		fmt.Fprintf(&body, `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"u%d","agent_id":"g"}`+"\n", i)
	}
	body.WriteString(`{"session_id":"s","hook_event_name":"SessionEnd"}`)
	w := b.post(ClaudeCodePath, ndjson, []byte(body.String()))
	require.Equal(t, http.StatusAccepted, w.Code, w.Body)
	require.Equal(t, emit.Sizes{}, b.runner.Engine.Sizes())
}
