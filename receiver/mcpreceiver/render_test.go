package mcpreceiver

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// The rendering of spans that fixtures are written in: whatever is empty or
// usual is left out, so that a person can read the rest.
type (
	renderedSpan struct {
		Name       string          `yaml:"name"`
		Service    string          `yaml:"service"`
		Trace      string          `yaml:"trace"`
		Span       string          `yaml:"span"`
		Parent     string          `yaml:"parent,omitempty"`
		Kind       string          `yaml:"kind,omitempty"` // Internal is usual
		Start      string          `yaml:"start"`
		End        string          `yaml:"end,omitempty"` // only if not Start
		State      string          `yaml:"tracestate,omitempty"`
		Flags      string          `yaml:"flags,omitempty"`
		Error      *string         `yaml:"error,omitempty"`
		Attributes map[string]any  `yaml:"attributes,omitempty"`
		Events     []renderedEvent `yaml:"events,omitempty"`
		Links      []renderedLink  `yaml:"links,omitempty"`
	}
	renderedEvent struct {
		Name       string         `yaml:"name"`
		Time       string         `yaml:"time"`
		Attributes map[string]any `yaml:"attributes,omitempty"`
	}
	renderedLink struct {
		Trace string `yaml:"trace"`
		Span  string `yaml:"span"`
		State string `yaml:"tracestate,omitempty"`
		Flags string `yaml:"flags,omitempty"`
	}
)

// renderer numbers the traces of what belongs to nothing, which are random, in
// the order in which they come, and their spans with them.
type renderer struct {
	random map[pcommon.TraceID]int
	spans  map[pcommon.SpanID]string
}

// render leaves out the spans that every session has unless it is told to write all.
func render(t *testing.T, td ptrace.Traces, all bool) []byte {
	r := renderer{random: map[pcommon.TraceID]int{}, spans: map[pcommon.SpanID]string{}}
	spans := []renderedSpan{}
	for _, rs := range td.ResourceSpans().All() {
		require.Equal(t, 1, rs.ScopeSpans().Len())
		scope := rs.ScopeSpans().At(0).Scope()
		if scope.Name() == "" { // of a trace file
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				spans = append(spans, r.span("", s))
			}
			continue
		}
		service, _ := rs.Resource().Attributes().Get("service.name")
		require.Equal(t, 1, rs.Resource().Attributes().Len())
		require.Equal(t, "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver 1.0.0", scope.Name()+" "+scope.Version())
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			if all || !ofSession(s) {
				spans = append(spans, r.span(service.Str(), s))
			}
		}
	}
	text, err := yaml.Marshal(spans)
	require.NoError(t, err)
	return text
}

func (r *renderer) span(service string, s ptrace.Span) renderedSpan {
	r.number(s)
	out := renderedSpan{
		Name: s.Name(), Service: service, Trace: r.trace(s.TraceID()), Span: r.id(s.SpanID()), Parent: r.id(s.ParentSpanID()),
		Start: instant(s.StartTimestamp()), State: s.TraceState().AsRaw(), Flags: flags(s.Flags()),
		Attributes: s.Attributes().AsRaw(),
	}
	if end := endOf(s); end != s.StartTimestamp() {
		out.End = instant(end)
	}
	if s.Kind() != ptrace.SpanKindInternal {
		out.Kind = s.Kind().String()
	}
	if s.Status().Code() == ptrace.StatusCodeError {
		message := s.Status().Message()
		out.Error = &message
	}
	for _, e := range s.Events().All() {
		out.Events = append(out.Events, renderedEvent{e.Name(), instant(e.Timestamp()), e.Attributes().AsRaw()})
	}
	for _, l := range s.Links().All() {
		out.Links = append(out.Links, renderedLink{r.trace(l.TraceID()), r.id(l.SpanID()), l.TraceState().AsRaw(), flags(l.Flags())})
	}
	return out
}

// number gives a span without session and parent a number instead of its IDs.
func (r *renderer) number(s ptrace.Span) {
	if _, ok := s.Attributes().Get("session.id"); ok || !s.ParentSpanID().IsEmpty() {
		return
	}
	if _, ok := r.random[s.TraceID()]; !ok {
		r.random[s.TraceID()] = len(r.random) + 1
	}
	r.spans[s.SpanID()] = fmt.Sprintf("random span %d", len(r.spans)+1)
}

func (r *renderer) trace(id pcommon.TraceID) string {
	if n, ok := r.random[id]; ok {
		return fmt.Sprintf("random trace %d", n)
	}
	return id.String()
}

func (r *renderer) id(id pcommon.SpanID) string {
	if name, ok := r.spans[id]; ok {
		return name
	}
	return id.String()
}

// endOf is when a span ended, without what makes it lie around what lies in it.
func endOf(s ptrace.Span) pcommon.Timestamp {
	switch end := s.EndTimestamp(); {
	case end == s.StartTimestamp()+1:
		return s.StartTimestamp()
	case isRoot(s) && textOf(s, mcpconv.SessionEndReason) != "":
		return end - 2
	default:
		return end
	}
}

func instant(t pcommon.Timestamp) string { return t.AsTime().Format(time.RFC3339Nano) }

func flags(f uint32) string {
	if f == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", f)
}
