package mcpreceiver

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-mcp/otelcol-mcp/bench/cputime"
	"github.com/otelcol-mcp/otelcol-mcp/bench/payload"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

type extensionHost map[component.ID]component.Component

func (h extensionHost) GetExtensions() map[component.ID]component.Component { return h }

func storingReceiver(b *testing.B, sync bool) *mcpReceiver {
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory, cfg.FSync = b.TempDir(), true
	files, err := factory.Create(b.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(b, err)
	id := component.MustNewID("file_storage")
	require.NoError(b, files.Start(b.Context(), componenttest.NewNopHost()))
	own := synced()
	own.StorageSync, own.StorageInterval = sync, time.Second
	r := newBenchReceiver(b).mcpReceiver
	r.cfg = own
	r.setTraces(consumertest.NewNop())
	require.NoError(b, r.Start(b.Context(), extensionHost{id: files}))
	b.Cleanup(func() {
		_ = r.Shutdown(b.Context())
		_ = files.Shutdown(b.Context())
	})
	return r
}

// BenchmarkStorageSync posts a call and its reply, each in a request of its own,
// by one sender, and by 16 that have sessions of their own.
func BenchmarkStorageSync(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run("sync="+strconv.FormatBool(sync), func(b *testing.B) {
			c := callCase("call-5KB", 5_000, payload.TextResult(payload.Prose))
			numbers, next := payload.NumbersOf(c.bodies...), payload.FirstNumber
			r := storingReceiver(b, sync)
			h := newBenchHandler(&benchReceiver{r}, &c)
			b.Run("one", func(b *testing.B) {
				cputime.Loop(b, func() {
					next++
					numbers.Set(next)
					h.post(b)
				})
			})
			mux := http.NewServeMux()
			push.Register(mux, r.runner)
			var senders atomic.Int64
			b.Run("sixteen", func(b *testing.B) {
				b.SetParallelism(16)
				b.RunParallel(func(pb *testing.PB) {
					session := "s-" + strconv.FormatInt(senders.Add(1), 10)
					for i := 0; pb.Next(); i++ {
						send(nil, mux, session, callWithID(i))
						send(nil, mux, session, `{"jsonrpc":"2.0","id":`+strconv.Itoa(i)+`,"result":{}}`)
					}
				})
			})
		})
	}
}
