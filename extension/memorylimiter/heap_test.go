package memorylimiter

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/memorylimiterextension"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestWhatFillsTheHeapBetweenLooks is refused at once, not when the limiter looks again.
func TestWhatFillsTheHeapBetweenLooks(t *testing.T) {
	g := started(t)
	live := uint64(99)
	g.heap = heap{soft: 100, live: func() uint64 { return live }}
	wrap, err := g.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	handler, err := wrap(t.Context(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	require.NoError(t, err)
	send := func() int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/observations", strings.NewReader("{}")))
		return w.Code
	}
	conn, _ := serving(t, g)
	export := func() codes.Code {
		_, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), logsOf(1, 1))
		return status.Code(err)
	}
	assert.Equal(t, http.StatusOK, send())
	live = 100
	assert.Equal(t, http.StatusTooManyRequests, send())
	assert.Equal(t, codes.Unavailable, export())
	live = 99
	assert.Equal(t, http.StatusOK, send())
}

func TestSoftLimit(t *testing.T) {
	for _, tt := range []struct {
		cfg         memorylimiterextension.Config
		limit, soft uint64
	}{
		{memorylimiterextension.Config{MemoryLimitMiB: 1000}, 1000 << 20, 800 << 20},
		{memorylimiterextension.Config{MemoryLimitMiB: 1000, MemorySpikeLimitMiB: 100, MemorySpikePercentage: 50}, 1000 << 20, 900 << 20},
		{memorylimiterextension.Config{MemoryLimitPercentage: 50}, 1000, 800},
		{memorylimiterextension.Config{MemoryLimitPercentage: 50, MemorySpikePercentage: 10}, 1000, 800},
		{memorylimiterextension.Config{MemoryLimitPercentage: 50, MemorySpikePercentage: 25}, 1000, 500},
		{memorylimiterextension.Config{MemoryLimitMiB: 1, MemorySpikeLimitMiB: 2}, 1 << 20, 0},
	} {
		assert.Equal(t, tt.soft, softLimit(&tt.cfg, tt.limit), "%+v", tt.cfg)
	}
}

func TestLiveHeap(t *testing.T) {
	much := make([]byte, 64<<20)
	runtime.GC()
	assert.Greater(t, liveHeap(), uint64(len(much)))
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	assert.LessOrEqual(t, liveHeap(), stats.HeapAlloc+1<<20, "what the limiter counts")
	runtime.KeepAlive(much)
}

// BenchmarkLiveHeap is what each request pays.
func BenchmarkLiveHeap(b *testing.B) {
	for b.Loop() {
		_ = liveHeap()
	}
}
