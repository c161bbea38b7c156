package faults

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const line = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"%016x","name":"tool.call","start_time":"2025-08-02T09:31:08Z","end_time":"2025-08-02T09:31:09Z","attributes":{"session.id":"s-1","mcp.tool.name":"%[2]s"},"status":{"status_code":"OK"},"events":[]}` + "\n"

// Each line of a trace file arrives, plain and gzip, however often the reader
// dies.
func TestKilledTraceFiles(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	v := newVictim(t, fmt.Sprintf(`receivers: {mcp: {trace_files: {include: ["%s/*.jsonl", "%[1]s/*.jsonl.gz"], poll_interval: 50ms}}}`, in))
	var written []string
	v.suffer(t, func(ctx context.Context) {
		for n := 0; ctx.Err() == nil; n++ {
			tool := fmt.Sprintf("t-%d", n)
			writeLine(t, in, n, fmt.Sprintf(line, n+1, tool))
			written = append(written, tool)
			<-time.After(pace)
		}
	})
	v.await(t, "tool.call", "mcp.tool.name", written)
	v.Terminate(t)
}

// writeLine appends to one of a few files; a new set begins every 500 lines. A
// gzip file gets a member a line.
func writeLine(t *testing.T, folder string, n int, text string) {
	name := fmt.Sprintf("%d-%d.jsonl", n/500, n%3)
	if n%3 == 0 {
		name += ".gz"
	}
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if !assert.NoError(t, err) {
		return
	}
	defer file.Close()
	if n%3 == 0 {
		member := gzip.NewWriter(file)
		_, err = io.WriteString(member, text)
		assert.NoError(t, err)
		assert.NoError(t, member.Close())
		return
	}
	_, err = file.WriteString(text)
	assert.NoError(t, err)
}

// An Inspector has no memory of its events, but of its sessions: each of whose
// start the receiver knows ends once.
func TestKilledInspectorStream(t *testing.T) {
	t.Parallel()
	i := startInspector(t)
	v := newVictim(t, fmt.Sprintf(`receivers: {mcp: {inspector: [{endpoint: "%s/_inspector/events"}]}}`, i.URL))
	var finished []string
	v.suffer(t, func(ctx context.Context) {
		var open []string
		for n := 0; ctx.Err() == nil || len(open) > 0; n++ {
			if ctx.Err() == nil {
				open = append(open, fmt.Sprintf("i-%d", n))
				i.begin(open[len(open)-1])
			}
			if len(open) > 20 || ctx.Err() != nil {
				i.finish(open[0])
				finished = append(finished, open[0])
				open = open[1:]
			}
			<-time.After(5 * pace)
		}
	})
	started := v.arrived("session.start", "session.id")
	var known []string
	for _, session := range finished {
		if started[session] != nil {
			known = append(known, session)
		}
	}
	t.Logf("%d sessions, of which %d were open while somebody listened", len(finished), len(known))
	v.await(t, "workflow.run", "session.id", known)
	v.Terminate(t)
}

// answers is a server in shell, which replies to every call at once. Nothing
// smaller can be had that is real.
const answers = `while read -r line; do id=${line#*'"id":'}; id=${id%%,*}; echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}'; done`

// A pair of programs with mcptap in between does not notice that the collector
// dies, and what they said arrives later.
func TestKilledBehindTap(t *testing.T) {
	t.Parallel()
	v := newVictim(t, "receivers: {mcp: {storage_sync: true}}")
	tap := exec.Command(harness.Tap(t), "--endpoint", "http://"+v.mcp+"/v1/observations", "--session", "tapped", "--", "/bin/sh", "-c", answers)
	in, err := tap.StdinPipe()
	require.NoError(t, err)
	out, err := tap.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, tap.Start())
	replies := bufio.NewScanner(out)
	var called []string
	v.suffer(t, func(ctx context.Context) {
		for n := 0; ctx.Err() == nil; n++ {
			tool := fmt.Sprintf("t-%d", n)
			_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`+"\n", n, tool)
			assert.NoError(t, err)
			if !assert.True(t, replies.Scan(), "the pair is broken") {
				return
			}
			called = append(called, tool)
			<-time.After(pace)
		}
	})
	require.NoError(t, in.Close())
	require.NoError(t, tap.Wait())
	v.await(t, "tool.call", "mcp.tool.name", called)
	v.await(t, "workflow.run", "session.id", []string{"tapped"})
	v.Terminate(t)
}
