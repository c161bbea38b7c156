package mcpserver

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// What a session costs here and in the engine together, with one heartbeat in
// it, is held to 1.5 KiB.
func TestMemoryOfManyHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 100,000 sessions")
	}
	b := newBigBench(t)
	warm := b.open(t)
	require.Equal(t, http.StatusNoContent, b.do(http.MethodDelete, "", sessionHeader, warm).Code)
	before, residentBefore := heap(), resident()
	oldest := ""
	start := time.Now()
	for i := range manySessions {
		id := b.openQuickly(t)
		if i == 0 {
			oldest = id
		}
		if i%5000 == 0 {
			runtime.GC() // so many come in hours, not in a second, and Go collects every two minutes
		}
		if w := b.post(heartbeatNote, sessionHeader, id); w.Code != http.StatusAccepted {
			require.FailNow(t, w.Body.String())
		}
	}
	each := float64(heap()-before) / manySessions
	took := time.Since(start) / manySessions
	fmt.Printf("%d sessions with a heartbeat: %.0f bytes each, %.0f resident; %v to open and use each\n",
		manySessions, each, float64(resident()-residentBefore)/manySessions, took)
	assert.Less(t, each, 1536.0)
	b.open(t)
	assert.Equal(t, http.StatusNotFound, b.post(heartbeatNote, sessionHeader, oldest).Code, "the longest idle is out")
}

// resident is the memory of this process after what is free was given back, 0
// where the system does not tell it in Linux's way.
func resident() (bytes int64) {
	debug.FreeOSMemory()
	var size, pages int64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// openQuickly opens a session without asking the SDK, which keeps nothing of it.
func (b *bench) openQuickly(tb testing.TB) string {
	message, failed := parse([]byte(initialize))
	require.Nil(tb, failed)
	a := &said{Request: intake.Request{MCPSession: b.sessions.mint(time.Now().UnixNano())}}
	require.NoError(tb, b.consume(tb.Context(), a, message))
	return a.MCPSession
}

func BenchmarkNotification(b *testing.B) {
	for _, n := range []int{1, manySessions} {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			bench := newBigBench(b)
			ids := make([]string, n)
			for i := range ids {
				ids[i] = bench.openQuickly(b)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if bench.post(heartbeatNote, sessionHeader, ids[i*7919%n]).Code != http.StatusAccepted {
					b.Fatal("refused")
				}
			}
		})
	}
}
