package normalize

import (
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// writer writes what is known of one span or log record.
type writer struct {
	*Normalizer
	s       *dialect.Span
	written uint64 // facts, a bit each
}

// inspectors are the facts for which the Inspector has a key of its own, payloads those
// that are written under one of the keys only, shared those whose key is of both
// conventions: a bit each.
var inspectors, payloads, shared = kindsOfFacts()

func kindsOfFacts() (inspectors, payloads, shared uint64) {
	for f, target := range &dialect.Targets {
		switch {
		case target.Inspector != "":
			inspectors |= 1 << f
		case isInspectors(target.Key):
			shared |= 1 << f
		}
		if target.Payload {
			payloads |= 1 << f
		}
	}
	return inspectors, payloads, shared
}

// isInspectors reports whether a key is of the Inspector's family too.
func isInspectors(key string) bool { return strings.HasPrefix(key, "mcp.") }

// missing are the facts whose key of the conventions is to be written, and those whose
// key of the Inspector is. The operation is neither: see [writer.operation].
func (w *writer) missing() (otel, inspector uint64) {
	known, own := w.s.Known()&^(1<<dialect.Operation), w.s.OwnFacts()
	otel = known &^ own
	if w.inspector {
		inspector = known & inspectors &^ w.s.OwnInspector()
	}
	if w.otel {
		return otel | known&w.s.Replaced, inspector &^ payloads
	}
	return otel & shared, inspector &^ (payloads & own)
}

// facts writes what the span has not yet. What follows from it may be added until end.
func (w *writer) facts() {
	otel, inspector := w.missing()
	dialect.Begin(w.s, bits.OnesCount64(otel)+bits.OnesCount64(inspector)+w.besides())
	for rest := otel | inspector; rest != 0; rest &= rest - 1 {
		f := dialect.Field(bits.TrailingZeros64(rest)) //nolint:gosec // at most 63
		target, bit := &dialect.Targets[f], uint64(1)<<f
		if w.otel && w.s.Replaced&bit != 0 {
			w.keepReplaced(f)
		}
		if otel&bit != 0 && w.s.Write(f, target.Type, target.Key) {
			w.written |= bit
		}
		if inspector&bit != 0 && w.s.Write(f, target.Type, target.Inspector) {
			w.written |= bit
		}
	}
}

// besides returns how many attributes there may be besides those of facts. The map must grow
// once only, and not by more than it needs.
func (w *writer) besides() int {
	n := 1 + bits.OnesCount64(w.s.Replaced) // the dialect
	for _, one := range [...]bool{
		w.s.Has(dialect.Operation) && !w.s.Own(dialect.Operation), w.s.Foreign != "" || w.s.NoOperation, w.s.Repeats != "", w.cfg.RenameSpans,
		w.s.WantKind != ptrace.SpanKindUnspecified, w.s.ContentStatus || w.s.ClientFault, w.s.ClientFault,
	} {
		if one {
			n++
		}
	}
	if w.inspector && w.s.IsCall() && !w.s.IsLog {
		n++
		if w.s.Failed || w.s.Status == ptrace.StatusCodeError {
			n += 2
		}
	}
	return n
}

// keptAs are the keys under which a value is kept that is replaced.
var keptAs = map[dialect.Field]string{
	dialect.ErrorType: mcpconv.DialectErrorType, dialect.ToolType: mcpconv.DialectToolType,
}

// keepReplaced keeps a value that is written again.
func (w *writer) keepReplaced(f dialect.Field) {
	if v, ok := w.s.Attributes.Get(dialect.Targets[f].Key); ok {
		w.s.Attributes.Keep(keptAs[f], v.AsString())
	}
}

// operation writes the operation. One that the conventions do not have is kept under
// a key of its own, as is one that would make a span count that repeats others.
func (w *writer) operation() {
	switch {
	case !w.otel:
	case w.s.NoOperation:
		if v, ok := w.s.Attributes.Get(mcpconv.GenAIOperation); ok {
			w.s.Attributes.Keep(mcpconv.DialectOperation, v.AsString())
			w.s.Attributes.Remove(mcpconv.GenAIOperation)
		}
	case !w.s.Has(dialect.Operation):
	case w.s.Foreign != "":
		w.s.Attributes.Keep(mcpconv.DialectOperation, w.s.Foreign)
		w.s.Attributes.PutStr(mcpconv.GenAIOperation, w.s.Text(dialect.Operation))
	case !w.s.Own(dialect.Operation):
		w.s.Attributes.Add(mcpconv.GenAIOperation).SetStr(w.s.Text(dialect.Operation))
	}
}

// outcome writes what is no attribute of the span, and what follows from that.
func (w *writer) outcome(span ptrace.Span) {
	w.operation()
	w.s.Attributes.Keep(mcpconv.DialectRepeats, w.s.Repeats)
	if w.cfg.Status {
		w.status(span)
	}
	if w.cfg.Kinds && w.s.WantKind != ptrace.SpanKindUnspecified && w.s.WantKind != span.Kind() {
		w.s.Attributes.Keep(mcpconv.DialectKind, span.Kind().String())
		span.SetKind(w.s.WantKind)
	}
	if w.cfg.RenameSpans {
		w.rename(span)
	}
	if w.inspector && w.s.IsCall() {
		w.inspectorStatus(span)
	}
}

func (w *writer) rename(span ptrace.Span) {
	if name := w.s.ConventionalName(); name != "" && name != span.Name() {
		w.s.Attributes.Keep(mcpconv.DialectSpanName, span.Name())
		span.SetName(name)
	}
}

// status repairs the status.
func (w *writer) status(span ptrace.Span) {
	status := span.Status()
	if w.s.ContentStatus && status.Message() != "" {
		w.s.Attributes.Keep(mcpconv.DialectStatusMessage, status.Message())
		status.SetMessage("")
	}
	switch {
	case w.s.ClientFault && status.Code() == ptrace.StatusCodeError:
		w.s.Attributes.Keep(mcpconv.DialectStatus, status.Code().String())
		w.s.Attributes.Keep(mcpconv.DialectStatusMessage, status.Message())
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
		w.s.Attributes.Keep(mcpconv.StatusCode, "ok")
		return
	}
	w.s.Attributes.Keep(mcpconv.StatusCode, "error")
	w.s.Attributes.Keep(mcpconv.ErrorCode, w.s.ErrorCode())
	w.s.Attributes.Keep(mcpconv.ErrorMessage, span.Status().Message())
}

// end names the dialect.
func (w *writer) end(t *dialect.Table) {
	w.s.Attributes.Add(mcpconv.Dialect).SetStr(t.Name)
	w.s.Attributes.End()
	if w.cfg.RemoveOriginals {
		w.remove(t)
	}
}

// remove removes what is now said in the conventions' keys.
func (w *writer) remove(t *dialect.Table) {
	w.s.Attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return t.Consumed(w.s, key, w.written) })
}
