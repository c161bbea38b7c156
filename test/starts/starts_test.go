package starts

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var starts = flag.Int("starts", 4, "how often the collector is started with each configuration")

// plant is a folder and addresses that stay while collectors come and go.
type plant struct {
	folder, mcp string
	sink        *harness.Sink
	source      string   // its URL
	configs     []string // files

	arrived func(t *testing.T) int            // how many spans did, in all
	load    func(context.Context, *testing.T) // runs while the collector starts
}

func newPlant(t *testing.T, config string) *plant {
	p := &plant{folder: t.TempDir(), mcp: harness.FreeAddress(t), sink: harness.StartSink(t)}
	for _, name := range []string{"pipelines.yaml", config} {
		p.configs = append(p.configs, "--config", filepath.Join(harness.Root, "test", "starts", "testdata", name))
	}
	p.arrived = func(*testing.T) int { return p.sink.Received().SpanCount() }
	p.load = func(context.Context, *testing.T) {}
	return p
}

// start starts a collector until it has said that it is ready, and telemetry of
// this start has arrived; then it is over. A collector does not take SIGTERM in
// the first moments after it has said so, so that the end is not a clean one.
func (p *plant) start(t *testing.T) {
	before := p.arrived(t)
	env := []string{"FOLDER=" + p.folder, "MCP_ADDRESS=" + p.mcp, "SINK_ADDRESS=" + p.sink.Address, "SOURCE=" + p.source}
	ctx, stop := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	defer loading.Wait()
	defer stop()
	loading.Go(func() { p.load(ctx, t) })
	c := harness.Start(t, "collector", harness.Collector(t), env, p.configs)
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	c.Ready(t, func() bool { return p.arrived(t) > before })
	stop()
	loading.Wait()
	c.Kill(t)
}

// repeat starts as often as the flag says.
func (p *plant) repeat(t *testing.T) {
	failed := 0
	for i := range *starts {
		if !t.Run(strconv.Itoa(i), p.start) {
			failed++
		}
	}
	t.Logf("%d of %d starts failed", failed, *starts)
}

// A receiver that serves several signals has all their pipelines ready before it
// sends something to the first.
func TestStarts(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short")
	}
	for name, prepare := range map[string]func(t *testing.T) *plant{
		"trace files to files":   func(t *testing.T) *plant { return traceFiles(t, "files.yaml").intoFiles() },
		"trace files to a queue": func(t *testing.T) *plant { return traceFiles(t, "queues.yaml") },
		"Inspector stream":       inspectorStream,
		"events":                 eventStream,
		"push":                   pushing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prepare(t).repeat(t)
		})
	}
}

// intoFiles has the spans arrive in a file.
func (p *plant) intoFiles() *plant {
	p.arrived = func(t *testing.T) int {
		text, err := os.ReadFile(filepath.Join(p.folder, "traces.jsonl"))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		return strings.Count(string(text), `"spanId"`)
	}
	return p
}
