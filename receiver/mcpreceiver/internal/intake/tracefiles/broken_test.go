package tracefiles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// testRunner hands spans to next, with the Inspector's keys, and counts in own.
func testRunner(own *metadata.TelemetryBuilder, next consumer.Traces) *intake.Runner {
	options := &telemetry.Options{Inspector: true, TextBytes: 4096, ScopeName: "test", Names: telemetry.NewNames(100)}
	return &intake.Runner{
		Engine: session.New(session.Options{
			IdleTimeout: time.Hour, Linger: time.Minute, MaxSessions: 100, Remember: 24 * time.Hour, MaxSpans: 1000, CallTimeout: time.Hour,
			MaxOpenCalls: 100, MaxOpenBytes: 1 << 20, TextBytes: 4096, MaxPending: 10, Lost: func(string) {},
			StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 10, MinLevel: 1,
		}),
		Build: options, Meter: telemetry.NewMeter(options, 100, time.Now()), Traces: next,

		Telemetry: own, Logger: zap.NewNop(),
	}
}

// disk is one whose files cannot be read from a byte on.
type disk struct {
	good atomic.Int64 // bytes of each file that can be read
	head atomic.Bool  // what is read to recognize a file cannot be read either
}

func (d *disk) open(path string) (handle, error) {
	in, err := os.Open(path)
	return &onDisk{in, d}, err
}

type onDisk struct {
	*os.File
	disk *disk
}

func (f *onDisk) Read(p []byte) (int, error) {
	at, err := f.Seek(0, 1)
	if err != nil {
		return 0, err
	}
	rest := f.disk.good.Load() - at
	if rest <= 0 {
		return 0, &os.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.Read(p[:min(int64(len(p)), rest)])
}

func (f *onDisk) ReadAt(p []byte, at int64) (int, error) {
	if f.disk.head.Load() {
		return 0, &os.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.ReadAt(p, at)
}

const all = 1 << 40

func spanLine(n int) string {
	const line = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"%016x","parent_span_id":"00000000000000ff","name":"n%d","start_time":"2025-08-02T09:31:07Z","end_time":"2025-08-02T09:31:19Z","attributes":{}}` + "\n"
	return fmt.Sprintf(line, n, n)
}

// TestReadErrors: a file that cannot be read on is no file that has ended. It is tried
// again from where it was, although it does not change, and that is said once.
func TestReadErrors(t *testing.T) {
	plain := spanLine(1) + spanLine(2) + spanLine(3)
	zipped := member(t, spanLine(1)) + member(t, strings.Repeat("x", 1<<10)+"\n"+spanLine(2)) + member(t, spanLine(3))
	for name, c := range map[string]struct {
		file, text string
		good       int // bytes
	}{
		"plain, at once":                    {"x.jsonl", plain, 0},
		"plain, after a line":               {"x.jsonl", plain, len(spanLine(1)) + 5},
		"gzip, at once":                     {"x.jsonl.gz", zipped, 1},
		"gzip, after a member":              {"x.jsonl.gz", zipped, len(member(t, spanLine(1))) + 20},
		"gzip, while damage is passed over": {"x.jsonl.gz", "\x1f\x8b\x08" + strings.Repeat("\xff", 1<<17) + zipped, 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
				own, err := metadata.NewTelemetryBuilder(componenttest.NewNopTelemetrySettings())
				require.NoError(t, err)
				d, next, said := &disk{}, new(consumertest.TracesSink), []error{}
				d.good.Store(int64(c.good))
				r := New(Settings{
					Runner: testRunner(own, next), Logger: zap.NewNop(), Include: []string{filepath.Join(dir, "*")}, Every: time.Second,
					Places: Stored{Client: storage.NewNopClient()}, Status: func(err error) { said = append(said, err) },
				})
				r.open = d.open
				ctx, stop := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { r.Run(ctx); close(done) }()
				for range 3 {
					time.Sleep(10 * time.Second)
					synctest.Wait()
					d.head.Store(!d.head.Load())
				}
				require.Len(t, said, 1, "once")
				require.ErrorIs(t, said[0], syscall.EIO)
				assert.ErrorContains(t, said[0], c.file)

				d.head.Store(false)
				d.good.Store(all)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				require.Len(t, said, 2)
				require.NoError(t, said[1], "it can be read again")
				stop()
				<-done
				var got []string
				for _, td := range next.AllTraces() {
					for _, rs := range td.ResourceSpans().All() {
						for _, span := range rs.ScopeSpans().At(0).Spans().All() {
							got = append(got, span.Name())
						}
					}
				}
				assert.Equal(t, []string{"n1", "n2", "n3"}, got, "each once")
			})
		})
	}
}
