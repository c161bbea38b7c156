package correlate

import "slices"

// Fact describes one thing that happened, by all its reports.
type Fact struct {
	ID      FactID
	Kind    Kind
	Sources Sources
	Ended   Sources // those that say that it ended
	Name    string
	Alias   string
	Main    bool  // no source says that it is a sub-agent's
	Begun   bool  // a source says when it began; Start is its end otherwise
	Start   int64 // Unix ns
	End     int64 // likewise, zero while it goes on
	Parent  ID

	Usage    Usage
	HasUsage bool
	Cost     float64 // US dollars
	HasCost  bool
	Priced   bool // the cost is from a price table
	Internal bool

	// Outcome is the agent's, else that of the wire. A failure that the wire alone saw is
	// one too, unless a person or a rule ended the call.
	Outcome Outcome
	Verdict Verdict
	Text    string // of the error
	Late    bool   // it came after facts of its time were folded

	cost int64
}

// Open reports whether it goes on, as far as is known.
func (f *Fact) Open() bool { return f.End == 0 }

// ByAgent reports whether the agent's layer has it.
func (f *Fact) ByAgent() bool { return f.Sources&^(1<<Wire) != 0 }

// OnWire reports whether it was seen on the wire.
func (f *Fact) OnWire() bool { return f.Sources.Has(Wire) }

// Get returns a fact; it is false for one that does not exist, or no longer.
func (s *Set) Get(id FactID) (Fact, bool) {
	if now, ok := s.FactOf(id); !ok || now != id {
		return Fact{}, false
	}
	return s.get(uint32(id)), true
}

// All calls f with each fact, in the order in which their first reports came.
func (s *Set) All(f func(*Fact)) {
	for seq := s.first; seq < s.end; seq++ {
		if a := s.at(seq); a.live() && a.fact == seq {
			fact := s.get(seq)
			f(&fact)
		}
	}
}

// maxMates limits the accounts of a fact: one of each source and stage.
const maxMates = stages * (sources - 1)

// mate is an account of a fact.
type mate struct {
	*account
	seq uint32
}

// usageOrder is the order of sources for tokens and cost of a model call.
var usageOrder = [...]Source{Span, Log, Hook, Transcript, Wire}

// get puts a fact together: of each field, from the best source that has it.
func (s *Set) get(first uint32) Fact {
	var room [maxMates]mate
	mates := room[:0]
	for seq := first; ; {
		a := s.at(seq)
		mates = append(mates, mate{a, seq})
		if seq = a.mate; seq == first {
			break
		}
	}
	if len(mates) > 1 {
		slices.SortFunc(mates, func(a, b mate) int { return a.before(b.account) })
	}
	f := Fact{ID: FactID(first), Kind: mates[0].kind, Main: true, Late: s.at(first).flags&late != 0}
	wire, asked, hidden := Unknown, false, ""
	for _, a := range mates {
		asked = asked || a.kind == Turn && a.flags&(internal|startless) == 0
		f.Sources = f.Sources.With(a.source)
		if !a.unended() {
			f.Ended = f.Ended.With(a.source)
		}
		f.Internal = f.Internal || a.flags&internal != 0
		f.Main = f.Main && a.thread <= mainThread
		l := &s.names.all[a.name]
		if l.hashed() {
			fill(&hidden, l.name)
		} else {
			fill(&f.Name, l.name)
		}
		fill(&f.Alias, l.alias)
		fill(&f.Parent, a.parent)
		fill(&f.End, a.end)
		fill(&f.Verdict, a.verdict)
		fill(&f.Text, s.texts[a.seq])
		if !f.Begun && (a.flags&startless == 0 || f.Start == 0) {
			f.Start, f.Begun = a.start, a.flags&startless == 0
		}
		if a.source == Wire {
			fill(&wire, a.outcome)
		} else {
			fill(&f.Outcome, a.outcome)
		}
	}
	fill(&f.Name, hidden)
	f.Internal = f.Internal && !asked
	if f.Outcome == Unknown || f.Outcome == OK && wire == Failed {
		f.Outcome = wire
	}
	if f.End != 0 && f.End < f.Start { // of another source's clock
		f.End = f.Start
	}
	s.spend(&f, mates)
	return f
}

// spend sets what was used and paid.
func (s *Set) spend(f *Fact, mates []mate) {
	for _, source := range usageOrder {
		for _, a := range mates {
			if a.source != source || a.use == 0 {
				continue
			}
			u := s.uses.get(a.use)
			if u.known && !f.HasUsage {
				f.Usage, f.HasUsage = u.usage(), true
			} else if u.known { // not every source tells these apart
				more := u.usage()
				fill(&f.Usage.CacheRead, more.CacheRead)
				fill(&f.Usage.CacheWrite, more.CacheWrite)
				fill(&f.Usage.Reasoning, more.Reasoning)
			}
			if explicit := u.rank == 2; u.rank != 0 && (!f.HasCost || f.Priced && explicit) {
				f.cost, f.HasCost, f.Priced = u.cost, true, !explicit
			}
		}
	}
	f.Cost = dollars(f.cost)
}

// fill sets a field that has no value yet.
func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func dollars(n int64) float64 { return float64(n) / float64(nano) }

// Seen returns the sources that reported anything.
func (s *Set) Seen() Sources { return s.seen }

// SpanSource returns the source that makes the spans of a session: native spans, else
// hooks, else logs, else the transcript, of what was seen and what the agent is known to
// send. It is zero if there is none of them, and settled once no better one may appear:
// a native span came, or it is known what the agent sends.
func SpanSource(seen, expected Sources) (best Source, settled bool) {
	for _, source := range [...]Source{Span, Hook, Log, Transcript} {
		if (seen | expected).Has(source) {
			return source, source == Span && seen.Has(Span) || expected != 0
		}
	}
	return 0, false
}
