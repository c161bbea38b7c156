package agents

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// fault is what becomes of mcptap, or of the collector, after mcptap connect.
type fault struct {
	name string
	// program puts something else in the place of mcptap, which is at tap; nil: nothing.
	program func(t *testing.T, place, tap string)
	env     string // what the agent's environment has, too
	status  string // what mcptap status says of the last hook, "" if nothing
	// collector is what its address does with a connection; nil: it answers.
	collector func(net.Conn)
}

const (
	gone  = "mcptap is gone or cannot be run"
	early = "mcptap ended early with exit code 2"
)

// blocks is a program that tells every agent in its own words to stop.
const blocks = `#!/bin/sh
echo '{"decision":"block","continue":false,"permissionDecision":"deny","reason":"no"}'
echo no >&2
exit 2
`

var faults = []fault{
	{name: "nothing"},
	{name: "GOMEMLIMIT=4G", env: "GOMEMLIMIT=4G"},
	{name: "missing", status: gone, program: func(t *testing.T, place, _ string) { require.NoError(t, os.Remove(place)) }},
	{name: "no right to run", status: gone, program: func(t *testing.T, place, _ string) { require.NoError(t, os.Chmod(place, 0)) }},
	{name: "cut in half", program: func(t *testing.T, place, tap string) {
		text, err := os.ReadFile(tap)
		require.NoError(t, err)
		replace(t, place, text[:len(text)/2])
	}, status: "mcptap"}, // a signal, or not a program
	{name: "a folder", status: gone, program: func(t *testing.T, place, _ string) {
		require.NoError(t, os.Remove(place))
		require.NoError(t, os.Mkdir(place, 0o755))
	}},
	{name: "out of memory", status: early, program: func(t *testing.T, place, tap string) {
		replace(t, place, []byte("#!/bin/sh\nulimit -v 60000\nexec "+tap+` "$@"`+"\n"))
	}},
	{name: "blocks", status: early, program: func(t *testing.T, place, _ string) { replace(t, place, []byte(blocks)) }},
	{name: "collector hangs", collector: func(net.Conn) {}},
	{name: "collector dribbles", collector: dribble},
	{name: "collector raves", collector: func(c net.Conn) {
		_, _ = c.Write(bytes.Repeat([]byte("\x00rubbish"), 1<<13))
		_ = c.Close()
	}},
}

// replace writes a program in the place of another one, which may be running.
func replace(t *testing.T, place string, text []byte) {
	t.Helper()
	require.NoError(t, os.Remove(place))
	require.NoError(t, os.WriteFile(place, text, 0o755))
}

// dribble answers a byte at a time, without end.
func dribble(c net.Conn) {
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for _, b := range []byte("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1<<10)) {
		if _, err := c.Write([]byte{b}); err != nil {
			return
		}
		<-every.C
	}
}

// standIn is at the collector's addresses. It counts the hooks that it answered.
type standIn struct {
	url   string
	mu    sync.Mutex
	hooks int
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/hooks/"):
		s.mu.Lock()
		s.hooks++
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		_, _ = io.WriteString(w, "{}")
	default:
		http.NotFound(w, r)
	}
}

func (s *standIn) answered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hooks
}

func startStandIn(t *testing.T, handle func(net.Conn)) *standIn {
	t.Helper()
	l, err := net.Listen("tcp", harness.FreeAddress(t))
	require.NoError(t, err)
	s := &standIn{url: "http://" + l.Addr().String()}
	if handle == nil {
		server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { _ = server.Close() })
		return s
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		var open []net.Conn // until the end: what nobody holds is closed
		defer func() {
			for _, c := range open {
				_ = c.Close()
			}
		}()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open = append(open, c)
			go handle(c)
		}
	}()
	return s
}

// cost is what one session of an agent took.
type cost struct {
	agent, fault string
	whole        time.Duration
	hooks        []time.Duration // sorted; nil where they were not measured
	arrived      int             // hooks at the collector
}

// TestNoAgentIsBlocked lets each agent do a turn while mcptap or the collector is broken: it
// takes the prompt, runs the tool, and ends the turn once. With -v it prints what hooks
// cost.
func TestNoAgentIsBlocked(t *testing.T) {
	var mu sync.Mutex
	var costs []cost
	t.Run("runs", func(t *testing.T) {
		for _, p := range []*player{claudePlayer, codexPlayer, geminiPlayer, opencodePlayer, copilotPlayer} {
			for _, f := range faults {
				if p == opencodePlayer && (f.program != nil || f.env != "") {
					continue // it has a plugin, and runs no program
				}
				t.Run(p.agent.name+"/"+f.name, func(t *testing.T) {
					t.Parallel()
					c := suffer(t, p, f)
					mu.Lock()
					defer mu.Unlock()
					costs = append(costs, c)
				})
			}
		}
	})
	t.Log("\n" + costTable(costs))
}

// suffer plays a turn with a fault.
func suffer(t *testing.T, p *player, f fault) cost {
	a := *p.agent
	a.path(t)
	a.before = nil
	a.scripts = func() []model.Script {
		return []model.Script{{Marker: marker, Turns: []model.Turn{
			{Calls: []model.Call{p.runs("cp notes.txt done.txt")}}, {Text: "All is done."},
		}}}
	}
	s := stage(t, &a)
	c := startStandIn(t, f.collector)
	place, times := filepath.Join(filepath.Dir(s.home), "mcptap"), filepath.Join(filepath.Dir(s.home), "times")
	require.NoError(t, os.WriteFile(place, []byte(fmt.Sprintf(`#!/bin/sh
begun=$(date +%%s%%N)
%s "$@"
code=$?
echo "$(($(date +%%s%%N) - begun))" >>%s
exit $code
`, harness.Tap(t), times)), 0o755))
	output := s.mcptap(t, "connect", a.name, "--endpoint", c.url, "--otlp-endpoint", c.url, "--mcptap", place)
	for _, found := range exported.FindAllStringSubmatch(output, -1) {
		s.extra = append(s.extra, found[1])
	}
	if f.program != nil {
		f.program(t, place, harness.Tap(t))
	}
	if f.env != "" {
		s.extra = append(s.extra, f.env)
	}
	begun := time.Now()
	s.play(t)
	result := cost{agent: a.name, fault: f.name, whole: time.Since(begun)}
	given := 0
	for _, answer := range s.model.Answers() {
		if answer.Marker == marker {
			given++
		}
	}
	assert.Equal(t, 2, given, "answers of the model: the prompt was taken, and the turn ended")
	assert.True(t, harness.IsFile(filepath.Join(s.project, "done.txt")), "the tool ran")
	status, _ := s.tap(t, "status", "--endpoint", c.url, "--otlp-endpoint", c.url, "--web-ui", c.url).CombinedOutput()
	failed := "its last hook failed, which the agent did not notice: "
	if f.status != "" {
		assert.Contains(t, string(status), failed+f.status)
	} else {
		assert.NotContains(t, string(status), failed)
	}
	if f.collector != nil && p != opencodePlayer {
		assert.Contains(t, string(status), "Hooks could not reach "+c.url)
	}
	text, _ := os.ReadFile(times)
	for field := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		result.hooks = append(result.hooks, time.Duration(n))
	}
	slices.Sort(result.hooks)
	result.arrived = c.answered()
	if f.collector == nil && f.program == nil {
		assert.Positive(t, result.arrived, "hooks")
		assert.GreaterOrEqual(t, result.arrived, len(result.hooks), "each hook that ran has arrived")
	}
	if t.Failed() {
		t.Logf("mcptap status:\n%s\n%s wrote:\n%s", status, a.name, &s.output)
	}
	return result
}

func costTable(costs []cost) string {
	slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(a.agent, b.agent) })
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| agent\t| fault\t| session\t| hooks\t| median\t| longest\t| sum\t| arrived\t|")
	for _, c := range costs {
		fmt.Fprintf(w, "| %s\t| %s\t| %.1f s\t", c.agent, c.fault, c.whole.Seconds())
		if len(c.hooks) == 0 {
			fmt.Fprintln(w, "| –\t| –\t| –\t| –\t| "+strconv.Itoa(c.arrived)+"\t|")
			continue
		}
		var sum time.Duration
		for _, h := range c.hooks {
			sum += h
		}
		fmt.Fprintf(w, "| %d\t| %d ms\t| %d ms\t| %d ms\t| %d\t|\n", len(c.hooks),
			c.hooks[len(c.hooks)/2].Milliseconds(), c.hooks[len(c.hooks)-1].Milliseconds(), sum.Milliseconds(), c.arrived)
	}
	_ = w.Flush()
	return b.String()
}
