package correlate

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Set holds the reports of one session and the facts that follow from them. The zero value
// is empty and ready. It is not safe for concurrent use.
type Set struct {
	chunks [][]account // of up to chunkSize accounts; nil where they are packed
	packed []pack
	plain  int      // chunks that are not packed
	rest   int      // calls of Commit until any may be packed
	dirty  []bool   // chunks that changed since they were stored
	empty  []uint32 // chunks that are to be deleted where they are stored
	base   uint32   // number of the first chunk
	first  uint32   // the first account that may be live
	end    uint32   // the next account

	index  map[uint64]uint32 // accounts by ids; nil while there are few
	names  names
	groups []group
	byKey  map[uint64]uint32 // groups; nil while there are few
	uses   slab[use]
	texts  map[uint32]string // of errors, by accounts

	live   sums    // of the facts that are here
	folded *folded // nil until a fact is folded
	errors errorCount
	recent top // model calls of the main thread by their end
	peak   top // the same by their input
	seen   Sources

	// MaxFacts limits the facts that are kept: Commit folds the oldest ones into the totals.
	// Zero is DefaultMaxFacts.
	MaxFacts int

	undo       []undo
	seenBefore Sources  // as seen was at the last Commit
	result     []FactID // of the last Add
	steps      int      // things that time was asked about, for tests
	*scratch
}

// scratch is memory that a change of a set uses.
type scratch struct {
	rings, linked, heads, regroup, moved []uint32
	things                               []thing
	thingOf                              []int
	changes                              []change
	facts                                []item
	seenFacts                            []glimpse
	changed, gone                        []FactID
}

var spare = sync.Pool{New: func() any { return new(scratch) }}

// FactID names a fact for as long as it exists: the number of the first of its accounts.
// It is never used for another fact of the set.
type FactID uint32

// Account names all that one source says of one thing under one id of its own, whatever
// fact that is in: it stays when facts change. Zero is none.
type Account uint32

// Status classifies the effect of a report on the facts.
type Status uint8

// The statuses.
const (
	Invalid  Status = iota // it says nothing, or names more than can be joined
	Repeated               // all of it was known
	New                    // a fact that was not known
	Merged                 // another source's view of a fact that was known
	Amended                // more about a fact from a source that reported it before
)

// Change lists the effects of one report. Its slices are valid until the next call of Add.
type Change struct {
	Status  Status
	Fact    FactID   // that the report is about
	Account Account  // that the report is part of, zero if it is invalid
	Facts   []FactID // all that are new or have other reports now, Fact among them
	Gone    []FactID // facts that became part of others, see FactOf
}

// Add takes a report. What it changed can be taken back until Commit.
func (s *Set) Add(r *Report) Change {
	d, ok := newDraft(r)
	if !ok {
		return Change{}
	}
	s.begin()
	defer s.done()
	return s.add(&d)
}

func (s *Set) add(d *draft) Change {
	known, rings := uint32(none), s.rings[:0]
	linked := 0
	for _, id := range d.ids {
		h := s.holder(d.kind, id)
		if h == none || slices.ContainsFunc(rings, func(o uint32) bool { return s.linkedTo(o, h) }) {
			continue
		}
		rings = append(rings, h)
		s.ring(h, func(o uint32, a *account) {
			linked++
			if a.primary(&d.account) {
				known = o
			}
		})
	}
	s.rings = rings
	if known == none {
		linked++
	}
	if linked > maxLinked {
		return Change{}
	}
	d.name, d.group = s.nameOf(d.label), none
	seq := known
	if known == none {
		seq = s.end
	} else {
		old := s.draftOf(known)
		was := old
		old.merge(d, &s.names)
		if old == was {
			s.rebuild()
			return Change{Status: Repeated, Fact: FactID(s.at(known).fact), Account: accountOf(known)}
		}
		s.note(known, &was)
		*d = old
	}
	d.group = s.groupOf(d)
	for _, h := range rings {
		s.unplace(h)
	}
	if known == none {
		s.note(seq, nil)
		s.grow()
		s.regroup = append(s.regroup, seq)
		s.at(seq).flags |= touched
	}
	s.write(seq, d)
	for _, h := range rings {
		s.link(seq, h)
	}
	s.indexIDs(seq)
	for _, head := range s.joinIDs(seq) {
		s.place(head)
	}
	s.rebuild()
	return s.changeOf(seq, known == none)
}

// Absorb adds the reports of a session that turned out to be part of this one: of the thread of
// a sub-agent, without its turns and compactions, unless agent is empty. It calls moved with
// what each account of part is here, and returns how many facts, of both, became part of others.
func (s *Set) Absorb(part *Set, agent string, moved func(from, to Account)) (merged int) {
	before := s.Len()
	for seq := part.first; seq < part.end; seq++ {
		a := part.at(seq)
		if !a.live() || agent != "" && (a.kind == Turn || a.kind == Compaction) {
			continue
		}
		if a.fact == seq {
			merged++
		}
		d := part.draftOf(seq)
		if d.group, d.name, d.account.use = 0, 0, 0; agent != "" && d.kind != Agent && d.thread <= mainThread {
			d.thread, d.parent = threadOf(&Report{Thread: agent}), NewID(AgentID, agent)
		}
		if d.ids[0].Kind() == contentID {
			d.ids[0] = d.contentID()
		}
		s.begin()
		c := s.add(&d)
		s.done()
		moved(accountOf(seq), c.Account)
	}
	return max(merged-(s.Len()-before), 0)
}

// Conceal returns a text that is equal for errors that say the same, and does not tell what.
func Conceal(text string) string {
	if text == "" || strings.HasPrefix(text, concealed) {
		return text
	}
	return concealed + strconv.FormatUint(xxhash.Sum64String(cut(text, maxText/4)), 16)
}

const concealed = "\x00"

// ConcealTexts conceals the texts of all errors.
func (s *Set) ConcealTexts() {
	for seq, text := range s.texts {
		s.texts[seq] = Conceal(text)
		s.soil(seq)
	}
	s.errors.known = false
	if s.folded != nil {
		s.folded.last.text = Conceal(s.folded.last.text)
	}
}

// unplace takes all that ids link to the account out of the order and the facts.
func (s *Set) unplace(seq uint32) {
	s.ring(seq, func(o uint32, a *account) {
		s.touch(o)
		if a.flags&leading != 0 && a.up != none {
			s.remove(o)
		}
	})
}

// withdraw takes all that ids link to the accounts out of the set, and returns it.
func (s *Set) withdraw(seqs []uint32) (all []uint32) {
	for _, seq := range seqs {
		if s.at(seq).flags&withdrawn != 0 {
			continue
		}
		s.unplace(seq)
		s.ring(seq, func(o uint32, a *account) {
			a.flags |= withdrawn
			all = append(all, o)
		})
	}
	for _, seq := range all {
		a := s.at(seq)
		a.flags &^= withdrawn
		a.next = seq
		s.follow(seq, seq)
		for _, id := range a.ids {
			s.unindex(seq, id)
		}
	}
	return all
}

// nameOf returns the number of the label. Things whose names it tells the tools of change
// their group.
func (s *Set) nameOf(l label) uint32 {
	if at, known := s.names.find(l); known {
		return at
	}
	var moved []uint32
	if told := s.names.revealed(l); told != nil {
		for seq := s.first; seq < s.end; seq++ {
			if a := s.at(seq); a.live() && a.kind == ToolCall {
				if _, tool, ok := hashedTool(s.names.all[a.name].name); ok && slices.Contains(told, tool) {
					moved = append(moved, seq)
				}
			}
		}
	}
	moved = s.withdraw(moved)
	at := s.names.intern(l)
	s.toGroups(moved)
	s.readmit(moved)
	return at
}

// toGroups sets the groups of accounts by all names that are known now.
func (s *Set) toGroups(seqs []uint32) {
	for _, seq := range seqs {
		a := s.at(seq)
		a.group = s.groupOf(&draft{account: *a})
	}
}

// admit puts accounts into the set that are in it in no other way than by number, and makes
// facts of all that was touched. Erased ones are left out.
func (s *Set) admit(seqs []uint32) {
	s.readmit(seqs)
	s.rebuild()
}

// readmit does so, and leaves it to rebuild to make facts.
func (s *Set) readmit(seqs []uint32) {
	for _, seq := range seqs {
		a := s.at(seq)
		if !a.live() {
			continue
		}
		for _, id := range a.ids {
			if o := s.holder(a.kind, id); o != none && o != seq {
				s.link(seq, o)
			}
		}
		s.indexIDs(seq)
	}
	for _, seq := range seqs {
		if a := s.at(seq); a.live() && s.at(s.thing(seq)).up == none {
			for _, head := range s.joinIDs(seq) {
				s.place(head)
			}
		}
	}
}

// erase makes an account none. It has been withdrawn.
func (s *Set) erase(seq uint32) {
	a := s.at(seq)
	s.uses.put(a.use, use{}, false)
	delete(s.texts, seq)
	*a = noAccount(seq)
	s.soil(seq)
}

// at returns an account. It is valid until one is added.
func (s *Set) at(seq uint32) *account {
	chunk := s.chunks[seq/chunkSize-s.base]
	if chunk == nil {
		chunk = s.unpack(seq / chunkSize)
	}
	return &chunk[seq%chunkSize]
}

func (a *account) live() bool { return a.source != 0 }

// write sets what an account says. Its place among the others stays.
func (s *Set) write(seq uint32, d *draft) {
	a := s.at(seq)
	s.seen = s.seen.With(d.source)
	for _, id := range a.ids {
		if a.live() && !d.has(id) {
			s.unindex(seq, id)
		}
	}
	next := d.account
	next.use = s.uses.put(a.use, d.use, d.use != use{})
	s.setText(seq, d.text)
	next.next, next.up, next.fact, next.mate = a.next, a.up, a.fact, a.mate
	next.flags |= a.flags & (touched | leading)
	*a = next
	s.soil(seq)
}

// setText keeps the text of an error.
func (s *Set) setText(seq uint32, text string) {
	switch {
	case text == "":
		delete(s.texts, seq)
	case s.texts == nil:
		s.texts = map[uint32]string{seq: strings.Clone(text)}
	default:
		s.texts[seq] = strings.Clone(text)
	}
}

// draftOf returns an account as a draft.
func (s *Set) draftOf(seq uint32) draft {
	a := s.at(seq)
	d := draft{account: *a, use: s.uses.get(a.use), text: s.texts[seq]}
	d.label = s.names.all[a.name]
	d.flags &= storedFlags
	d.next, d.up, d.fact, d.mate = 0, 0, 0, 0
	return d
}

// groupOf returns the group of a draft.
func (s *Set) groupOf(d *draft) uint32 {
	key := s.names.groupKey(d.kind, s.names.all[d.name])
	if s.byKey == nil {
		for i := range s.groups {
			if s.groups[i].key == key {
				return uint32(i)
			}
		}
	} else if i, ok := s.byKey[key]; ok {
		return i
	}
	at := uint32(len(s.groups)) //nolint:gosec // there are fewer than reports
	s.groups = append(s.groups, group{kind: d.kind, key: key})
	switch {
	case s.byKey != nil:
		s.byKey[key] = at
	case len(s.groups) > fewNames:
		s.byKey = make(map[uint64]uint32, 2*fewNames)
		for i := range s.groups {
			s.byKey[s.groups[i].key] = uint32(i)
		}
	}
	return at
}

// begin begins a change of the facts, done ends it.
func (s *Set) begin() {
	s.scratch = spare.Get().(*scratch)
	s.changes, s.regroup, s.changed, s.gone = s.changes[:0], s.regroup[:0], s.changed[:0], s.gone[:0]
}

func (s *Set) done() {
	for i := range s.changes {
		s.groups[s.changes[i].group].change = 0
	}
	spare.Put(s.scratch)
	s.scratch = nil
}

// touch takes the fact that the account is of out of the totals, and notes that its
// accounts may become others' from here on.
func (s *Set) touch(seq uint32) {
	a := s.at(seq)
	if a.flags&touched != 0 {
		return
	}
	first := a.fact
	s.uncount(first)
	for at := first; ; {
		a := s.at(at)
		a.flags |= touched
		s.regroup = append(s.regroup, at)
		if at = a.mate; at == first {
			return
		}
	}
}

// rootOf is equal for the accounts of one fact.
func (s *Set) rootOf(seq uint32) uint32 { return s.at(s.thing(seq)).up }

// thing returns the account that leads all that ids join to this one.
func (s *Set) thing(seq uint32) uint32 {
	if a := s.at(seq); a.flags&leading == 0 {
		return a.up
	}
	return seq
}

// changeOf returns what the account with that number changed.
func (s *Set) changeOf(seq uint32, fresh bool) Change {
	a := s.at(seq)
	s.result = append(append(s.result[:0], s.changed...), s.gone...)
	n := len(s.changed)
	c := Change{Status: Amended, Fact: FactID(a.fact), Account: accountOf(seq), Facts: s.result[:n:n], Gone: s.result[n:]}
	switch {
	case fresh && a.mate == seq:
		c.Status = New
		if s.folded != nil && a.start < s.folded.horizon {
			a.flags |= late
		}
	case fresh:
		c.Status = Merged
	}
	return c
}

// rebuild aligns the groups that changed, and makes facts of the accounts that were touched.
func (s *Set) rebuild() {
	for _, c := range s.changes {
		s.align(c)
	}
	s.regroup = slices.DeleteFunc(s.regroup, func(seq uint32) bool { return !s.at(seq).live() })
	slices.SortFunc(s.regroup, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(s.rootOf(x), s.rootOf(y)), cmp.Compare(x, y))
	})
	for i := 0; i < len(s.regroup); {
		first, j := s.regroup[i], i+1
		for root := s.rootOf(first); j < len(s.regroup) && s.rootOf(s.regroup[j]) == root; {
			j++
		}
		for k := i; k < j; k++ {
			seq := s.regroup[k]
			a := s.at(seq)
			if a.fact == seq && seq != first {
				s.gone = append(s.gone, FactID(seq))
			}
			a.flags &^= touched
			a.fact, a.mate = first, first
			if k+1 < j {
				a.mate = s.regroup[k+1]
			}
		}
		s.count(first)
		s.changed = append(s.changed, FactID(first))
		i = j
	}
}

// Len returns the number of facts, without those that were folded.
func (s *Set) Len() int { return int(s.live.facts) }

// FactOf returns the fact that now has what the named one had, and whether that is known.
func (s *Set) FactOf(id FactID) (FactID, bool) {
	if seq := uint32(id); seq >= s.first && seq < s.end && s.at(seq).live() {
		return FactID(s.at(seq).fact), true
	}
	return 0, false
}

// accountOf returns the Account with that number.
func accountOf(seq uint32) Account { return Account(seq + 1) }

// Of returns the fact that the account is part of now; it is false for one that does not
// exist, or no longer.
func (s *Set) Of(a Account) (FactID, bool) { return s.FactOf(FactID(a - 1)) }

// With returns the fact of that kind that has the id.
func (s *Set) With(kind Kind, id ID) (FactID, bool) {
	seq := s.holder(kind, id)
	if seq == none {
		return 0, false
	}
	return FactID(s.at(seq).fact), true
}

// Accounts yields the accounts of a fact.
func (s *Set) Accounts(id FactID) iter.Seq[Account] {
	return func(yield func(Account) bool) {
		first, ok := s.FactOf(id)
		for at := uint32(first); ok; {
			if !yield(accountOf(at)) {
				return
			}
			at = s.at(at).mate
			ok = at != uint32(first)
		}
	}
}

// slab keeps what few accounts have. Numbers are plus one, zero is none.
type slab[T any] struct {
	all  []T
	free []uint32
}

func (b *slab[T]) get(at uint32) (t T) {
	if at != 0 {
		t = b.all[at-1]
	}
	return t
}

// put replaces what is at that number, and returns the new number.
func (b *slab[T]) put(at uint32, t T, has bool) uint32 {
	switch {
	case at == 0 && !has:
		return 0
	case at == 0 && len(b.free) > 0:
		at, b.free = b.free[len(b.free)-1], b.free[:len(b.free)-1]
	case at == 0:
		b.all = append(b.all, t)
		return uint32(len(b.all)) //nolint:gosec // there are fewer than reports
	case !has:
		b.free = append(b.free, at)
		at--
		var zero T
		b.all[at] = zero
		return 0
	}
	b.all[at-1] = t
	return at
}

// soil notes that the chunk of the account is to be stored.
func (s *Set) soil(seq uint32) { s.dirty[seq/chunkSize-s.base] = true }

// Bytes returns about how much memory the set takes.
func (s *Set) Bytes() int64 {
	const empty, perAccount, perIndexed, perText = 1024, 88, 28, 128
	n := empty + len(s.index)*perIndexed + len(s.uses.all)*32 + (len(s.texts)+len(s.names.tools))*perText
	for i := range s.groups {
		n += cap(s.groups[i].order) * 8
	}
	for i, chunk := range s.chunks {
		n += cap(chunk)*perAccount + len(s.packed[i].record) + len(s.packed[i].links)
	}
	return int64(n)
}
