package correlate

import (
	"cmp"
	"slices"
)

// lookback limits how many things back time may join.
const lookback = 64

// group are the things that time may join: those of one kind and name.
type group struct {
	kind   Kind
	sorted bool  // order is kept
	change int32 // in the changes that are being made, plus one
	key    uint64
	things int32
	loose  int32    // of them without the id that all others of the kind have
	order  []uint32 // the things, by start, end and id; kept once one is loose
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
	how := fit(0)
	switch {
	case it.content == 0 || fact.content == 0:
		how = otherwise
	case it.content != fact.content:
		return unfit
	}
	if both := it.outcomes | fact.outcomes; both&(1<<Refused) != 0 && both&(1<<OK) != 0 {
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

// choose returns the one of the facts before the thing that it belongs to, -1 if none.
func (s *Set) choose(kind Kind, facts []item, it *item) int {
	best, found := unfit, -1
	for i := range facts {
		if facts[i].at < it.at-lookback {
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

// isLoose reports whether the thing lacks the id that tells things of its kind apart.
func isLoose(kind Kind, it *item) bool {
	switch kind {
	case ToolCall:
		return it.ids[CallID] == 0
	case ModelCall:
		return it.ids[RequestID] == 0
	case Agent:
		return it.ids[AgentID] == 0
	case Turn:
		return it.ids[PromptID] == 0
	case Connection:
		return it.ids[ServerID] == 0
	}
	return true
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
	g.things++
	if isLoose(g.kind, &it) {
		g.loose++
	}
	a.up = head
	if !g.sorted {
		if g.loose == 0 {
			return
		}
		s.sort(a.group, head)
		s.edit(a.group, 0, 0).to = len(g.order)
		return
	}
	at := len(g.order)
	if at > 0 && s.compare(g.order[at-1], head) > 0 {
		at, _ = slices.BinarySearchFunc(g.order, head, s.compare)
	}
	g.order = slices.Insert(g.order, at, head)
	s.edit(a.group, at, 1)
}

// sort begins to keep the order of a group, into which a thing was placed.
func (s *Set) sort(group, head uint32) {
	g := &s.groups[group]
	g.sorted = true
	if g.things == 1 {
		g.order = append(g.order, head)
		return
	}
	for seq := s.first; seq < s.end && len(g.order) < int(g.things); seq++ {
		if a := s.at(seq); a.live() && a.flags&leading != 0 && a.up != none && a.group == group {
			g.order = append(g.order, seq)
		}
	}
	slices.SortFunc(g.order, s.compare)
}

// remove takes a thing from its group, as it was placed.
func (s *Set) remove(head uint32) {
	a := s.at(head)
	g := &s.groups[a.group]
	it := s.itemOf(head)
	g.things--
	if isLoose(g.kind, &it) {
		g.loose--
	}
	if !g.sorted {
		a.up = none
		return
	}
	at, found := slices.BinarySearchFunc(g.order, head, s.compare)
	if !found {
		panic("correlate: thing is not in its group")
	}
	to := s.lastOf(g, at, a.up)
	a.up = none
	g.order = slices.Delete(g.order, at, at+1)
	c := s.edit(a.group, at, -1)
	c.to = max(c.to, to)
}

// lastOf returns the position of the last thing at or behind at of the fact that root begins.
func (s *Set) lastOf(g *group, at int, root uint32) int {
	last := at
	for i := at; i < min(at+2*lookback, len(g.order)); i++ {
		if s.at(g.order[i]).up == root {
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
		head := g.order[i]
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
	start, _, _ := s.interval(g.order[at])
	for _, f := range seen {
		if !f.open && f.end+kind.reach() < start {
			continue
		}
		it := s.itemOf(f.root)
		it.at = f.at
		for i := f.at + 1; i < at; i++ {
			if head := g.order[i]; s.at(head).up == f.root {
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
	facts := s.within(g, c.from)
	until, edited := c.to, c.to
	for i := c.from; i < len(g.order); i++ {
		head := g.order[i]
		it := s.itemOf(head)
		facts = slices.DeleteFunc(facts, func(f item) bool { return f.at < i-2*lookback || f.ended(it.start, reach) })
		if i > until && !slices.ContainsFunc(facts, func(f item) bool { return f.changed || f.at <= edited }) {
			if until = s.lastMoved(g, i); i > until {
				break
			}
		}
		it.at = i
		root, into := head, s.choose(kind, facts, &it)
		if into >= 0 {
			root = facts[into].root
		}
		if was := s.at(head).up; was != root {
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
		if s.at(s.at(g.order[i]).up).flags&moved != 0 {
			last = i
		}
	}
	return last
}
