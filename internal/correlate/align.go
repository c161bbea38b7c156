package correlate

import (
	"cmp"
	"slices"
)

// lookback limits how many things back time may join.
const lookback = 64

// Where more than settleAfter things follow each other within the reach, about each
// settleEvery-th one, by its id, joins none before it, nor do those behind it. They are
// variables for tests.
var settleAfter, settleEvery uint32 = 512, 256

// spot is the place of a thing in the order of its group.
type spot struct {
	thing uint32
	run   uint32 // things since none before was within reach, this one too; at most settleAfter
}

// settles reports whether time joins nothing across the spot.
func (s *Set) settles(p spot) bool {
	return p.run == settleAfter && s.at(p.thing).ids[0]>>8%ID(settleEvery) == 0
}

// group are the things that time may join: those of one kind and name.
type group struct {
	kind   Kind
	sorted bool  // order is kept
	change int32 // in the changes that are being made, plus one
	key    uint64
	things int32
	with   [idKinds]int32 // of them with an id of that kind
	order  []spot         // the things, by start, end and id; kept once time may join any
}

// item is a thing as time sees it, or a fact of several.
type item struct {
	start, end int64
	content    uint32
	ids        [idKinds]ID
	slots      uint32
	labels     [4]uint32
	labelled   uint8
	outcomes   uint8 // bits of Outcome
	thread     uint16
	root       uint32
	at         int  // where the root is in the order
	open       bool // it has begun, and no end is known
	changed    bool // it is another fact than before
}

// itemOf returns the thing that an account stands for.
func (s *Set) itemOf(head uint32) item {
	it := item{root: head, open: true}
	for seq := head; ; {
		a := s.at(seq)
		if a.isOf(seq, head) {
			t := thingOf(seq, a)
			one := item{
				start: a.start, end: max(a.start, a.end), content: a.content, ids: t.ids, slots: t.slots, thread: a.thread,
				outcomes: 1 << a.outcome, open: a.unended(),
			}
			one.labels[0], one.labelled = a.name, 1
			it.join(&one)
		}
		if seq = a.next; seq == head {
			return it
		}
	}
}

// interval returns when the thing began and ended, and whether no end is known.
func (s *Set) interval(head uint32) (start, end int64, open bool) {
	a := s.at(head)
	start, end, open = a.start, max(a.start, a.end), a.unended()
	for seq := a.next; seq != head; {
		b := s.at(seq)
		if b.isOf(seq, head) {
			start, end, open = min(start, b.start), max(end, b.start, b.end), open && b.unended()
		}
		seq = b.next
	}
	return start, end, open
}

// join makes one of two.
func (it *item) join(o *item) {
	if it.start == 0 || o.start < it.start {
		it.start = o.start
	}
	it.end, it.content, it.slots = max(it.end, o.end), max(it.content, o.content), it.slots|o.slots
	it.outcomes, it.thread = it.outcomes|o.outcomes, max(it.thread, o.thread)
	it.open = it.open && o.open
	for k, id := range o.ids {
		it.ids[k] = max(it.ids[k], id)
	}
	for _, l := range o.labels[:o.labelled] {
		if int(it.labelled) < len(it.labels) && !slices.Contains(it.labels[:it.labelled], l) {
			it.labels[it.labelled] = l
			it.labelled++
		}
	}
}

// ended reports whether nothing that begins then or later is within reach.
func (it *item) ended(start, reach int64) bool { return !it.open && it.end+reach < start }

// fit ranks the facts that a thing may join. Less is better.
type fit uint8

const (
	unfit     fit = 255
	otherwise fit = 4 // no digest tells
)

// ends are the slots of the ends of all sources.
var ends = func() (all uint32) {
	for source := range Source(sources) {
		all |= 1 << (stages * source)
	}
	return all
}()

// opening returns the slots of the ends that come behind what the thing is of: a beginning,
// or the decision on a tool. What a turn used may be told behind its end.
func (it *item) opening(kind Kind) uint32 {
	if kind == ToolCall {
		return it.slots>>Begin | it.slots>>Decision
	}
	return it.slots >> Begin
}

// notOK returns the outcomes that nothing of the kind has which another source says went well. A
// call of a model that is made again is another call. Of a tool, sources differ on what a
// failure is.
func (k Kind) notOK() uint8 {
	if k == ModelCall {
		return 1<<Refused | 1<<Failed
	}
	return 1 << Refused
}

// fits returns how well the thing, which comes later, suits the fact.
func (s *Set) fits(kind Kind, fact, it *item) fit {
	if fact.slots&it.slots != 0 || fact.ended(it.start, kind.reach()) || !sameThread(fact.thread, it.thread) {
		return unfit
	}
	for k, id := range it.ids {
		if k != int(contentID) && id != 0 && fact.ids[k] != 0 && id != fact.ids[k] {
			return unfit
		}
	}
	if it.start > fact.end && it.opening(kind)&fact.slots&ends != 0 { // begins behind its source's own end
		return unfit
	}
	how := fit(0)
	switch {
	case it.content == 0 || fact.content == 0:
		how = otherwise
	case it.content != fact.content:
		return unfit
	}
	if both := it.outcomes | fact.outcomes; both&(1<<OK) != 0 && both&kind.notOK() != 0 {
		return unfit
	}
	for _, l := range it.labels[:it.labelled] {
		for _, m := range fact.labels[:fact.labelled] {
			if !s.names.same(kind, l, m) {
				return unfit
			}
		}
	}
	switch {
	case fact.open:
		return how + 1
	case fact.end >= it.start:
		return how
	}
	return how + 2
}

// choose returns the one of the facts from that position on that the thing belongs to, -1 if
// none.
func (s *Set) choose(kind Kind, facts []item, it *item, from int) int {
	best, found := unfit, -1
	for i := range facts {
		if facts[i].at < max(from, it.at-lookback) {
			continue
		}
		f := s.fits(kind, &facts[i], it)
		if f < best || f == best && f != unfit && facts[i].open {
			best, found = f, i
		}
	}
	return found
}

// compare orders things whatever order they came in.
func (s *Set) compare(x, y uint32) int {
	if x == y {
		return 0
	}
	start, end, _ := s.interval(x)
	otherStart, otherEnd, _ := s.interval(y)
	if c := cmp.Compare(start, otherStart); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(end, otherEnd), s.at(x).before(s.at(y)))
}

// have counts the ids of a thing that comes into the group, or with -1 leaves it.
func (g *group) have(it *item, more int32) {
	g.things += more
	for k, id := range it.ids {
		if id != 0 {
			g.with[k] += more
		}
	}
}

// apart reports whether all things of the group have an id of one kind: then time joins none.
func (g *group) apart() bool {
	return slices.Contains(g.with[contentID+1:], g.things)
}

// change bounds the part of a group's order that must be aligned.
type change struct {
	group uint32
	from  int // the first position that may differ
	to    int // the last one that must be looked at
}

// edit notes that the order of a group changed at that position: by so many things more
// or less.
func (s *Set) edit(group uint32, at, more int) *change {
	g := &s.groups[group]
	if g.change == 0 {
		s.changes = append(s.changes, change{group, at, at})
		g.change = int32(len(s.changes)) //nolint:gosec // there are fewer than groups
		return &s.changes[g.change-1]
	}
	c := &s.changes[g.change-1]
	if c.to >= at { // what is behind moves
		c.to += more
	}
	c.from, c.to = min(c.from, at), max(c.to, at)
	return c
}

// place adds a thing to its group.
func (s *Set) place(head uint32) {
	a := s.at(head)
	g := &s.groups[a.group]
	it := s.itemOf(head)
	g.have(&it, 1)
	a.up = head
	if !g.sorted {
		if g.apart() {
			return
		}
		s.sort(a.group, head)
		s.edit(a.group, 0, 0).to = len(g.order)
		return
	}
	at, _ := s.find(g, head)
	g.order = slices.Insert(g.order, at, spot{thing: head})
	s.edit(a.group, at, 1)
}

// find returns the position of a thing, or where it is to be. Most are near the end.
func (s *Set) find(g *group, head uint32) (at int, found bool) {
	from := len(g.order)
	for step := 1; from > 0 && s.compare(g.order[from-1].thing, head) >= 0; step *= 2 {
		from = max(0, from-step)
	}
	at, found = slices.BinarySearchFunc(g.order[from:], head, func(p spot, head uint32) int { return s.compare(p.thing, head) })
	return from + at, found
}

// sort begins to keep the order of a group, into which a thing was placed.
func (s *Set) sort(group, head uint32) {
	g := &s.groups[group]
	g.sorted = true
	if g.things == 1 {
		g.order = append(g.order, spot{thing: head})
		return
	}
	for seq := s.first; seq < s.end && len(g.order) < int(g.things); seq++ {
		if a := s.at(seq); a.live() && a.flags&leading != 0 && a.up != none && a.group == group {
			g.order = append(g.order, spot{thing: seq})
		}
	}
	slices.SortFunc(g.order, func(x, y spot) int { return s.compare(x.thing, y.thing) })
}

// remove takes a thing from its group, as it was placed.
func (s *Set) remove(head uint32) {
	a := s.at(head)
	g := &s.groups[a.group]
	it := s.itemOf(head)
	g.have(&it, -1)
	if !g.sorted {
		a.up = none
		return
	}
	at, found := s.find(g, head)
	if !found {
		panic("correlate: thing is not in its group")
	}
	to := s.lastOf(g, at, a.up, &it)
	a.up = none
	g.order = slices.Delete(g.order, at, at+1)
	c := s.edit(a.group, at, -1)
	c.to = max(c.to, to)
}

// lastOf returns the position of the last thing at or behind at of the fact that root begins,
// or within the reach of the one that is at it.
func (s *Set) lastOf(g *group, at int, root uint32, it *item) int {
	last := at
	for i := at; i < min(at+2*lookback, len(g.order)); i++ {
		start, _, _ := s.interval(g.order[i].thing)
		if s.at(g.order[i].thing).up == root || i <= at+lookback && !it.ended(start, g.kind.reach()) {
			last = i
		}
	}
	return last
}

// glimpse holds the interval of a fact.
type glimpse struct {
	root uint32
	at   int
	end  int64
	open bool
}

// within returns the facts that a thing at that position might join.
func (s *Set) within(g *group, at int) []item {
	facts, seen := s.facts[:0], s.seenFacts[:0]
	if at == len(g.order) {
		return facts
	}
	from, kind := max(0, at-lookback), g.kind
	for i := from; i < at; i++ {
		head := g.order[i].thing
		root := s.at(head).up
		_, end, open := s.interval(head)
		if root == head {
			seen = append(seen, glimpse{head, i, end, open})
			continue
		}
		for j := len(seen) - 1; j >= 0; j-- {
			if f := &seen[j]; f.root == root {
				f.end, f.open = max(f.end, end), f.open && open
				break
			}
		}
	}
	start, _, _ := s.interval(g.order[at].thing)
	for _, f := range seen {
		if !f.open && f.end+kind.reach() < start {
			continue
		}
		it := s.itemOf(f.root)
		it.at = f.at
		for i := f.at + 1; i < at; i++ {
			if head := g.order[i].thing; s.at(head).up == f.root {
				more := s.itemOf(head)
				it.join(&more)
			}
		}
		facts = append(facts, it)
	}
	s.seenFacts = seen
	return facts
}

// align finds out again which things of a group time joins, from the first position that
// may differ to where all is as before.
func (s *Set) align(c change) {
	g := &s.groups[c.group]
	kind, reach := g.kind, g.kind.reach()
	facts, from := s.within(g, c.from), s.settled(g, c.from)
	until, edited := c.to, c.to
	for i := c.from; i < len(g.order); i++ {
		s.steps++
		head := g.order[i].thing
		it := s.itemOf(head)
		facts = slices.DeleteFunc(facts, func(f item) bool { return f.at < i-2*lookback || f.ended(it.start, reach) })
		if i > until && !slices.ContainsFunc(facts, func(f item) bool { return f.changed || f.at <= edited }) {
			if until = s.lastMoved(g, i); i > until {
				if i = s.recount(g, i); i == len(g.order) {
					break
				}
				facts, from = s.within(g, i), s.settled(g, i)
				until = i + 2*lookback
				i--
				continue
			}
		}
		if s.run(g, i, facts) {
			until = max(until, i+2*lookback)
		}
		if s.settles(g.order[i]) {
			from = i
		}
		it.at = i
		root, into := head, s.choose(kind, facts, &it, from)
		if into >= 0 {
			root = facts[into].root
		}
		if was := s.at(head).up; was != root {
			until = max(until, i+lookback) // the run of what was within reach of it may differ
			for j := len(facts) - 1; j >= 0; j-- {
				if facts[j].root == was {
					facts[j].changed = true
					break
				}
			}
			s.touch(head)
			s.move(was)
			if into >= 0 {
				s.touch(root)
				s.move(root)
				facts[into].changed = true
			}
			it.changed = true
			s.at(head).up = root
		}
		if into >= 0 {
			facts[into].join(&it)
		} else {
			facts = append(facts, it)
		}
	}
	for _, root := range s.moved {
		s.at(root).flags &^= moved
	}
	s.facts, s.moved = facts, s.moved[:0]
}

// run counts how many things follow each other within the reach up to that position, and
// reports whether time joins other things across it than before.
func (s *Set) run(g *group, at int, facts []item) (changed bool) {
	now := spot{g.order[at].thing, 1}
	if slices.ContainsFunc(facts, func(f item) bool { return f.at >= at-lookback }) {
		now.run = min(g.order[at-1].run+1, settleAfter)
	}
	changed = s.settles(now) != s.settles(g.order[at])
	g.order[at] = now
	return changed
}

// recount does so for all things from there on, whose facts are as before. It returns the
// first position at which that may change them, else the end.
func (s *Set) recount(g *group, at int) int {
	for ; at < len(g.order); at++ {
		s.steps++
		now := g.order[at]
		if now.run > 1 {
			now.run = min(g.order[at-1].run+1, settleAfter)
		}
		switch {
		case now == g.order[at]:
			return len(g.order)
		case s.settles(now) != s.settles(g.order[at]):
			return at
		}
		g.order[at] = now
	}
	return at
}

// settled returns the last position before that across which time joins nothing, as far as
// the lookback goes.
func (s *Set) settled(g *group, at int) int {
	for i := at - 1; i >= max(0, at-lookback); i-- {
		if s.settles(g.order[i]) {
			return i
		}
	}
	return 0
}

// move notes that the fact that root begins has other things than before.
func (s *Set) move(root uint32) {
	if a := s.at(root); a.flags&moved == 0 {
		a.flags |= moved
		s.moved = append(s.moved, root)
	}
}

// lastMoved returns the position of the last thing from there on whose fact has other
// things than before, -1 if there is none.
func (s *Set) lastMoved(g *group, at int) int {
	last := -1
	for i := at; i < min(at+2*lookback, len(g.order)); i++ {
		if s.at(s.at(g.order[i].thing).up).flags&moved != 0 {
			last = i
		}
	}
	return last
}
