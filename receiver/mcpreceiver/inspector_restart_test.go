package mcpreceiver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A session of an Inspector that was open before a restart ends once, with what
// the list of sessions or the stream says, however many levels it has.
func TestSessionsOfAnInspectorEndAfterARestart(t *testing.T) {
	f := newFakeInspector(t)
	host := &full{memory: memory{kept: map[string][]byte{}}, room: 1000}
	sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	start := func() *mcpReceiver {
		cfg := watching(f, false)
		id := component.MustNewID("file_storage")
		cfg.Storage = &id
		r := assemble(t, cfg, sink)
		require.NoError(t, r.Start(t.Context(), host))
		t.Cleanup(func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) })
		return r
	}
	r := start()
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionStarted", "session_id": "ended", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:00"}`)
	frames <- frame(2, `{"type": "SessionStarted", "session_id": "nested", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:01"}`)
	frames <- frame(3, `{"type": "SessionStarted", "session_id": "nested", "engine": "asyncio", "title": "y", "start_time": "2025-08-02T09:31:02"}`)
	frames <- frame(4, `{"type": "SessionStarted", "session_id": "running", "engine": "asyncio", "title": "x", "start_time": "2025-08-02T09:31:03"}`)
	eventually(t, "the sessions start", func() bool { return sink.count("session.start") == 3 })
	require.NoError(t, r.Shutdown(t.Context()))

	f.say(`{"sessions":[{"id":"ended","status":"completed","ended_at":"2025-08-02T09:40:00Z"},
		{"id":"nested","status":"failed","ended_at":"2025-08-02T09:41:00Z"},
		{"id":"unknown","status":"completed","ended_at":"2025-08-02T09:41:00Z"},
		{"id":"running","status":"running","engine":"asyncio","title":"x","started_at":"2025-08-02T09:31:03Z"}]}`, nil)
	start()
	frames = <-f.connections
	eventually(t, "two of them have ended meanwhile", func() bool { return sink.count("workflow.run") == 2 })
	frames <- frame(5, `{"type": "SessionFinished", "session_id": "running", "status": "completed", "end_time": "2025-08-02T09:42:00"}`)
	eventually(t, "the third ends with its event", func() bool { return sink.count("workflow.run") == 3 })
	assert.Equal(t, 3, sink.count("session.start"))
}
