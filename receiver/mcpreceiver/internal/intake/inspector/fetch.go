package inspector

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Limits of fetching a trace.
const (
	traceBytes = 200 << 20
	traceTime  = time.Minute
	lineBytes  = 20 << 20
	spansMax   = 500 // handed on at once
	lateMax    = 64  // traces that are asked for again at a time
)

// late says when a trace that had no root yet is asked for again: exporters
// write spans a few seconds after they ended.
var late = []time.Duration{6 * time.Second, 20 * time.Second}

// fetcher gets whole traces.
type fetcher struct {
	http   *http.Client
	base   string
	runner *intake.Runner
	logger *zap.Logger

	mu      sync.Mutex
	pending int
	waiting sync.WaitGroup
}

func (f *fetcher) stop() { f.waiting.Wait() }

// get hands on a session's trace as it is. One that is not whole yet is asked for
// again later.
func (f *fetcher) get(ctx context.Context, session string) {
	t := &trace{session: session, seen: map[spanKey]bool{}}
	if err := f.read(ctx, session, t); err != nil {
		f.logger.Debug("Cannot read a session's trace", zap.Error(err))
	}
	if !t.rooted && f.reserve() {
		f.waiting.Go(func() { f.again(ctx, session, t) })
	}
}

func (f *fetcher) reserve() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pending >= lateMax {
		return false
	}
	f.pending++
	return true
}

func (f *fetcher) again(ctx context.Context, session string, t *trace) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.pending--
	}()
	for _, after := range late {
		if t.rooted || !retry.Sleep(ctx, after) {
			return
		}
		if err := f.read(ctx, session, t); err != nil {
			f.logger.Debug("Cannot read a session's trace", zap.Error(err))
		}
	}
}

// trace is what was read of one trace so far.
type trace struct {
	session string
	seen    map[spanKey]bool
	rooted  bool // its root was handed on
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func (f *fetcher) read(ctx context.Context, session string, t *trace) error {
	ctx, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+"/trace/"+url.PathEscape(session), http.NoBody)
	if err != nil {
		return err
	}
	response, err := f.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the trace was answered with %s", response.Status)
	}
	return f.lines(ctx, io.LimitReader(response.Body, traceBytes), t)
}

// lines reads the spans of a trace file and hands on those that are new.
func (f *fetcher) lines(ctx context.Context, body io.Reader, t *trace) error {
	spans, n := inspectorwire.NewSpans(inspectorwire.ProcessWriter()), 0
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, lineBytes)
	for scanner.Scan() {
		if _, err := spans.Add(scanner.Bytes()); err != nil {
			f.runner.Rejected(ctx, Label, "malformed", 1)
			continue
		}
		if n++; n%spansMax == 0 {
			if err := f.forward(ctx, spans.Traces(), t); err != nil {
				return err
			}
		}
	}
	if err := f.forward(ctx, spans.Traces(), t); err != nil {
		return err
	}
	return scanner.Err()
}

// forward hands on the spans that were not handed on before.
func (f *fetcher) forward(ctx context.Context, td ptrace.Traces, t *trace) error {
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(t.known)
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	ctx, ended := f.runner.Delivery(ctx)
	defer ended()
	if root, found := rootOf(td); found && (!t.rooted || root.Name() == mcpconv.SpanWorkflow) {
		f.runner.LinkRoot(ctx, Label, t.session, root)
		t.rooted = true
	}
	return f.runner.Forward(ctx, td)
}

// rootOf is the root among the spans: the run of the workflow, else the first.
func rootOf(td ptrace.Traces) (root ptrace.Span, found bool) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.ParentSpanID().IsEmpty() && (!found || span.Name() == mcpconv.SpanWorkflow) {
					root, found = span, true
				}
			}
		}
	}
	return root, found
}

// known notes a span, and reports whether it was known.
func (t *trace) known(span ptrace.Span) bool {
	key := spanKey{span.TraceID(), span.SpanID()}
	if t.seen[key] {
		return true
	}
	t.seen[key] = true
	return false
}
