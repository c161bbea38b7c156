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

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// Limits of fetching a trace.
const (
	traceBytes = 200 << 20
	traceTime  = time.Minute
	keptTime   = 30 * time.Second // for which spans that are refused are kept, out of traceTime
	lineBytes  = 20 << 20
	spansMax   = 500 // handed on at once
	lateMax    = 64  // traces that are asked for again at a time
)

// late says when a trace is asked for again that had no root yet, or that could
// not be read or handed on as a whole: exporters write spans a few seconds after
// they ended.
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
	f.read(ctx, t)
	if t.whole() || !f.reserve() {
		f.end(ctx, t)
		return
	}
	f.waiting.Go(func() {
		f.again(ctx, t)
		f.end(ctx, t)
	})
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

func (f *fetcher) again(ctx context.Context, t *trace) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.pending--
	}()
	for _, after := range late {
		if t.whole() || !retry.Sleep(ctx, after) {
			return
		}
		f.read(ctx, t)
	}
}

// end counts the spans that no pipeline accepted, and says so once.
func (f *fetcher) end(ctx context.Context, t *trace) {
	lost := t.dropped + t.left
	if lost == 0 {
		return
	}
	f.runner.Rejected(ctx, Label, "pipeline refused", lost)
	f.logger.Warn("Pipeline rejected spans of a session's trace; dropping them", zap.Int64("spans", lost), zap.Error(t.refusal))
}

func (f *fetcher) read(ctx context.Context, t *trace) {
	before, left := len(t.seen), t.left
	t.refused, t.left = false, 0
	if t.err = f.request(ctx, t); t.err != nil {
		t.left = max(t.left, left-int64(len(t.seen)-before)) // what did not come this time is missing all the same
		f.logger.Debug("Cannot read a session's trace", zap.Error(t.err))
	}
}

func (f *fetcher) request(ctx context.Context, t *trace) error {
	ctx, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+"/trace/"+url.PathEscape(t.session), http.NoBody)
	if err != nil {
		return err
	}
	response, err := f.http.Do(request)
	if err != nil {
		return httpclient.RedactError(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the trace was answered with %s", response.Status)
	}
	return f.lines(ctx, io.LimitReader(response.Body, traceBytes), t)
}

// lines reads the spans of a trace file and hands on those that are new.
func (f *fetcher) lines(ctx context.Context, body io.Reader, t *trace) error {
	spans, n, bad := inspectorwire.NewSpans(inspectorwire.ProcessWriter()), 0, int64(0)
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, lineBytes)
	for scanner.Scan() {
		if _, err := spans.Add(scanner.Bytes()); err != nil {
			if bad++; bad > t.bad { // not counted when it was read before
				t.bad = bad
				f.runner.Rejected(ctx, Label, "malformed", 1)
			}
			continue
		}
		if n++; n%spansMax == 0 {
			f.forward(ctx, spans.Traces(), t)
		}
	}
	f.forward(ctx, spans.Traces(), t)
	return scanner.Err()
}

// forward hands on the spans that were not handed on before. Behind some that were
// refused it only counts: those that are read again go first.
func (f *fetcher) forward(ctx context.Context, td ptrace.Traces, t *trace) {
	t.removeSeen(td)
	n := int64(td.SpanCount())
	if n == 0 || t.refused {
		t.left += n
		return
	}
	root, found := rootOf(td)
	found = found && (!t.rooted || root.Name() == mcpconv.SpanWorkflow)
	if found {
		delivery, ended := f.runner.Delivery(ctx)
		f.runner.LinkRoot(delivery, Label, t.session, root)
		ended()
	}
	err := f.deliver(ctx, td)
	switch {
	case consumererror.IsPermanent(err):
		t.dropped, t.refusal = t.dropped+n, err
	case err != nil:
		t.refused, t.left, t.refusal = true, n, err
		return
	}
	t.note(td)
	t.rooted = t.rooted || found
}

// deliver hands spans on until the pipelines accept them; reading waits.
func (f *fetcher) deliver(ctx context.Context, td ptrace.Traces) (refusal error) {
	ctx, cancel := context.WithTimeout(ctx, keptTime)
	defer cancel()
	err := retry.Do(ctx, retry.New(refusedAgain, lastRetry), 0, func() error {
		delivery, ended := f.runner.Delivery(ctx)
		defer ended()
		again := ptrace.NewTraces() // a pipeline may change what it refuses then
		td.CopyTo(again)
		if refusal = f.runner.ForwardTraces(delivery, again, again.SpanCount()); consumererror.IsPermanent(refusal) {
			return retry.Permanent(refusal)
		}
		return refusal
	})
	if err == nil {
		return nil
	}
	return refusal // and not that the time is over
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
