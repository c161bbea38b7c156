package correlate

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// sameInAllOrders adds the reports in all orders, and returns the set of the first one.
// There are at most five.
func sameInAllOrders(t *testing.T, reports []Report) *Set {
	t.Helper()
	var first *Set
	orders(reports, func(order []Report) {
		s := &Set{}
		addAll(s, order)
		if first == nil {
			first = s
			return
		}
		equalFacts(t, s, first.dump(), fmt.Sprintf("%+v", first.Totals()))
	})
	return first
}

func orders(reports []Report, f func([]Report)) {
	var walk func(int)
	walk = func(n int) {
		if n == len(reports) {
			f(slices.Clone(reports))
			return
		}
		for i := n; i < len(reports); i++ {
			reports[n], reports[i] = reports[i], reports[n]
			walk(n + 1)
			reports[n], reports[i] = reports[i], reports[n]
		}
	}
	walk(0)
}

func ids(all ...ID) (r [maxIDs]ID) { copy(r[:], all); return r }

func at(seconds float64) int64 { return int64((1_000 + seconds) * float64(second)) }

// fiveReports returns the reports of Claude Code about a tool call that a person approved.
func fiveReports(id ID) []Report {
	base := Report{Kind: ToolCall, Name: "mcp__files__read", IDs: ids(id), Digest: Digest(`{"path":"a"}`)}
	with := func(source Source, stage Stage, start, end float64, more func(*Report)) Report {
		r := base
		r.Source, r.Stage, r.End = source, stage, at(end)
		if start >= 0 {
			r.Start = at(start)
		}
		if more != nil {
			more(&r)
		}
		return r
	}
	return []Report{
		with(Hook, Begin, 0, 0, nil),
		with(Hook, Whole, -1, 34, func(r *Report) { r.Outcome = OK }),
		with(Log, Decision, 30, 30, func(r *Report) { r.Verdict, r.Digest = Accepted, 0 }),
		with(Log, Whole, 30, 34.1, func(r *Report) { r.Outcome, r.Digest = OK, 0 }),
		with(Span, Whole, 0.1, 34, func(r *Report) { r.Digest = 0; r.Alias = "read" }),
	}
}

// One call that five reports are about is one fact in all 120 orders.
func TestOneCallFiveReports(t *testing.T) {
	for _, id := range []ID{0, NewID(CallID, "toolu_1")} {
		s := sameInAllOrders(t, fiveReports(id))
		if n := s.Totals().ToolCalls; n != 1 {
			t.Errorf("id %x: %d calls\n%s", id, n, s.dump())
		}
	}
}

// The same with some ids missing.
func TestOneCallWithIDsOfSomeSources(t *testing.T) {
	for missing := range 1 << 5 {
		reports := fiveReports(NewID(CallID, "toolu_1"))
		for i := range reports {
			if missing&(1<<i) != 0 {
				reports[i].IDs = ids()
			}
		}
		if s := sameInAllOrders(t, reports); s.Len() != 1 {
			t.Errorf("without ids of %05b: %d facts\n%s", missing, s.Len(), s.dump())
		}
	}
}

// Each sentence of the rules has its cases here.
func TestRules(t *testing.T) {
	call := func(s string) ID { return NewID(CallID, s) }
	span := func(s string) ID { return NewID(SpanID, s) }
	tool := func(source Source, start, end float64, more ...func(*Report)) Report {
		r := Report{Source: source, Kind: ToolCall, Name: "read", Start: at(start), End: at(end)}
		for _, m := range more {
			m(&r)
		}
		return r
	}
	id := func(all ...ID) func(*Report) { return func(r *Report) { r.IDs = ids(all...) } }
	input := func(s string) func(*Report) { return func(r *Report) { r.Digest = Digest(s) } }
	name := func(n, alias string) func(*Report) { return func(r *Report) { r.Name, r.Alias = n, alias } }
	stage := func(st Stage) func(*Report) { return func(r *Report) { r.Stage = st } }
	hidden := func(server, tool string) string { return hash(server) + "/" + hash(tool) }
	thread := func(th string) func(*Report) { return func(r *Report) { r.Thread = th } }
	unknownThread := func(r *Report) { r.AnyThread = true }
	outcome := func(o Outcome) func(*Report) { return func(r *Report) { r.Outcome = o } }
	model := func(n, alias string, in int64) func(*Report) {
		return func(r *Report) {
			r.Kind, r.Name, r.Alias = ModelCall, n, alias
			r.Usage, r.HasUsage = Usage{Input: in, Output: 1}, in != 0
		}
	}
	kind := func(k Kind) func(*Report) { return func(r *Report) { r.Kind = k } }
	for _, c := range []struct {
		what    string
		reports []Report
		facts   int
	}{
		{"the same report again replaces itself, by its id", []Report{tool(Hook, 0, 1, id(call("a"))), tool(Hook, 0, 5, id(call("a")))}, 1},
		{"the same report again replaces itself, by its content", []Report{tool(Hook, 0, 1), tool(Hook, 0, 1)}, 1},
		{"other content is another report", []Report{tool(Hook, 0, 1), tool(Hook, 0, 1.5)}, 2},
		{"start and end of one id are one", []Report{tool(Hook, 0, 0, id(call("a")), stage(Begin)), tool(Hook, 9000, 9000, id(call("a")))}, 1},
		{"an equal id joins, whatever the time", []Report{tool(Hook, 0, 1, id(call("a"))), tool(Log, 900, 901, id(call("a")))}, 1},
		{"an id joins by another one", []Report{tool(Span, 0, 1, id(span("s"), call("a"))), tool(Hook, 0, 1, id(call("a"))), tool(Wire, 0, 1, id(span("s")))}, 1},
		{"ids that differ never join", []Report{tool(Hook, 0, 1, id(call("a"))), tool(Log, 0, 1, id(call("b")))}, 2},
		{"ids of other kinds do not contradict", []Report{tool(Span, 0, 1, id(span("s"))), tool(Hook, 0, 1, id(call("b")))}, 1},
		{"equal ids of other kinds of things do not join", []Report{tool(Hook, 0, 1, id(call("a"))), tool(Hook, 0, 1, id(call("a")), kind(Agent))}, 2},
		{"what has no kind is no id", []Report{tool(Span, 0, 1, id(call("a"), 8)), tool(Log, 0, 1, id(call("a"), 16))}, 1},
		{"one of each source at most", []Report{tool(Hook, 0, 1), tool(Hook, 0.1, 1.1), tool(Log, 0, 1)}, 2},
		{"A and B, B and C by other ids, A and C contradict", []Report{tool(Span, 0, 1, id(call("a"), span("s"))), tool(Hook, 50, 51, id(call("a"), NewID(RequestID, "r"))), tool(Log, 100, 101, id(NewID(RequestID, "r"), span("t")))}, 2},
		{"without ids: near is one", []Report{tool(Span, 0, 1), tool(Log, 3, 3)}, 1},
		{"without ids: 2 s are the reach", []Report{tool(Span, 0, 1), tool(Log, 3.01, 3.01)}, 2},
		{"inside an interval is no distance", []Report{tool(Span, 0, 600), tool(Log, 300, 300)}, 1},
		{"the time of an approval is no distance", []Report{tool(Hook, 0, 0, stage(Begin)), tool(Span, 300, 301)}, 1},
		{"a batch delay at the end is no distance", []Report{tool(Span, 0, 600), tool(Hook, 601, 601)}, 1},
		{"other threads are others", []Report{tool(Span, 0, 1), tool(Log, 0, 1, thread("a"))}, 2},
		{"an unknown thread may be any", []Report{tool(Span, 0, 1, unknownThread), tool(Log, 0, 1, thread("a"))}, 1},
		{"an unknown thread joins one of two", []Report{tool(Span, 0, 1, unknownThread), tool(Log, 0, 1, thread("a")), tool(Hook, 0, 1)}, 2},
		{"unknown threads are told apart by input", []Report{tool(Hook, 0, 1, unknownThread, input("x")), tool(Hook, 0.1, 1, unknownThread, input("y")), tool(Log, 0, 1, input("y")), tool(Log, 0.1, 1, thread("a"), input("x"))}, 2},
		{"other names are others", []Report{tool(Span, 0, 1), tool(Log, 0, 1, name("write", ""))}, 2},
		{"other kinds are others", []Report{tool(Span, 0, 1), tool(Log, 0, 1, kind(Wait))}, 2},
		{"an agent's and a server's name of a tool are equal", []Report{tool(Hook, 0, 1, name("mcp__git__read", "")), tool(Wire, 0, 1)}, 1},
		{"the end of a word is no name of a tool", []Report{tool(Hook, 0, 1, name("spread", "")), tool(Wire, 0, 1)}, 2},
		{"other prefixes are other tools", []Report{tool(Hook, 0, 1, name("mcp__git__read", "")), tool(Wire, 0, 1, name("mcp__fs__read", ""))}, 2},
		{"a tool of another server is another tool", []Report{tool(Span, 0, 1, name("mcp_git_add", "add")), tool(Log, 0, 1, name("mcp_fs_add", "add"))}, 2},
		{"a server's name may have a prefix", []Report{tool(Span, 0, 1, name("mcp__git__add", "add")), tool(Log, 0, 1, name("git-add", "add"))}, 1},
		{"a hash of server and tool is a name of the tool", []Report{tool(Span, 0, 1, name(hidden("git", "add_all"), "")), tool(Hook, 0, 1, name("git-add_all", ""))}, 1},
		{"a hash of the server's own name too", []Report{tool(Span, 0, 1, name(hidden("git", "add_all"), "")), tool(Wire, 0, 1, name("add_all", ""))}, 1},
		{"a hash of a name with a prefix too", []Report{tool(Span, 0, 1, name(hidden("git", "add_all"), "")), tool(Hook, 0, 1, name("mcp__git__add_all", "add_all"))}, 1},
		{"a hash of another server's tool is another tool", []Report{tool(Span, 0, 1, name(hidden("fs", "add"), "")), tool(Hook, 0, 1, name("git-add", "add"))}, 2},
		{"a hash of another tool is another tool", []Report{tool(Span, 0, 1, name(hidden("git", "add"), "")), tool(Hook, 0, 1, name("git-all", ""))}, 2},
		{"hashes of two tools join their own", []Report{
			tool(Span, 0, 1, name(hidden("git", "add"), ""), id(call("a"))), tool(Span, 0.1, 1, name(hidden("git", "add_all"), ""), id(call("b"))),
			tool(Hook, 0, 1, name("git-add_all", "")), tool(Hook, 0.1, 1, name("git-add", "add")),
		}, 2},
		{"what begins behind the end of its source is another thing", []Report{tool(Log, 0, 1, outcome(Failed)), tool(Log, 1.5, 1.5, stage(Begin))}, 2},
		{"what is decided behind it too", []Report{tool(Log, 0, 1, outcome(Failed)), tool(Log, 1.5, 1.5, stage(Decision))}, 2},
		{"a second name joins", []Report{tool(Hook, 0, 1, name("do_read", "mcp__fs__read")), tool(Wire, 0, 1, name("fs__read", ""))}, 1},
		{"equal input joins the right ones", []Report{tool(Span, 0, 1, input("x")), tool(Span, 0.1, 1, input("y")), tool(Log, 0.2, 1, input("y")), tool(Log, 0.3, 1, input("x"))}, 2},
		{"other input never joins", []Report{tool(Span, 0, 1, input("x")), tool(Log, 0, 1, input("y"))}, 2},
		{"unknown input joins", []Report{tool(Span, 0, 1, input("x")), tool(Log, 0, 1)}, 1},
		{"models: asked and answered name are equal", []Report{tool(Log, 0, 1, model("opus", "opus-2", 5)), tool(Span, 0, 1, model("opus-2", "", 5))}, 1},
		{"models: no name joins", []Report{tool(Log, 0, 1, model("", "", 0)), tool(Span, 0, 1, model("opus", "", 5))}, 1},
		{"models: other tokens never join", []Report{tool(Log, 0, 1, model("opus", "", 5)), tool(Span, 0, 1, model("opus", "", 6))}, 2},
		{"models: other names are others", []Report{tool(Log, 0, 1, model("opus", "", 0)), tool(Span, 0, 1, model("haiku", "", 0))}, 2},
		{"a model is called again", []Report{
			tool(Hook, 0, 9, model("m", "", 5), outcome(OK)), tool(Span, 1, 2, model("m", "", 0), outcome(Failed)),
			tool(Hook, 2, 2, model("m", "", 0), outcome(Failed)), tool(Span, 5, 9, model("m", "", 5), outcome(OK)),
		}, 2},
		{"what was refused has not returned", []Report{tool(Log, 0, 1, outcome(Refused)), tool(Hook, 0, 1, outcome(OK))}, 2},
		{"the earliest two within reach are a pair", []Report{tool(Span, 0, 0), tool(Span, 1, 1), tool(Log, 1.6, 1.6), tool(Log, 2.6, 2.6)}, 2},
		{"an end that was lost shifts no other", []Report{tool(Hook, 0, 0, stage(Begin)), tool(Hook, 50, 50, stage(Begin)), tool(Hook, 51, 51)}, 2},
		{"a host's error and its phase within 5 s are one", []Report{tool(Wire, 0, 0, kind(HostError), outcome(Failed)), tool(Hook, 4.9, 4.9, kind(HostError), outcome(Failed))}, 1},
		{"later than 5 s they are two", []Report{tool(Wire, 0, 0, kind(HostError), outcome(Failed)), tool(Hook, 5.1, 5.1, kind(HostError), outcome(Failed))}, 2},
		{"agents join by their id", []Report{tool(Hook, 0, 1, kind(Agent), id(NewID(AgentID, "x"))), tool(Span, 40, 41, kind(Agent), id(span("s"), NewID(AgentID, "x")))}, 1},
		{"turns join by their id", []Report{tool(Hook, 0, 1, kind(Turn), id(NewID(PromptID, "x"))), tool(Log, 40, 41, kind(Turn), id(NewID(PromptID, "x")))}, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			if s := sameInAllOrders(t, c.reports); s.Len() != c.facts {
				t.Errorf("%d facts, want %d\n%s", s.Len(), c.facts, s.dump())
			}
		})
	}
}

// The earliest are paired with the earliest, not only counted right.
func TestPairsKeepTheirOrder(t *testing.T) {
	var reports []Report
	for i := range 2 {
		t := at(float64(i))
		reports = append(reports,
			Report{Source: Span, Kind: ToolCall, Name: "read", IDs: ids(NewID(SpanID, strconv.Itoa(i))), Start: t, End: t, Outcome: OK},
			Report{Source: Log, Kind: ToolCall, Name: "read", Start: t + 1.6e9, End: t + 1.6e9, Outcome: Outcome(i + 1)})
	}
	s := sameInAllOrders(t, reports)
	s.All(func(f *Fact) {
		if f.Sources != Sources(0).With(Span).With(Log) {
			t.Errorf("fact is %+v", f)
		}
	})
}

// A fact has the name that is not hashed.
func TestHashedNameGivesWay(t *testing.T) {
	s := sameInAllOrders(t, []Report{
		{Source: Span, Kind: ToolCall, Name: hash("git") + "/" + hash("add"), IDs: ids(NewID(CallID, "a")), Start: at(0), End: at(1)},
		{Source: Hook, Kind: ToolCall, Stage: Begin, Name: "git-add", Start: at(0)},
	})
	s.All(func(f *Fact) {
		if f.Name != "git-add" {
			t.Errorf("fact is %+v", f)
		}
	})
}

// Fields come from the best source that has them.
func TestBestSource(t *testing.T) {
	usage := func(n int64) Usage { return Usage{Input: n, Output: n} }
	s := sameInAllOrders(t, []Report{
		{Source: Span, Kind: ModelCall, IDs: ids(NewID(RequestID, "r")), Start: at(1), End: at(2), Alias: "opus-2", Usage: usage(10), HasUsage: true, Cost: 3, HasCost: true, Priced: true},
		{Source: Hook, Kind: ModelCall, IDs: ids(NewID(RequestID, "r")), Start: at(0), End: at(4), Name: "opus", Usage: usage(20), HasUsage: true, Cost: 2, HasCost: true, Outcome: OK},
		{Source: Log, Kind: ModelCall, IDs: ids(NewID(RequestID, "r")), Start: at(3), End: at(5), Name: "log", Usage: Usage{Input: 30, Output: 30, CacheRead: 7}, HasUsage: true, Cost: 1, HasCost: true, Outcome: Failed, Text: "no"},
		{Source: Transcript, Kind: ModelCall, IDs: ids(NewID(RequestID, "r")), Start: at(9), End: at(9), Parent: NewID(PromptID, "t")},
	})
	all := Sources(0).With(Span).With(Hook).With(Log).With(Transcript)
	want := Fact{
		Kind: ModelCall, Sources: all, Ended: all, Name: "opus", Alias: "opus-2", Main: true,
		Begun: true, Start: at(1), End: at(2), Parent: NewID(PromptID, "t"),
		Usage: Usage{Input: 10, Output: 10, CacheRead: 7}, HasUsage: true, Cost: 1, HasCost: true, Outcome: OK, Text: "no", cost: nano,
	}
	s.All(func(f *Fact) {
		want.ID = f.ID
		if *f != want {
			t.Errorf("fact is\n%+v, want\n%+v", *f, want)
		}
	})
}

// A report says what it means for the facts.
func TestChanges(t *testing.T) {
	s := &Set{}
	hook := Report{Source: Hook, Kind: ToolCall, Stage: Begin, Name: "read", IDs: ids(NewID(CallID, "a")), Start: at(0)}
	done := Report{Source: Hook, Kind: ToolCall, Name: "read", IDs: ids(NewID(CallID, "a")), End: at(1), Outcome: OK}
	span := Report{Source: Span, Kind: ToolCall, Name: "read", IDs: ids(NewID(SpanID, "s")), Start: at(40), End: at(41)}
	both := Report{Source: Log, Kind: ToolCall, Name: "read", IDs: ids(NewID(CallID, "a"), NewID(SpanID, "s")), Start: at(40), End: at(41)}
	for i, c := range []struct {
		report *Report
		status Status
		fact   FactID
		facts  string
		gone   string
	}{
		{&hook, New, 0, "[0]", "[]"},
		{&hook, Repeated, 0, "[]", "[]"},
		{&done, Amended, 0, "[0]", "[]"},
		{&span, New, 1, "[1]", "[]"},
		{&both, Merged, 0, "[0]", "[1]"},
		{&Report{}, Invalid, 0, "[]", "[]"},
	} {
		got := s.Add(c.report)
		if got.Status != c.status || got.Fact != c.fact || fmt.Sprint(got.Facts) != c.facts || fmt.Sprint(got.Gone) != c.gone {
			t.Errorf("%d: change is %+v, want %+v", i, got, c)
		}
	}
	if now, ok := s.FactOf(1); !ok || now != 0 {
		t.Errorf("fact 1 is now %d, %v", now, ok)
	}
}

// More accounts than ids may link are refused, and change nothing.
func TestTooManyLinkedReportsAreRefused(t *testing.T) {
	s := &Set{}
	for i := range maxLinked + 10 {
		c := s.Add(&Report{Source: Hook, Kind: ToolCall, IDs: ids(NewID(CallID, strconv.Itoa(i)), NewID(SpanID, "s")), Start: at(float64(i)), End: at(float64(i))})
		if want := i < maxLinked; (c.Status != Invalid) != want {
			t.Fatalf("report %d: %+v", i, c)
		}
	}
	if s.Len() != maxLinked {
		t.Errorf("%d facts", s.Len())
	}
}

func TestSpanSource(t *testing.T) {
	of := func(all ...Source) (s Sources) {
		for _, o := range all {
			s = s.With(o)
		}
		return s
	}
	for _, c := range []struct {
		seen, expected Sources
		best           Source
		settled        bool
	}{
		{0, 0, 0, false},
		{of(Wire), 0, 0, false},
		{of(Hook, Log), 0, Hook, false},
		{of(Hook), of(Log), Hook, true},
		{of(Hook), of(Span), Span, true},
		{of(Span, Hook), 0, Span, true},
		{of(Transcript), of(Transcript), Transcript, true},
	} {
		if best, settled := SpanSource(c.seen, c.expected); best != c.best || settled != c.settled {
			t.Errorf("seen %b, expected %b: %d, %v", c.seen, c.expected, best, settled)
		}
	}
}

// What both sets had is merged; what only one had is not.
func TestAbsorbReturnsWhatBecameOne(t *testing.T) {
	call := func(source Source, id string, start int64) *Report {
		return &Report{Source: source, Kind: ToolCall, Name: "Bash", IDs: [3]ID{NewID(CallID, id)}, Start: start, End: start + 1}
	}
	s, part := &Set{}, &Set{}
	s.Add(call(Hook, "a", 1e12))
	s.Add(call(Hook, "b", 2e12))
	part.Add(call(Span, "a", 1e12))
	part.Add(call(Log, "a", 1e12))
	part.Add(call(Span, "c", 3e12))
	moved := 0
	if got := s.Absorb(part, "", func(_, _ Account) { moved++ }); got != 1 || moved != 3 || s.Len() != 3 {
		t.Errorf("%d merged, %d moved, %d facts; want 1, 3 and 3", got, moved, s.Len())
	}
}
