package fulldisk

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const (
	calls    = 200
	argument = "argument of %d;"
	message  = `{"session":"s-%[1]d","message":{"jsonrpc":"2.0","id":%[1]d,`
	reply    = message + `"result":{}}}` + "\n"
)

var call = message + `"method":"tools/call","params":{"name":"n","arguments":{"a":"` +
	strings.Replace(argument, "%d", "%[1]d", 1) + strings.Repeat("x", 1000) + `"}}}}` + "\n"

// plant holds what stays while collectors come and go.
type plant struct {
	disk
	sink *harness.Sink
	mcp  string
	*harness.Process
}

func newPlant(t *testing.T) *plant {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short")
	}
	p := &plant{disk: mount(t), sink: harness.StartSink(t), mcp: harness.FreeAddress(t)}
	p.start(t)
	return p
}

func (p *plant) start(t *testing.T) {
	t.Helper()
	p.run(t)
	p.Ready(t, func() bool { return p.Logged("Everything is ready.") })
}

// startsNot returns what a collector that cannot start says.
func (p *plant) startsNot(t *testing.T) string {
	t.Helper()
	p.run(t)
	harness.Eventually(t, "the collector starts all the same", func() bool { return p.Logged("Error:") })
	return p.Output()
}

func (p *plant) run(t *testing.T) {
	t.Helper()
	env := []string{"DISK=" + p.folder, "MCP_ADDRESS=" + p.mcp, "SINK_ADDRESS=" + p.sink.Address}
	config := filepath.Join(harness.Root, "test", "fulldisk", "collector.yaml")
	p.Process = harness.Start(t, "collector", harness.Collector(t), env, []string{"--config", config})
}

// sends pushes one message a session, which must be accepted.
func (p *plant) sends(t *testing.T, from, to int, what string) {
	t.Helper()
	var body bytes.Buffer
	for i := from; i < to; i++ {
		fmt.Fprintf(&body, what, i)
	}
	p.post(t, body.Bytes())
}

func (p *plant) post(t *testing.T, body []byte) {
	t.Helper()
	response, err := http.Post("http://"+p.mcp+"/v1/observations", "application/x-ndjson", bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusAccepted, response.StatusCode)
}

// ended are the spans of the calls that arrived, and how many of them differ.
func (p *plant) ended() (spans []ptrace.Span, distinct int) {
	ids := map[string]bool{}
	for _, rs := range p.sink.Received().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.Name() == "tool.call" {
					spans = append(spans, span)
					ids[span.TraceID().String()+span.SpanID().String()] = true
				}
			}
		}
	}
	return spans, len(ids)
}

// When the storage cannot be written, a clean stop ends what is open, so that
// every call that was accepted is visible. What the storage still has of it does not
// come back, or if there is not even room to note that, only with the same ids.
func TestACleanStopLosesNothing(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, *plant){
		"full from the start": func(t *testing.T, p *plant) {
			p.fill(t)
			p.sends(t, 0, calls, call)
		},
		"full after half of the calls": func(t *testing.T, p *plant) {
			p.sends(t, 0, calls/2, call)
			p.settle(t, calls/2)
			p.fill(t)
			p.sends(t, calls/2, calls, call)
		},
		"fills meanwhile": func(t *testing.T, p *plant) {
			var filling sync.WaitGroup
			defer filling.Wait()
			for i := range calls {
				if i == calls/2 {
					filling.Go(func() { p.fill(t) })
				}
				p.sends(t, i, i+1, call)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlant(t)
			begin(t, p)
			harness.Eventually(t, "the storage fails", func() bool { return p.Logged("no space left on device") })
			p.Terminate(t)
			p.checkEnded(t)
			noted := !p.Logged("are restored at the next start")
			p.free(t)
			p.start(t)
			p.sends(t, 0, calls, reply)
			p.Terminate(t)
			spans, distinct := p.ended()
			assert.Equal(t, calls, distinct)
			if t.Logf("%d spans came again", len(spans)-calls); noted {
				assert.Len(t, spans, calls, "what has ended does not come back")
			}
		})
	}
}

// checkEnded wants each call once, as one that the collector saw no end of.
func (p *plant) checkEnded(t *testing.T) {
	t.Helper()
	spans, distinct := p.ended()
	t.Logf("%d of %d calls are visible", distinct, calls)
	assert.Len(t, spans, calls)
	assert.Equal(t, calls, distinct)
	for _, span := range spans {
		incomplete, _ := span.Attributes().Get("mcp.span.incomplete")
		assert.True(t, incomplete.Bool())
	}
}

// A disk that is full for a while costs nothing.
func TestRoomAgain(t *testing.T) {
	p := newPlant(t)
	p.fill(t)
	p.sends(t, 0, calls, call)
	harness.Eventually(t, "the storage fails", func() bool { return p.Logged("no space left on device") })
	p.free(t)
	p.settle(t, calls)
	p.Kill(t)
	p.start(t)
	p.sends(t, 0, calls, reply)
	p.Terminate(t)
	p.checkAnswered(t)
}

// settle waits until the storage has so many calls. The file has all of what is
// written at the latest when the next thing is.
func (p *plant) settle(t *testing.T, calls int) {
	t.Helper()
	harness.Eventually(t, "open calls are not written", func() bool {
		content := p.content(t)
		for i := range calls {
			if !bytes.Contains(content, fmt.Appendf(nil, argument, i)) {
				return false
			}
		}
		return true
	})
	const session = "one-more-session"
	p.post(t, []byte(`{"session":"`+session+`","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`))
	harness.Eventually(t, "open sessions are not written", func() bool {
		return bytes.Contains(p.content(t), []byte(session))
	})
}
