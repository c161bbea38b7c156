package telemetry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// BenchmarkCall measures a call whose labels are known.
func BenchmarkCall(b *testing.B) {
	m, s := NewMeter(&Options{}, 200, time.Unix(1, 0)), Samples{}
	e := &session.CallEnd{
		Session: &store.SessionRecord{Parties: store.Parties{Info: &store.PeerInfo{Protocol: "2025-06-18"}}}, Time: 9,
		Call: &store.CallRecord{
			Kind: event.ToolCall, Method: mcpconv.MethodToolsCall, Version: "2.0", Start: 5, Content: store.Content{Target: "echo"},
			Peers: store.Peers{Transport: "http", ServerURI: "https://example.com/mcp"},
		},
	}
	at := serverEndpoint{Address: "example.com", Port: 443}
	call := func() {
		s.Reset(wanted{All: true})
		s.Call(e, at)
		m.Add(&s)
	}
	call()
	require.Zero(b, testing.AllocsPerRun(100, call))
	for b.Loop() {
		call()
	}
}
