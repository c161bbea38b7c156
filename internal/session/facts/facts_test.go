package facts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

const second = int64(1e9)

// held is a call that a source reported to have run from start to end; 0 is no end.
func held(kind event.CallKind, id, name string, start, end int64, by event.Source) *store.Call {
	c := &store.Call{}
	c.Kind, c.Source, c.Key = kind, by, store.CallKey{ID: id, FromClient: true}
	c.Target, c.Start = name, start
	c.Report = &store.Report{Reported: store.SourceOf(by), Over: end != 0, By: by, End: end}
	return c
}

func sessionWith(calls ...*store.Call) *store.Session {
	s := &store.Session{}
	s.Agent = &store.CodingAgent{}
	s.Calls = map[store.CallKey]*store.Call{}
	for _, c := range calls {
		s.Calls[c.Key] = c
	}
	return s
}

// Which of the calls of a session a source means that gives it another id, or none.
func TestOpen(t *testing.T) {
	const loose, other = store.GeneratedID + `a"`, store.GeneratedID + `b"`
	hash := store.HashedTool("files", "read")
	of := func(change func(*store.Call), c *store.Call) *store.Call {
		change(c)
		return c
	}
	for name, tt := range map[string]struct {
		call *store.Call
		fact Fact
		want bool
	}{
		"the same id": {
			held(event.ToolCall, `"t1"`, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "another", Start: 90 * second, Source: event.AgentSpan},
			true,
		},
		"another id": {
			held(event.ToolCall, `"t1"`, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: `"t2"`, FromClient: true}, Name: "Bash", Start: second, Source: event.AgentSpan},
			false,
		},
		"no id, by name and time": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "Bash", Start: 2 * second, Source: event.AgentSpan},
			true,
		},
		"no id, another name": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "Read", Start: second, Source: event.AgentSpan},
			false,
		},
		"no id, too far": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "Bash", Start: 4 * second, Source: event.AgentSpan},
			false,
		},
		"no id, too far, with the same input": {
			of(func(c *store.Call) { c.InputSum = 7 }, held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog)),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "Bash", Start: 40 * second, Sum: 7, Source: event.AgentSpan},
			true,
		},
		"the id that another source gave it": {
			of(func(c *store.Call) { c.Use = `"t1"` }, held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog)),
			Fact{Key: store.CallKey{ID: `"t2"`, FromClient: true}, Name: "Bash", Start: second, Source: event.AgentSpan},
			false,
		},
		"once more by the same source, no id": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: loose, FromClient: true}, Name: "Bash", Start: 3 * second, Source: event.AgentLog},
			false,
		},
		"repeated by the same source, no id": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: loose, FromClient: true}, Name: "Bash", Start: second, Source: event.AgentLog},
			true,
		},
		"once more by the same source, with other input": {
			held(event.ToolCall, loose, "Bash", second, 2*second, event.AgentLog),
			Fact{Key: store.CallKey{ID: other, FromClient: true}, Name: "Bash", Start: second, Source: event.AgentLog},
			false,
		},
		"the hashes of Copilot": {
			of(func(c *store.Call) { c.Server, c.Report.Name = "files", "read" }, held(event.ToolCall, loose, "mcp__files__read", second, 2*second, event.Hook)),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: hash, Start: second, Source: event.AgentSpan},
			true,
		},
		"the hashes of another server": {
			of(func(c *store.Call) { c.Server, c.Report.Name = "other", "read" }, held(event.ToolCall, loose, "mcp__other__read", second, 2*second, event.Hook)),
			Fact{Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: hash, Start: second, Source: event.AgentSpan},
			false,
		},
		"what failed and does not name its model": {
			of(func(c *store.Call) { c.Report.Failed = true }, held(event.ModelCall, loose, "gpt", second, 2*second, event.AgentLog)),
			Fact{Kind: event.ModelCall, Key: store.CallKey{ID: other, FromClient: true}, Start: 5 * second, End: 6 * second, Failed: true, Source: event.AgentSpan},
			true,
		},
		"one that failed and one that did not": {
			held(event.ModelCall, loose, "gpt", second, 2*second, event.AgentLog),
			Fact{Kind: event.ModelCall, Key: store.CallKey{ID: other, FromClient: true}, Start: 5 * second, End: 6 * second, Failed: true, Source: event.AgentSpan},
			false,
		},
		"the same tokens": {
			of(func(c *store.Call) { c.Model = &store.Model{Usage: store.Usage{Input: 10, Output: 2}} }, held(event.ModelCall, loose, "gpt", second, 2*second, event.AgentLog)),
			Fact{Kind: event.ModelCall, Key: store.CallKey{ID: other, FromClient: true}, Name: "gpt", Start: second, End: 30 * second, Sum: store.Usage{Input: 10, Output: 2}.Fingerprint(), Source: event.AgentSpan},
			true,
		},
		"other tokens": {
			of(func(c *store.Call) { c.Model = &store.Model{Usage: store.Usage{Input: 10, Output: 2}} }, held(event.ModelCall, loose, "gpt", second, 2*second, event.AgentLog)),
			Fact{Kind: event.ModelCall, Key: store.CallKey{ID: other, FromClient: true}, Name: "gpt", Start: second, End: 2 * second, Sum: store.Usage{Input: 10, Output: 3}.Fingerprint(), Source: event.AgentSpan},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.fact.Kind == 0 {
				tt.fact.Kind = event.ToolCall
			}
			assert.Equal(t, tt.want, Open(sessionWith(tt.call), &tt.fact) == tt.call)
		})
	}
}

// A log record without an id comes behind: its call has left, and the next one of the tool
// is open.
func TestOpenWhereTheFactHasLeft(t *testing.T) {
	left := store.Fact{Start: 10 * second, End: 11 * second, Reported: store.FromSpans | store.FromHooks}
	record := Fact{Kind: event.ToolCall, Key: store.CallKey{ID: store.GeneratedID + `c"`, FromClient: true}, Name: "Bash", Start: 10 * second, Source: event.AgentLog}
	left.Name, left.Key = record.NameHash(), 1
	for name, tt := range map[string]struct {
		change   func(open *store.Call, left *store.Fact, record *Fact)
		wantOpen bool
	}{
		"nearer in time":             {func(*store.Call, *store.Fact, *Fact) {}, false},
		"farther in time":            {func(_ *store.Call, _ *store.Fact, r *Fact) { r.Start = 11*second + second/2 }, true},
		"by the input":               {func(_ *store.Call, l *store.Fact, r *Fact) { l.Sum, r.Sum, r.Start = 7, 7, 11*second+second/2 }, false},
		"the open one's":             {func(c *store.Call, _ *store.Fact, r *Fact) { c.InputSum, r.Sum = 7, 7 }, true},
		"told by a record":           {func(_ *store.Call, l *store.Fact, _ *Fact) { l.Reported |= store.FromLogs }, true},
		"another tool":               {func(_ *store.Call, l *store.Fact, _ *Fact) { l.Name++ }, true},
		"a refusal of what returned": {func(_ *store.Call, _ *store.Fact, r *Fact) { r.Refused = true }, true},
		"by its id": {func(_ *store.Call, l *store.Fact, r *Fact) {
			r.Key.ID = `"t1"`
			r.Source, l.Key, r.Start = event.AgentSpan, r.KeyHash(), 11*second+second/2
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			open := held(event.ToolCall, store.GeneratedID+`b"`, "Bash", 11*second+second/2, 0, event.Hook)
			s, done, fact := sessionWith(open), left, record
			tt.change(open, &done, &fact)
			s.Agent.Done = []store.Fact{done}
			assert.Equal(t, tt.wantOpen, Open(s, &fact) == open)
			assert.Equal(t, tt.wantOpen, Open(s, &fact) != nil)
		})
	}
}

// Of several that may be meant, the nearest is; one source reports each once.
func TestOpenOfSeveral(t *testing.T) {
	first := held(event.ToolCall, store.GeneratedID+`a"`, "Bash", second, 2*second, event.AgentLog)
	next := held(event.ToolCall, store.GeneratedID+`b"`, "Bash", 2*second, 3*second, event.AgentLog)
	s := sessionWith(first, next)
	f := Fact{Kind: event.ToolCall, Key: store.CallKey{ID: `"t1"`, FromClient: true}, Name: "Bash", Start: 2*second - 1, Source: event.AgentSpan}
	assert.Same(t, next, Open(s, &f))
	next.Report.Reported |= store.FromSpans
	assert.Same(t, first, Open(s, &f))
	for range store.NestedMax { // very many are found by their keys only
		c := held(event.ToolCall, store.GeneratedID+strings.Repeat("x", len(s.Calls))+`"`, "Bash", second, 0, event.AgentLog)
		s.Calls[c.Key] = c
	}
	assert.Nil(t, Open(s, &f))
}
