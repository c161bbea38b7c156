package correlate

import "slices"

// Totals are sums over all facts.
type Totals struct {
	Facts         int64 // all of them
	Turns         int64 // that began: a rest alone is none
	ModelCalls    int64 // failed ones too
	ToolCalls     int64 // a call of two layers once
	AgentCalls    int64 // tool calls in the agent's layer
	WireCalls     int64 // tool calls that were seen on the wire
	Agents        int64 // that began or have a type
	Waits         int64
	Compactions   int64
	Refusals      int64
	Interruptions int64

	Usage     Usage   // of model calls; of turns, if no model call's is known
	Cost      float64 // US dollars, likewise; of turns too, if these alone report it
	HasCost   bool
	Estimated float64 // the part of Cost that is from a price table

	UsageOfTurns bool // Usage is that of turns
	CostOfTurns  bool // likewise

	CostOfCalls float64 // that of model calls, where Cost is that of turns

	Errors      int64  // failed facts that no failed fact below them explains
	LastError   string // the text of the one that ended last
	LastErrorAt int64  // its end, Unix ns
	Context     int64  // tokens in the last model call of the main thread
	ContextPeak int64  // the most that one of them had
}

// Tokens returns all tokens in and out.
func (t *Totals) Tokens() int64 { return t.Usage.Input + t.Usage.Output }

// sums holds the totals that facts are added to and removed from.
type sums struct {
	facts                   int64
	kinds                   [kinds]int64
	agentCalls, wireCalls   int64
	refusals, interruptions int64
	unasked                 int64 // turns of which only the agent's own loop says that they began
	used, turnUsed          Usage
	knowing, paid, turnPaid int64 // facts whose tokens or cost is known
	cost, turnCost          int64
	priced, turnPriced      int64 // the part of these that is from a price table
	told, turnTold          int64 // facts whose cost is not
}

func (t *sums) add(f *Fact, sign int64) {
	t.facts += sign
	if f.Begun || f.Kind != Turn && (f.Kind != Agent || f.Name != "") {
		t.kinds[f.Kind] += sign
	}
	switch f.Outcome {
	case Refused:
		t.refusals += sign
	case Interrupted:
		t.interruptions += sign
	}
	switch f.Kind {
	case ToolCall:
		if f.ByAgent() {
			t.agentCalls += sign
		}
		if f.OnWire() {
			t.wireCalls += sign
		}
	case ModelCall:
		t.used.add(f.Usage, sign)
		t.cost += sign * f.cost
		if f.HasUsage {
			t.knowing += sign
		}
		if f.HasCost {
			t.paid += sign
		}
		if f.Priced {
			t.priced += sign * f.cost
		} else if f.HasCost {
			t.told += sign
		}
	case Turn:
		if f.Begun && f.Internal {
			t.unasked += sign
		}
		t.turnUsed.add(f.Usage, sign)
		t.turnCost += sign * f.cost
		if f.HasCost {
			t.turnPaid += sign
		}
		if f.Priced {
			t.turnPriced += sign * f.cost
		} else if f.HasCost {
			t.turnTold += sign
		}
	}
}

// fields are all the sums, in the order in which they are stored.
func (t *sums) fields() []*int64 {
	all := []*int64{
		&t.facts, &t.agentCalls, &t.wireCalls, &t.refusals, &t.interruptions,
		&t.knowing, &t.paid, &t.turnPaid, &t.cost, &t.turnCost,
	}
	for _, u := range [...]*Usage{&t.used, &t.turnUsed} {
		all = append(all, &u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Reasoning)
	}
	for k := range t.kinds {
		all = append(all, &t.kinds[k])
	}
	return append(all, &t.unasked, &t.priced, &t.turnPriced, &t.told, &t.turnTold)
}

// laterFields is the number of sums at the end that records of version 1 do not have.
const laterFields = 5

// ofTurns reports whether the cost is that of turns: if model calls have none, or have
// nothing but estimates where the turns report theirs.
func (t *sums) ofTurns() bool {
	if t.paid == 0 {
		return t.turnPaid > 0
	}
	return t.told == 0 && t.turnTold > 0 && t.turnPaid >= t.turns()
}

// turns returns the number of turns: where hooks report what a person asked, these.
func (t *sums) turns() int64 {
	if n := t.kinds[Turn] - t.unasked; n > 0 {
		return n
	}
	return t.kinds[Turn]
}

// plus returns the sum of both.
func (t sums) plus(o *sums) sums {
	more := o.fields()
	for i, n := range t.fields() {
		*n += *more[i]
	}
	return t
}

// Totals returns the totals of all facts, folded ones too. It takes time only for facts
// that failed, if any of them changed.
func (s *Set) Totals() Totals {
	old := s.folded
	if old == nil {
		old = &folded{}
	}
	all := s.live.plus(&old.sums)
	t := Totals{
		Facts: all.facts, Turns: all.turns(), ModelCalls: all.kinds[ModelCall], ToolCalls: all.kinds[ToolCall],
		AgentCalls: all.agentCalls, WireCalls: all.wireCalls, Agents: all.kinds[Agent], Waits: all.kinds[Wait],
		Compactions: all.kinds[Compaction], Refusals: all.refusals, Interruptions: all.interruptions,
		Usage: all.used, Cost: dollars(all.cost), HasCost: all.paid > 0, Estimated: dollars(all.priced),
	}
	if all.knowing == 0 {
		t.Usage, t.UsageOfTurns = all.turnUsed, all.turnUsed != Usage{}
	}
	if all.ofTurns() {
		t.Cost, t.HasCost, t.CostOfTurns, t.Estimated = dollars(all.turnCost), true, true, dollars(all.turnPriced)
		t.CostOfCalls = dollars(all.cost)
	}
	s.findErrors()
	t.Refusals += s.errors.refused
	t.Interruptions += s.errors.left - s.errors.refused
	last := s.errors.last
	if old.last.after(&last) {
		last = old.last
	}
	t.Errors, t.LastError, t.LastErrorAt = s.errors.count+old.errors, last.text, last.end
	t.Context, t.ContextPeak = s.context(old)
	return t
}

// AtLeast returns the totals where what the agent's host counted itself is not larger.
func (t Totals) AtLeast(tokens, toolCalls int64) (allTokens, allToolCalls int64) {
	return max(t.Tokens(), tokens), max(t.ToolCalls, toolCalls)
}

// count adds a fact to the totals.
func (s *Set) count(first uint32) {
	f := s.get(first)
	s.live.add(&f, 1)
	if to := s.errors.like(&f); to != nil {
		to.add(first)
	}
	s.stale(&f)
	if f.fills() {
		s.recent.add(entry{f.ended(), f.Usage.Input, first})
		s.peak.add(entry{f.Usage.Input, 0, first})
	}
}

// uncount takes a fact out of the totals.
func (s *Set) uncount(first uint32) {
	f := s.get(first)
	s.live.add(&f, -1)
	if from := s.errors.like(&f); from != nil {
		delete(from.all, first)
	}
	s.stale(&f)
	if f.fills() {
		s.recent.remove(first)
		s.peak.remove(first)
	}
}

// fills reports whether the fact says how full the context of the main thread is.
func (f *Fact) fills() bool { return f.Kind == ModelCall && f.Main && f.HasUsage && !f.Internal }

func (f *Fact) ended() int64 { return max(f.Start, f.End) }

// context returns the tokens of the last model call of the main thread, and of the fullest.
func (s *Set) context(old *folded) (last, peak int64) {
	if s.recent.lost || s.peak.lost {
		s.recent, s.peak = top{}, top{}
		s.All(func(f *Fact) {
			if f.fills() {
				s.recent.add(entry{f.ended(), f.Usage.Input, uint32(f.ID)})
				s.peak.add(entry{f.Usage.Input, 0, uint32(f.ID)})
			}
		})
	}
	recent, full := old.recent, old.peak
	if len(s.recent.best) > 0 {
		if e := s.recent.best[0]; e.compare(recent) < 0 {
			recent = e
		}
		full = max(full, s.peak.best[0].key)
	}
	return recent.value, full
}

// top are the greatest of many entries.
type top struct {
	best []entry // in falling order
	more bool    // there are lesser ones
	lost bool    // only lesser ones are left
}

type entry struct {
	key, value int64
	fact       uint32
}

const topMax = 8

// compare is negative for the greater entry.
func (e entry) compare(o entry) int {
	switch {
	case e.key != o.key && e.key > o.key, e.key == o.key && e.value > o.value:
		return -1
	case e.key == o.key && e.value == o.value:
		return 0
	}
	return 1
}

func (t *top) add(e entry) {
	at, _ := slices.BinarySearchFunc(t.best, e, entry.compare)
	if at == len(t.best) && t.more {
		t.lost = t.lost || at == 0
		return
	}
	t.best = slices.Insert(t.best, at, e)
	if len(t.best) > topMax {
		t.best, t.more = t.best[:topMax], true
	}
}

func (t *top) remove(fact uint32) {
	t.best = slices.DeleteFunc(t.best, func(e entry) bool { return e.fact == fact })
	t.lost = t.lost || t.more && len(t.best) == 0
}
