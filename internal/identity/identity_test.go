package identity

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vector is one row of testdata/identity.json, which never changes.
type vector struct {
	Namespace string   `json:"namespace"`
	Session   string   `json:"session"`
	TraceID   string   `json:"trace_id"`
	Kind      string   `json:"kind"`
	Keys      []string `json:"keys"`
	SpanID    string   `json:"span_id"`
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/identity.json")
	require.NoError(t, err)
	var vectors struct{ Trace, Span []vector }
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.NotEmpty(t, vectors.Trace)
	require.NotEmpty(t, vectors.Span)
	for _, v := range vectors.Trace {
		assert.Equal(t, v.TraceID, Trace(v.Namespace, v.Session).String(), "%+v", v)
	}
	for _, v := range vectors.Span {
		trace := Trace(v.Namespace, v.Session)
		if v.TraceID != "" { // that of a trace context
			_, err := hex.Decode(trace[:], []byte(v.TraceID))
			require.NoError(t, err)
		}
		assert.Equal(t, v.SpanID, Span(trace, v.Kind, v.Keys...).String(), "%+v", v)
	}
}

func TestLongKeysAreWhole(t *testing.T) {
	long := strings.Repeat("x", 1000)
	assert.NotEqual(t, Span(TraceID{}, Notice, long+"a"), Span(TraceID{}, Notice, long+"b"))
	assert.NotEqual(t, Trace("", long+"a"), Trace("", long+"b"))
}

func TestZero(t *testing.T) {
	assert.True(t, TraceID{}.IsZero())
	assert.True(t, SpanID{}.IsZero())
	assert.False(t, Trace("", "").IsZero())
}

func TestNoAllocation(t *testing.T) {
	trace := Trace("", "s")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		Trace("namespace", "0b7c2d5e-1111-4222-8333-944455556666")
		Span(trace, Call, "0b7c2d5e-1111-4222-8333-944455556666", "client_to_server", "17", "")
	}))
	long := strings.Repeat("x", 10_000)
	assert.Zero(t, testing.AllocsPerRun(100, func() { Span(trace, Notice, "s", "m", "1", long) }))
}

func BenchmarkSpan(b *testing.B) {
	trace := Trace("", "s")
	b.ReportAllocs()
	for b.Loop() {
		Span(trace, Call, "0b7c2d5e-1111-4222-8333-944455556666", "client_to_server", "17", "")
	}
}
