// Package hooktest tests the decoders of agents' hooks against files: inputs of
// hooks in, what is reported of them as text out.
package hooktest

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// testdata has the files of the package under test.
var testdata = os.DirFS("testdata")

const ending = ".hooks.jsonl"

var update = flag.Bool("update-hooks", false, "write the expected events of inputs of hooks")

// Files decodes the files testdata/*.hooks.jsonl, and compares what is reported of
// each line with the file of the same name that ends in .txt.
func Files(t *testing.T, d hook.Decoder) {
	inputs := read(t)
	require.NotEmpty(t, inputs)
	for name, text := range inputs {
		t.Run(name, func(t *testing.T) { file(t, d, name, text) })
	}
}

// read is the content of all files of inputs, by name.
func read(tb testing.TB) map[string][]byte {
	inputs := map[string][]byte{}
	names, err := fs.Glob(testdata, "*"+ending)
	require.NoError(tb, err)
	for _, name := range names {
		inputs[strings.TrimSuffix(name, ending)], err = fs.ReadFile(testdata, name)
		require.NoError(tb, err)
	}
	return inputs
}

func file(t *testing.T, d hook.Decoder, name string, text []byte) {
	var got strings.Builder
	var items jsonscan.Items
	var b hook.Body
	items.Reset(text)
	for items.Next() {
		require.NoError(t, items.Done(b.Decode(items.Cursor(), hook.Defaults{})), "item %d", items.Index())
		write(t, &got, &b, d.Event(&b))
	}
	expected := name + ".hooks.txt"
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", expected), []byte(got.String()), 0o600))
	}
	want, err := fs.ReadFile(testdata, expected)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

// write writes an event without what all events have.
func write(t *testing.T, to *strings.Builder, b *hook.Body, e event.Event) {
	n := noticeOf(t, e)
	n.Raw, n.Params, n.Version, n.Prefix, n.Detail = "", "", "", "", nil
	r := &otlp.Report{Agent: "hook", Session: b.SessionID(), Time: b.When(), Events: []event.Event{e}}
	otlptest.Check(t, r)
	otlptest.Write(to, b.Event, r)
}

func noticeOf(t *testing.T, e event.Event) *event.Notice {
	base, ok := e.(interface{ Base() *event.Notice })
	require.True(t, ok, "%T is no activity", e)
	return base.Base()
}

// Fuzz feeds a decoder inputs of any content.
func Fuzz(f *testing.F, d hook.Decoder) {
	for _, text := range read(f) {
		for line := range strings.Lines(string(text)) {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c jsonscan.Cursor
		var b hook.Body
		c.Reset(text)
		if b.Decode(&c, hook.Defaults{Session: "s", Event: "e"}) != nil {
			return
		}
		e := d.Event(&b)
		n := noticeOf(t, e)
		require.Equal(t, b.Raw, n.Raw)
		require.Equal(t, b.Event, n.Method)
		require.Equal(t, event.Hook, n.Source)
		otlptest.Check(t, &otlp.Report{Agent: "hook", Session: "s", Events: []event.Event{e}})
	})
}
