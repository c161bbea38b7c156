// Package normalize translates the dialects in which frameworks, SDKs, gateways and
// agents write their telemetry to one: the semantic conventions' and the Inspector's
// keys.
package normalize // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/normalize"

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// Normalizer adds to spans and log records of known dialects what they say in keys
// of the conventions. Its Traces and Logs are functions for processorhelper: they
// change what they get and never fail. What was normalized once is not changed again.
// It keeps nothing from one batch to the next and is safe for concurrent use.
type Normalizer struct {
	cfg             *Config
	inspector, otel bool
	openInference   bool
	langfuse        bool
	detector        *dialect.Detector
	counter         *counter
	readers         sync.Pool // *dialect.Span
}

// New returns a normalizer that counts what it changes. If normalization is off, it
// lets everything through.
func New(cfg *Config, telemetry *metadata.TelemetryBuilder) *Normalizer {
	n := &Normalizer{
		cfg: cfg, inspector: slices.Contains(cfg.Conventions, Inspector), otel: slices.Contains(cfg.Conventions, OTel),
		openInference: slices.Contains(cfg.Also, OpenInference), langfuse: slices.Contains(cfg.Also, Langfuse),
		readers: sync.Pool{New: func() any { return new(dialect.Span) }},
	}
	if cfg.Enabled {
		n.detector = dialect.NewDetector(cfg.Dialects)
		n.counter = newCounter(n.detector, telemetry)
	}
	return n
}

// Traces normalizes spans.
func (n *Normalizer) Traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	if n.cfg.Enabled {
		b := batch{Normalizer: n}
		for _, rs := range td.ResourceSpans().All() {
			service := n.detector.Service(rs.Resource().Attributes())
			b.service = ""
			for _, ss := range rs.ScopeSpans().All() {
				b.scope(service, ss)
			}
			b.name(rs.Resource().Attributes())
		}
		b.finish(ctx, inSpan)
	}
	return td, nil
}

// Logs normalizes log records.
func (n *Normalizer) Logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	if n.cfg.Enabled {
		b := batch{Normalizer: n}
		for _, rl := range ld.ResourceLogs().All() {
			service := n.detector.Service(rl.Resource().Attributes())
			for _, sl := range rl.ScopeLogs().All() {
				found, skip := n.detector.Scope(service, sl.Scope().Name())
				if skip {
					continue
				}
				for _, record := range sl.LogRecords().All() {
					if i := n.detector.Record(found, record); i >= 0 {
						b.record(i, record)
					}
				}
			}
		}
		b.finish(ctx, inLog)
	}
	return ld, nil
}

// batch is one batch that is normalized.
type batch struct {
	*Normalizer
	reader *dialect.Span // nil until something has a dialect
	counts counts
	// service is the name of the resource's service if it has none, "" for none known.
	service string
}

// scope normalizes the spans of a scope. If all of them keep to the conventions then,
// the scope says so.
func (b *batch) scope(service dialect.Evidence, ss ptrace.ScopeSpans) {
	found, skip := b.detector.Scope(service, ss.Scope().Name())
	complete := !skip && ss.Spans().Len() > 0
	for _, span := range ss.Spans().All() {
		if skip {
			b.also(span, false)
			continue
		}
		if i := b.detector.Span(found, span.Name(), span.Attributes()); i >= 0 {
			b.span(i, span)
		} else {
			complete = false
		}
		b.also(span, true)
	}
	if complete && b.otel && ss.SchemaUrl() == "" {
		ss.SetSchemaUrl(mcpconv.GenAISchema)
	}
}

// name names the service of a resource that has no name.
func (b *batch) name(resource pcommon.Map) {
	if b.service == "" {
		return
	}
	if _, has := resource.Get(mcpconv.ServiceName); !has {
		resource.PutStr(mcpconv.ServiceName, b.service)
	}
}

func (b *batch) read() *dialect.Span {
	if b.reader == nil {
		b.reader = b.readers.Get().(*dialect.Span)
	}
	return b.reader
}

func (b *batch) finish(ctx context.Context, at place) {
	if b.reader != nil {
		b.counter.record(ctx, at, &b.counts)
		b.reader.Release()
		b.readers.Put(b.reader)
	}
}

func (b *batch) span(i int, span ptrace.Span) {
	b.counts[i]++
	s, t := b.read(), b.detector.Tables[i]
	b.service = cmp.Or(b.service, t.Detect.Service)
	s.Name, s.Kind, s.Attributes.Map, s.Events = span.Name(), span.Kind(), span.Attributes(), span.Events()
	s.Status, s.Message = span.Status().Code(), span.Status().Message()
	t.Read(s)
	w := writer{Normalizer: b.Normalizer, s: s}
	w.facts()
	w.outcome(span)
	w.end(t)
	s.Reset()
}

func (b *batch) record(i int, record plog.LogRecord) {
	b.counts[i]++
	s, t := b.read(), b.detector.Tables[i]
	s.Name, s.Attributes.Map, s.IsLog = record.EventName(), record.Attributes(), true
	t.Read(s)
	w := writer{Normalizer: b.Normalizer, s: s}
	w.facts()
	w.operation()
	w.end(t)
	s.Reset()
}
