package normalize

import (
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// writer writes what is known of one span or log record.
type writer struct {
	*Normalizer
	s       *dialect.Span
	to      pcommon.Map
	written uint64 // facts, a bit each
}

// spare is for how many attributes there is room besides those of facts: the
// dialect, the Inspector's status, what changed.
const spare = 4

// inspectors are the facts for which the Inspector has a key of its own that is
// written besides, a bit each.
var inspectors = func() (bits uint64) {
	for f, target := range dialect.Targets {
		if target.Inspector != "" && !target.Payload {
			bits |= 1 << f
		}
	}
	return bits
}()

// facts writes what the span has not yet. All are read before the first attribute
// that is there changes.
func (w *writer) facts() {
	known := w.s.Known()
	w.to.EnsureCapacity(w.to.Len() + bits.OnesCount64(known&^w.s.OwnFacts()) + bits.OnesCount64(known&inspectors) + spare)
	for rest := known; rest != 0; rest &= rest - 1 {
		f := dialect.Field(bits.TrailingZeros64(rest)) //nolint:gosec // at most 63
		if f != dialect.Operation {
			w.fact(f)
		}
	}
}

func (w *writer) fact(f dialect.Field) {
	target := &dialect.Targets[f]
	replaced := w.s.Replaced&(1<<f) != 0
	if replaced && w.otel {
		if v, ok := w.to.Get(target.Key); ok {
			w.keep(keptAs[f], v.AsString())
		}
	}
	if w.otel && (replaced || !w.s.Own(f)) && w.s.Write(f, target.Type, target.Key, w.to) {
		w.written |= 1 << f
	}
	if !w.inspector || w.s.OwnInspector(f) {
		return
	}
	switch {
	case target.Inspector == "":
		// One key in both conventions, or none of the Inspector's.
		if !w.otel && !w.s.Own(f) && isInspectors(target.Key) && w.s.Write(f, target.Type, target.Key, w.to) {
			w.written |= 1 << f
		}
	case target.Payload && (w.otel || w.s.Own(f)): // is there already
	case w.s.Write(f, target.Type, target.Inspector, w.to):
		w.written |= 1 << f
	}
}

// keptAs are the keys under which a value is kept that is replaced.
var keptAs = map[dialect.Field]string{
	dialect.ErrorType: mcpconv.DialectErrorType, dialect.ToolType: mcpconv.DialectToolType,
}

// isInspectors reports whether a key is of the Inspector's family too.
func isInspectors(key string) bool { return len(key) > 4 && key[:4] == "mcp." }

// operation writes the operation. One that the conventions do not have is kept under
// a key of its own, as is one that would make a span count that repeats others.
func (w *writer) operation() {
	switch {
	case !w.otel:
	case w.s.NoOperation:
		if v, ok := w.to.Get(mcpconv.GenAIOperation); ok {
			w.keep(mcpconv.DialectOperation, v.AsString())
			w.to.Remove(mcpconv.GenAIOperation)
		}
	case !w.s.Has(dialect.Operation):
	case w.s.Foreign != "":
		w.keep(mcpconv.DialectOperation, w.s.Foreign)
		w.to.PutStr(mcpconv.GenAIOperation, w.s.Text(dialect.Operation))
	case !w.s.Own(dialect.Operation):
		w.to.PutStr(mcpconv.GenAIOperation, w.s.Text(dialect.Operation))
	}
}

// keep puts a text that changes under a key of its own, unless the key is there.
func (w *writer) keep(key, text string) {
	if text == "" {
		return
	}
	if v, has := w.to.GetOrPutEmpty(key); !has {
		v.SetStr(text)
	}
}

// outcome writes what is no attribute of the span, and what follows from that.
func (w *writer) outcome(span ptrace.Span) {
	w.operation()
	w.keep(mcpconv.DialectRepeats, w.s.Repeats)
	if w.cfg.Status {
		w.status(span)
	}
	if w.cfg.Kinds && w.s.WantKind != ptrace.SpanKindUnspecified && w.s.WantKind != span.Kind() {
		w.keep(mcpconv.DialectKind, span.Kind().String())
		span.SetKind(w.s.WantKind)
	}
	if name := w.s.ConventionalName(); w.cfg.RenameSpans && name != "" && name != span.Name() {
		w.keep(mcpconv.DialectSpanName, span.Name())
		span.SetName(name)
	}
	if w.inspector && w.s.IsCall() {
		w.inspectorStatus(span)
	}
}

// status repairs the status.
func (w *writer) status(span ptrace.Span) {
	status := span.Status()
	if w.s.ContentStatus && status.Message() != "" {
		w.keep(mcpconv.DialectStatusMessage, status.Message())
		status.SetMessage("")
	}
	switch {
	case w.s.ClientFault && status.Code() == ptrace.StatusCodeError:
		w.keep(mcpconv.DialectStatus, status.Code().String())
		w.keep(mcpconv.DialectStatusMessage, status.Message())
		status.SetCode(ptrace.StatusCodeUnset)
		status.SetMessage("")
	case w.s.Failed && status.Code() == ptrace.StatusCodeUnset:
		status.SetCode(ptrace.StatusCodeError)
	}
	if status.Code() == ptrace.StatusCodeError && status.Message() == "" && w.s.ErrorText != "" {
		status.SetMessage(w.s.ErrorText)
	}
}

// inspectorStatus writes the Inspector's keys of how the call ended.
func (w *writer) inspectorStatus(span ptrace.Span) {
	if span.Status().Code() != ptrace.StatusCodeError {
		w.keep(mcpconv.StatusCode, "ok")
		return
	}
	w.keep(mcpconv.StatusCode, "error")
	w.keep(mcpconv.ErrorCode, w.s.ErrorCode())
	w.keep(mcpconv.ErrorMessage, span.Status().Message())
}

// remove removes what is now said in the conventions' keys.
func (w *writer) remove(t *dialect.Table) {
	w.to.RemoveIf(func(key string, _ pcommon.Value) bool { return t.Consumed(w.s, key, w.written) })
}
