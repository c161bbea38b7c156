package correlate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("correlate.seed", 0, "seed of the generated reports, 0 for the time")

func newRand(tb testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	tb.Logf("-correlate.seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

const second = int64(1e9)

// story makes reports of things that happened, as sources would report them, with or
// without ids; wild ones have ids that contradict each other and times at random.
func story(r *rand.Rand, n int, wild bool) (reports []Report) {
	now := int64(1_000) * second
	tools := []label{{"Read", ""}, {"mcp__github__create_issue", "create_issue"}, {"create_issue", ""}, {"close_issue", ""}, {hash("github") + "/" + hash("create_issue"), ""}}
	models := []label{{"opus", ""}, {"opus", "opus-2026"}, {"", "opus-2026"}, {"haiku", ""}}
	for len(reports) < n {
		now += r.Int64N(3) * r.Int64N(second)
		kind := Kind(1 + r.IntN(int(Connection)))
		if r.IntN(2) == 0 {
			kind = ToolCall
		}
		keyed, call := r.IntN(3) > 0, fmt.Sprint("c", r.IntN(n))
		digest := Digest(strconv.Itoa(r.IntN(3)))
		length := r.Int64N(5) * r.Int64N(second)
		usage := Usage{Input: 1 + r.Int64N(50), Output: 1 + r.Int64N(9)}
		outcome := Outcome(r.IntN(5))
		thread := []string{"", "", "a1"}[r.IntN(3)]
		parent := NewID(CallID, fmt.Sprint("c", r.IntN(n)))
		for source := Span; source < sources; source++ {
			for stage := range Stage(stages) {
				if r.IntN(3) > 0 {
					continue
				}
				skew := r.Int64N(second / 4)
				rep := Report{Source: source, Kind: kind, Stage: stage, Thread: thread, Start: now + skew, End: now + skew + length, Outcome: outcome, Parent: parent}
				if rep.AnyThread = r.IntN(4) == 0; rep.AnyThread {
					rep.Thread = ""
				}
				switch kind {
				case ToolCall:
					l := tools[r.IntN(len(tools))]
					rep.Name, rep.Alias = l.name, l.alias
					if r.IntN(2) == 0 {
						rep.Digest = digest
					}
				case Connection:
					rep.Name = tools[r.IntN(len(tools))].alias
				case ModelCall:
					l := models[r.IntN(len(models))]
					rep.Name, rep.Alias = l.name, l.alias
					if r.IntN(2) == 0 {
						rep.Usage, rep.HasUsage = usage, true
					}
					if r.IntN(2) == 0 {
						rep.Cost, rep.HasCost, rep.Priced = float64(r.IntN(100))/100, true, r.IntN(2) == 0
					}
				}
				if outcome == Failed {
					rep.Text = fmt.Sprint("error ", r.IntN(5))
				}
				if stage != Whole {
					rep.Outcome = Unknown
				}
				if r.IntN(4) == 0 {
					rep.Start = 0
				}
				if keyed && r.IntN(4) > 0 {
					rep.IDs[0] = NewID(CallID, call)
					if r.IntN(3) == 0 {
						rep.IDs[1] = NewID(SpanID, "s"+call)
					}
				}
				if wild && r.IntN(2) == 0 {
					rep.IDs[r.IntN(3)] = NewID(IDKind(1+r.IntN(4)), strconv.Itoa(r.IntN(n/2+1)))
				}
				reports = append(reports, rep)
			}
		}
	}
	return reports[:n]
}

func addAll(s *Set, reports []Report) {
	for i := range reports {
		s.Add(&reports[i])
		s.Commit()
	}
}

func shuffled(r *rand.Rand, reports []Report) []Report {
	next := append([]Report(nil), reports...)
	r.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	return next
}

func equalFacts(t *testing.T, s *Set, facts, totals string) bool {
	t.Helper()
	if got := s.dump(); got != facts {
		t.Errorf("facts differ:\n%s", diff(got, facts))
		return false
	}
	if got := fmt.Sprintf("%+v", s.Totals()); got != totals {
		t.Errorf("totals differ:\n got %s\nwant %s", got, totals)
		return false
	}
	return true
}

func diff(got, want string) string {
	in := func(lines []string) map[string]bool {
		m := map[string]bool{}
		for _, l := range lines {
			m[l] = true
		}
		return m
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	var out []string
	for _, l := range g {
		if !in(w)[l] {
			out = append(out, "+ "+l)
		}
	}
	for _, l := range w {
		if !in(g)[l] {
			out = append(out, "- "+l)
		}
	}
	return strings.Join(out, "\n")
}

// Reports in any order, and twice, give the facts of the whole set after each of them.
func TestFactsAreAFunctionOfTheSet(t *testing.T) {
	r := newRand(t)
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		reports := story(r, 5+r.IntN(60), round%2 == 0)
		facts, totals := oracle(reports)
		for range 3 {
			s := &Set{}
			order := shuffled(r, append(reports, reports[:r.IntN(len(reports))]...))
			addAll(s, order)
			if !equalFacts(t, s, facts, totals) {
				shrink(t, order)
				return
			}
		}
	}
}

// After each single report the facts are those of the reports so far.
func TestEveryPrefixIsTheFoldOverItsReports(t *testing.T) {
	r := newRand(t)
	for round := range 40 {
		reports := shuffled(r, story(r, 40, round%2 == 0))
		s := &Set{}
		for i := range reports {
			s.Add(&reports[i])
			facts, totals := oracle(reports[:i+1])
			if !equalFacts(t, s, facts, totals) {
				t.Fatalf("after report %d: %+v", i, reports[i])
			}
		}
	}
}
