package mcpprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/jsoncut"
)

// truncator cuts values that are longer than its limit and flags them. It keeps
// nothing from one batch to the next and is safe for concurrent use.
type truncator struct {
	limit        int // bytes
	keys         map[string]struct{}
	cut          func(s string, limit int) string
	originalSize bool
}

func newTruncator(cfg *TruncateConfig) *truncator {
	t := &truncator{limit: cfg.MaxBytes, keys: map[string]struct{}{}, cut: cutPrefix, originalSize: cfg.OriginalSize}
	if cfg.Mode == ModeJSON {
		t.cut = cutJSON
	}
	for _, key := range cfg.keys() {
		t.keys[key] = struct{}{}
	}
	return t
}

func (t *truncator) traces(td ptrace.Traces) (sum tally) {
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

func (t *truncator) span(span ptrace.Span, sum *tally) {
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

func (t *truncator) logs(ld plog.Logs) (sum tally) {
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

func (t *truncator) record(record plog.LogRecord, sum *tally) {
	t.attributes(record.Attributes(), inLog, sum)
	if body := record.Body().Str(); len(body) > t.limit {
		record.Body().SetStr(t.shorten(body, inBody, sum))
		t.flag(record.Attributes(), "body", len(body))
	}
}

// attributes looks at the length first: of a value that fits, and of one that is
// no string, the key does not matter. The flags wait for the end of the loop,
// because a new key may move the map under it.
func (t *truncator) attributes(attrs pcommon.Map, at place, sum *tally) {
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

func (t *truncator) chosen(key string) bool {
	if strings.HasSuffix(key, payloadSuffix) {
		return true
	}
	_, ok := t.keys[key]
	return ok
}

func (t *truncator) shorten(s string, at place, sum *tally) string {
	short := t.cut(s, t.limit)
	sum.add(at, len(s)-len(short))
	return short
}

// flag says that the named value was cut from size bytes. Of a value that came
// with a flag someone else knows the size: what is seen here is not the original.
func (t *truncator) flag(attrs pcommon.Map, name string, size int) {
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

// wasteful is how many times longer than what is left of it a value must have
// been before the rest is worth a copy.
const wasteful = 4

// cutPrefix lets the long value go when it is very long, so that a queue of cut
// values does not hold the whole ones in memory.
func cutPrefix(s string, limit int) string {
	head := jsonscan.Cut(s, limit)
	if len(s) > wasteful*len(head) {
		return strings.Clone(head)
	}
	return head
}

func cutJSON(s string, limit int) string {
	if head, ok := jsoncut.Cut(s, limit); ok {
		return head
	}
	return cutPrefix(s, limit)
}
