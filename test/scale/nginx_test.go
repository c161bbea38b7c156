package scale

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// around is the text of a distribution's nginx.conf around the files in conf.d.
const around = `
daemon off;
worker_processes 2;
pid %[1]s/pid;
%[2]s
events {}
http {
    access_log off;
    client_body_temp_path %[1]s/body;
    proxy_temp_path %[1]s/proxy;
    fastcgi_temp_path %[1]s/fastcgi;
    uwsgi_temp_path %[1]s/uwsgi;
    scgi_temp_path %[1]s/scgi;
    include %[1]s/mcp.conf;
}
`

// startNginx runs nginx with the template in front of these receivers.
func startNginx(t *testing.T, receivers []*collector) (p *harness.Process, address string) {
	t.Helper()
	template, err := os.ReadFile(filepath.Join(harness.Root, "config", "scale", "nginx.conf.template"))
	require.NoError(t, err)
	listen, dir := harness.FreeAddress(t), t.TempDir()
	var servers strings.Builder
	for _, r := range receivers {
		fmt.Fprintf(&servers, "server %s max_fails=1 fail_timeout=10s;\n", r.mcp)
	}
	filled := strings.NewReplacer("${MCP_LISTEN}", listen, "${MCP_RECEIVERS}", servers.String()).Replace(string(template))
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // its own user may not enter the test's directory
	}
	write(t, filepath.Join(dir, "mcp.conf"), filled)
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(around, dir, user))
	p = harness.Start(t, "nginx", nginx(t), nil, []string{"-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "stderr"})
	p.Ready(t, func() bool {
		response, err := http.Get("http://" + listen)
		return err == nil && response.Body.Close() == nil
	})
	return p, listen
}

func nginx(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("/usr/sbin/nginx"); err == nil {
		return path // Debian's place, which is not on every user's path
	}
	return harness.LookPath(t, "nginx")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// group is some receivers, each with a sink of its own, behind nginx.
type group struct {
	address   string
	receivers []*collector
	sinks     []*harness.Sink
}

func startGroup(t *testing.T, size int) *group {
	t.Helper()
	g := &group{}
	for range size {
		sink := harness.StartSink(t)
		g.sinks = append(g.sinks, sink)
		g.receivers = append(g.receivers, startCollector(t, "receiver.yaml", []string{"OTLP_ENDPOINT=" + sink.Address}))
	}
	_, g.address = startNginx(t, g.receivers)
	return g
}

// session is one that says who it is in a way of its own.
type session struct{ name, header, query string }

// named is an id as long as real ones: CRC-32, by which nginx hashes, keeps
// names close together that differ in little.
func named(prefix string, i int) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, prefix, i)))[:32]
}

// sessions come in all the ways that the template knows, in turn.
func sessions(count int, prefix string) (all []session) {
	ways := []session{{header: "X-Session-Id"}, {header: "Mcp-Session-Id"}, {header: "Acp-Session-Id"}, {query: "session"}, {query: "agent"}}
	for i := range count {
		s := ways[i%len(ways)]
		s.name = named(prefix, i)
		all = append(all, s)
	}
	return all
}

// say posts one record through nginx, and again as long as nobody answers for it.
func (g *group) say(t *testing.T, s session, record string) {
	t.Helper()
	url := "http://" + g.address + "/v1/observations"
	if s.query != "" {
		url += "?" + s.query + "=" + s.name
	}
	harness.Eventually(t, "not taken: "+record, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(record))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		if s.header != "" {
			request.Header.Set(s.header, s.name)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		if response.StatusCode != http.StatusBadGateway {
			require.Equal(t, http.StatusAccepted, response.StatusCode)
		}
		return response.StatusCode == http.StatusAccepted
	})
}

// clock gives each message of a session its time: the same one when it is sent again.
const clock = `"time":"2026-02-19T16:00:%02dZ"`

func (g *group) ask(t *testing.T, s session, id int) {
	t.Helper()
	g.say(t, s, fmt.Sprintf(`{`+clock+`,"message":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}}`, 2*id, id))
}

func (g *group) answer(t *testing.T, s session, id int) {
	t.Helper()
	g.say(t, s, fmt.Sprintf(`{`+clock+`,"message":{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}}`, 2*id+1, id))
}

func (g *group) finish(t *testing.T, s session) {
	t.Helper()
	g.say(t, s, fmt.Sprintf(`{`+clock+`,"end":{"reason":"closed"}}`, 59))
}

// at tells at which sinks there are spans of a session, and which.
func (g *group) at(s session) map[int][]string {
	found := map[int][]string{}
	for i, sink := range g.sinks {
		for _, span := range spansOf(sink.Received()) {
			if span.TraceID() == pcommon.TraceID(identity.Trace("", s.name)) {
				found[i] = append(found[i], span.Name())
			}
		}
	}
	return found
}

// Messages of many sessions, one a request and all mixed: each session is at one receiver, and whole.
func TestReceiversBehindNginx(t *testing.T) {
	t.Parallel()
	g := startGroup(t, 3)
	all := sessions(60, "whole")
	for id := 1; id <= 3; id++ {
		for _, s := range all {
			g.ask(t, s, id)
		}
		for _, s := range all {
			g.answer(t, s, id)
		}
	}
	for _, s := range all {
		g.finish(t, s)
	}
	g.await(t, all, func(session) int { return 6 })

	used := map[int]int{}
	for _, s := range all {
		found := g.at(s)
		require.Len(t, found, 1, "%v: %v", s, found)
		for sink, names := range found {
			used[sink]++
			want := []string{"session.start", "session.summary", "tool.call", "tool.call", "tool.call", "workflow.run"}
			assert.ElementsMatch(t, want, names, "%v", s)
		}
	}
	assert.Len(t, used, 3, "every receiver has sessions: %v", used)
}

// A receiver dies: its sessions go on at the others in the same traces, and no other session moves.
func TestReceiverDies(t *testing.T) {
	t.Parallel()
	g := startGroup(t, 3)
	all := sessions(30, "dies")
	for _, s := range all {
		g.ask(t, s, 1)
		g.answer(t, s, 1)
		g.ask(t, s, 2) // open when the receiver dies
	}
	g.await(t, all, func(session) int { return 2 })
	home := map[session]int{}
	for _, s := range all {
		for sink := range g.at(s) {
			home[s] = sink
		}
	}
	dead := home[all[0]]
	g.receivers[dead].Kill(t)
	for _, s := range all {
		g.answer(t, s, 2)
		g.ask(t, s, 3)
		g.answer(t, s, 3)
		g.finish(t, s)
	}
	g.await(t, all, func(s session) int {
		if home[s] == dead {
			return 7
		}
		return 6
	})
	for _, s := range all {
		if home[s] != dead {
			assert.Len(t, g.at(s), 1, "%v has moved", s)
			assert.NotContains(t, g.at(s)[home[s]], "rpc.orphan_reply")
			continue
		}
		g.assertMoved(t, s, dead)
	}
}

// assertMoved: the call that was open is lost but for its reply, all before and after is there.
func (g *group) assertMoved(t *testing.T, s session, dead int) {
	t.Helper()
	found := g.at(s)
	require.Len(t, found, 2, "%v: %v", s, found)
	for sink, names := range found {
		if sink == dead {
			assert.ElementsMatch(t, []string{"session.start", "tool.call"}, names)
			continue
		}
		want := []string{"session.start", "rpc.orphan_reply", "tool.call", "session.summary", "workflow.run"}
		assert.ElementsMatch(t, want, names, "%v", s)
	}
}

// await waits until each session has so many spans, at all sinks: what was sent
// first need not be there first.
func (g *group) await(t *testing.T, all []session, spans func(session) int) {
	t.Helper()
	harness.Eventually(t, "spans of sessions are missing", func() bool {
		return !slices.ContainsFunc(all, func(s session) bool {
			count := 0
			for _, names := range g.at(s) {
				count += len(names)
			}
			return count < spans(s)
		})
	})
}
