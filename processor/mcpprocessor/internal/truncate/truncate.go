// Package truncate cuts long payloads of spans and log records, and flags them.
package truncate // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/metadata"
)

// Truncator cuts values that are longer than its limit and flags them. Its
// Traces and Logs are functions for processorhelper: they change what they get
// and never fail. It keeps nothing from one batch to the next and is safe for
// concurrent use.
type Truncator struct {
	enabled      bool
	limit        int // bytes
	keys         map[string]struct{}
	numbered     []string // begin keys that go on with a number
	cut          func(s string, limit int) string
	originalSize bool
	telemetry    *metadata.TelemetryBuilder
}

// New returns a truncator that counts what it cuts. If truncation is off, it
// lets everything through.
func New(cfg *Config, telemetry *metadata.TelemetryBuilder) *Truncator {
	t := &Truncator{
		enabled: cfg.Enabled, limit: cfg.MaxBytes, keys: map[string]struct{}{}, cut: cutPrefix,
		originalSize: cfg.OriginalSize, telemetry: telemetry,
	}
	if cfg.Mode == ModeJSON {
		t.cut = cutJSON
	}
	keys := cfg.Keys
	if len(keys) == 0 {
		keys = defaultKeys
		t.payloadsOfDialects()
	}
	for _, key := range keys {
		t.keys[key] = struct{}{}
	}
	return t
}

func (t *Truncator) payloadsOfDialects() {
	for _, key := range dialect.Payloads() {
		if prefix, ok := strings.CutSuffix(key, "*"); ok {
			t.numbered = append(t.numbered, prefix)
		} else {
			t.keys[key] = struct{}{}
		}
	}
}

// Traces cuts the values of resources, scopes, spans, span events and links.
func (t *Truncator) Traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	if t.enabled {
		cut := t.traces(td)
		cut.record(ctx, t.telemetry)
	}
	return td, nil
}

// Logs cuts the values of resources, scopes and log records.
func (t *Truncator) Logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	if t.enabled {
		cut := t.logs(ld)
		cut.record(ctx, t.telemetry)
	}
	return ld, nil
}

func (t *Truncator) traces(td ptrace.Traces) (sum counts) {
	for _, rs := range td.ResourceSpans().All() {
		t.attributes(rs.Resource().Attributes(), inResource, &sum)
		for _, ss := range rs.ScopeSpans().All() {
			t.attributes(ss.Scope().Attributes(), inScope, &sum)
			for _, span := range ss.Spans().All() {
				t.span(span, &sum)
			}
		}
	}
	return sum
}

func (t *Truncator) span(span ptrace.Span, sum *counts) {
	t.attributes(span.Attributes(), inSpan, sum)
	if message := span.Status().Message(); len(message) > t.limit {
		span.Status().SetMessage(t.shorten(message, inStatus, sum))
		t.flag(span.Attributes(), "status_message", len(message))
	}
	for _, event := range span.Events().All() {
		t.attributes(event.Attributes(), inEvent, sum)
	}
	for _, link := range span.Links().All() {
		t.attributes(link.Attributes(), inLink, sum)
	}
}

func (t *Truncator) logs(ld plog.Logs) (sum counts) {
	for _, rl := range ld.ResourceLogs().All() {
		t.attributes(rl.Resource().Attributes(), inResource, &sum)
		for _, sl := range rl.ScopeLogs().All() {
			t.attributes(sl.Scope().Attributes(), inScope, &sum)
			for _, record := range sl.LogRecords().All() {
				t.record(record, &sum)
			}
		}
	}
	return sum
}

func (t *Truncator) record(record plog.LogRecord, sum *counts) {
	t.attributes(record.Attributes(), inLog, sum)
	if body := record.Body().Str(); len(body) > t.limit {
		record.Body().SetStr(t.shorten(body, inBody, sum))
		t.flag(record.Attributes(), "body", len(body))
	}
}

// attributes checks the length first: if a value fits, or is not a string, its key
// does not matter.
func (t *Truncator) attributes(attrs pcommon.Map, at place, sum *counts) {
	if !t.fit(attrs) {
		t.long(attrs, at, sum)
	}
}

// fit reports whether no value is too long, as in most maps: so little is done for
// each that the loop is fast.
func (t *Truncator) fit(attrs pcommon.Map) bool {
	limit := t.limit
	for _, value := range attrs.All() {
		if len(value.Str()) > limit {
			return false
		}
	}
	return true
}

// long cuts what is chosen of the values that are too long. Flags are added after
// the loop, because a new key may move the map that the loop is in.
func (t *Truncator) long(attrs pcommon.Map, at place, sum *counts) {
	type cutting struct {
		key  string
		size int
	}
	var done []cutting
	for key, value := range attrs.All() {
		if s := value.Str(); len(s) > t.limit && t.chosen(key) {
			value.SetStr(t.shorten(s, at, sum))
			done = append(done, cutting{key, len(s)})
		}
	}
	for _, c := range done {
		t.flag(attrs, c.key, c.size)
	}
}

func (t *Truncator) chosen(key string) bool {
	if strings.HasSuffix(key, payloadSuffix) {
		return true
	}
	if _, ok := t.keys[key]; ok {
		return true
	}
	return slices.ContainsFunc(t.numbered, func(prefix string) bool {
		rest, ok := strings.CutPrefix(key, prefix)
		return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
	})
}

func (t *Truncator) shorten(s string, at place, sum *counts) string {
	short := t.cut(s, t.limit)
	sum.add(at, len(s)-len(short))
	return short
}

// flag records that the named value was cut from size bytes. A value that arrived
// with a flag was cut before: its size here is not the original one.
func (t *Truncator) flag(attrs pcommon.Map, name string, size int) {
	flag, again := attrs.GetOrPutEmpty(name + flagSuffix)
	again = again && flag.Bool()
	flag.SetBool(true)
	if !t.originalSize || again {
		return
	}
	if original, known := attrs.GetOrPutEmpty(name + originalSuffix); !known {
		original.SetInt(int64(size))
	}
}
