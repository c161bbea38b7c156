package mcpreceiver

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
)

// request holds what an agent sends at once.
type request struct {
	from, at int64 // what is in it happened then, and it is sent then; Unix ns
	data     any   // plog.Logs or ptrace.Traces
}

// item is one record or span of a file, with where it is from.
type item struct {
	at  int64
	add func(at int64)
}

// requests returns those of all files of a step, in the order in which they are sent. Of
// two at one time that of the log records is the first.
func (f *otlpFixture) requests(t *testing.T, s otlpStep) (all []request) {
	for _, name := range s.Replay {
		path := filepath.Join(f.dir, name)
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".logs.json") {
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
			require.NoError(t, err)
			all = append(all, f.ofLogs(ld, length(t, s.Logs))...)
			continue
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		require.NoError(t, err)
		all = append(all, f.ofTraces(td, length(t, s.Traces))...)
	}
	require.NotEmpty(t, all)
	slices.SortStableFunc(all, func(a, b request) int {
		_, aLogs := a.data.(plog.Logs)
		_, bLogs := b.data.(plog.Logs)
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(logsFirst(aLogs), logsFirst(bLogs)))
	})
	return all
}

func logsFirst(logs bool) int {
	if logs {
		return 0
	}
	return 1
}

// ofLogs cuts records into requests.
func (f *otlpFixture) ofLogs(ld plog.Logs, every time.Duration) (all []request) {
	into, scopes := map[int64]plog.Logs{}, map[place]plog.ScopeLogs{}
	var items []item
	for r, rl := range ld.ResourceLogs().All() {
		for s, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				items = append(items, item{timeOfRecord(lr), func(at int64) {
					if _, ok := into[at]; !ok {
						into[at] = plog.NewLogs()
					}
					scope, ok := scopes[place{at, r, s}]
					if !ok {
						resource := into[at].ResourceLogs().AppendEmpty()
						rl.Resource().CopyTo(resource.Resource())
						scope = resource.ScopeLogs().AppendEmpty()
						sl.Scope().CopyTo(scope.Scope())
						scopes[place{at, r, s}] = scope
					}
					lr.CopyTo(scope.LogRecords().AppendEmpty())
				}})
			}
		}
	}
	for _, slot := range cut(items, every) {
		all = append(all, request{slot.from, slot.at, into[slot.at]})
	}
	return all
}

// timeOfRecord is when a record was made: some agents say it in an attribute only.
func timeOfRecord(lr plog.LogRecord) int64 {
	a := otlp.Of(lr.Attributes())
	return cmp.Or(otlp.Nanos(lr.Timestamp()), otlp.Nanos(lr.ObservedTimestamp()), a.Time("event.timestamp"))
}

// ofTraces cuts spans into requests: a span is exported when it has ended.
func (f *otlpFixture) ofTraces(td ptrace.Traces, every time.Duration) (all []request) {
	into, scopes := map[int64]ptrace.Traces{}, map[place]ptrace.ScopeSpans{}
	var items []item
	for r, rs := range td.ResourceSpans().All() {
		for s, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				f.natives[span.SpanID().String()] = span.Attributes().AsRaw()
				items = append(items, item{otlp.Nanos(span.EndTimestamp()), func(at int64) {
					if _, ok := into[at]; !ok {
						into[at] = ptrace.NewTraces()
					}
					scope, ok := scopes[place{at, r, s}]
					if !ok {
						resource := into[at].ResourceSpans().AppendEmpty()
						rs.Resource().CopyTo(resource.Resource())
						scope = resource.ScopeSpans().AppendEmpty()
						ss.Scope().CopyTo(scope.Scope())
						scopes[place{at, r, s}] = scope
					}
					span.CopyTo(scope.Spans().AppendEmpty())
				}})
			}
		}
	}
	for _, slot := range cut(items, every) {
		all = append(all, request{slot.from, slot.at, into[slot.at]})
	}
	return all
}

// place is a scope of a file in one request.
type place struct {
	at              int64
	resource, scope int
}

// slot is an interval of an exporter in which something happened.
type slot struct{ from, at int64 }

// cut puts items into the intervals of an exporter, which count from the first item.
func cut(items []item, every time.Duration) (slots []slot) {
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.at, b.at) })
	for _, it := range items {
		at := items[0].at + ((it.at-items[0].at)/int64(every)+1)*int64(every)
		if len(slots) == 0 || slots[len(slots)-1].at != at {
			slots = append(slots, slot{it.at, at})
		}
		it.add(at)
	}
	return slots
}
