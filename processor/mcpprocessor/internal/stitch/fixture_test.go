package stitch

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var update = flag.Bool("update", false, "write the expected output of the fixtures")

// story is a case: what comes when. Names of traces and spans are one letter or
// digit, which is the first byte of their ids.
type story struct {
	About  string         `yaml:"about"`
	Stitch map[string]any `yaml:"stitch"`
	Steps  []step         `yaml:"steps"`
}

type step struct {
	After   time.Duration `yaml:"after"`   // how much time passes first
	Refuse  bool          `yaml:"refuse"`  // whether the next consumer refuses from now on
	Spans   []line        `yaml:"spans"`   // one batch
	Flush   bool          `yaml:"flush"`   // whether what was refused is sent again
	Stopped bool          `yaml:"stopped"` // whether the processor is shut down
}

type line struct {
	Trace, Span, Parent, Name, Kind, ID string
	Ours                                bool
	Flags                               uint32
}

var kinds = map[string]ptrace.SpanKind{
	"": ptrace.SpanKindInternal, "client": ptrace.SpanKindClient, "server": ptrace.SpanKindServer,
}

// TestStitchStories runs testdata/stories. With -update it writes what comes out.
func TestStitchStories(t *testing.T) {
	folders, err := filepath.Glob("testdata/stories/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			got := transcript(t, readStory(t, folder))
			golden := filepath.Join(folder, "out.txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func readStory(t *testing.T, folder string) (s story) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "in.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &s))
	return s
}

// transcript runs the story, and returns what came out when.
func transcript(t *testing.T, s story) string {
	t.Helper()
	cfg := configOf()
	require.NoError(t, confmap.NewFromStringMap(s.Stitch).Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	f := newFixture(t, cfg)
	var out strings.Builder
	for _, step := range s.Steps {
		f.advance(step.After)
		f.show(&out)
		f.sink.refuse = nil
		if step.Refuse {
			f.sink.refuse = func() error { return errRefusedByTest }
		}
		if len(step.Spans) > 0 {
			if err := f.ConsumeTraces(t.Context(), batchOf(step.Spans)); err != nil {
				fmt.Fprintf(&out, "%v refused: %v\n", f.at, err)
			}
		}
		if step.Flush {
			_ = f.retries.Flush(t.Context())
		}
		if step.Stopped {
			require.NoError(t, f.Shutdown(t.Context()))
		}
		f.show(&out)
	}
	spans, _ := f.waiting()
	fmt.Fprintf(&out, "waiting: %d\n", spans)
	return out.String()
}

func batchOf(lines []line) ptrace.Traces {
	td := ptrace.NewTraces()
	for i := range lines {
		s := spec{
			n: i, name: lines[i].Name, kind: kinds[lines[i].Kind], value: lines[i].ID, ours: lines[i].Ours,
		}
		copy(s.trace[:], lines[i].Trace)
		copy(s.id[:], lines[i].Span)
		copy(s.parent[:], lines[i].Parent)
		s.addTo(td)
	}
	for i, o := range each([]ptrace.Traces{td}) {
		o.span.SetFlags(lines[i].Flags)
		o.span.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
	}
	return td
}

// show writes what came out since, a span a line.
func (f *fixture) show(out *strings.Builder) {
	for _, o := range each(f.sink.got) {
		trace, id, parent := o.span.TraceID(), o.span.SpanID(), o.span.ParentSpanID()
		fmt.Fprintf(out, "%v %s/%s %s", f.at, text(trace[:]), text(id[:]), o.span.Name())
		if !parent.IsEmpty() {
			fmt.Fprintf(out, " parent=%s", text(parent[:]))
		}
		showOriginal(out, o.span.Attributes())
		for _, link := range o.span.Links().All() {
			trace, id := link.TraceID(), link.SpanID()
			fmt.Fprintf(out, " link=%s/%s", text(trace[:]), text(id[:]))
		}
		out.WriteByte('\n')
	}
	f.sink.got = nil
}

// showOriginal writes the ids that a joined root arrived with.
func showOriginal(out *strings.Builder, m pcommon.Map) {
	trace, joined := m.Get(mcpconv.OriginalTrace)
	if !joined {
		return
	}
	id, _ := m.Get(mcpconv.OriginalSpan)
	t, _ := hex.DecodeString(trace.Str())
	s, _ := hex.DecodeString(id.Str())
	fmt.Fprintf(out, " original=%s/%s", text(t), text(s))
}

func text(id []byte) string { return strings.TrimRight(string(id), "\x00") }
