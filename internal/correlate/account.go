package correlate

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// none is the number of no account.
const none = math.MaxUint32

// account joins all reports of one source under one id of its own. The first block
// is stored, the second follows from it.
type account struct {
	ids        [maxIDs]ID
	start, end int64 // end is zero if it is not known
	parent     ID
	content    uint32 // digest of the input; of a model call, of the tokens
	name       uint32 // in names
	group      uint32 // in groups
	use        uint32 // in uses, plus one
	traits

	next uint32 // ring of the accounts that ids link
	up   uint32 // the account that leads all that ids join; of that, the one that leads the thing that begins the fact
	fact uint32 // the first of the accounts of the fact
	mate uint32 // the next account of the fact
}

// noAccount returns an empty slot.
func noAccount(seq uint32) account {
	return account{next: seq, up: none, fact: none, mate: seq, traits: traits{flags: leading}}
}

// traits are the small fields of an account.
type traits struct {
	source  Source
	kind    Kind
	stages  uint8 // bits of stages
	outcome Outcome
	verdict Verdict
	flags   uint8
	thread  uint16
}

// Flags of an account.
const (
	internal uint8 = 1 << iota
	late
	startless // only the end is known
	explained // a fact that gives its reason was folded: a failed one below it, or a person's wait
	touched   // its fact is being rebuilt
	withdrawn // it is being put in again
	leading   // it leads all that ids join
	moved     // the fact that it begins has other things than before
)

const storedFlags = internal | late | startless | explained

// use holds the tokens and the cost of a model call.
type use struct {
	tokens [5]uint32
	known  bool  // the tokens are
	rank   uint8 // 0 no cost, 1 by a price table, 2 explicit
	cost   int64 // in nano
}

func (u *use) usage() Usage {
	t := &u.tokens
	return Usage{int64(t[0]), int64(t[1]), int64(t[2]), int64(t[3]), int64(t[4])}
}

// draft holds an account outside of a set.
type draft struct {
	account
	use   use
	text  string
	label label
}

// newDraft returns the account of one report; it is false for a report that says nothing.
func newDraft(r *Report) (d draft, ok bool) {
	if r.Source == 0 || r.Source >= sources || r.Kind == 0 || r.Kind >= kinds || r.Stage >= stages || r.Start == 0 && r.End == 0 {
		return d, false
	}
	d.traits = traits{source: r.Source, kind: r.Kind, stages: 1 << r.Stage, outcome: r.Outcome, verdict: r.Verdict}
	if r.Internal {
		d.flags = internal
	}
	d.start, d.end, d.parent, d.content = max(r.Start, 0), max(r.End, 0), r.Parent, fold(r.Digest)
	if r.Stage == Begin {
		d.start, d.end = max(d.start, d.end), 0
	}
	if d.start == 0 {
		d.start, d.flags = d.end, d.flags|startless
	}
	if d.end != 0 && d.start > d.end {
		d.start = d.end
	}
	if d.start == 0 {
		return d, false
	}
	d.label = label{cut(r.Name, maxName), cut(r.Alias, maxName)}
	d.thread = threadOf(r)
	if r.Outcome == Failed {
		d.text = cut(r.Text, maxText)
	}
	d.use.set(r)
	if r.Kind == ModelCall {
		d.content = d.use.digest()
	}
	n := 0
	for _, id := range r.IDs {
		if id.Kind() != contentID {
			d.ids[n] = id
			n++
		}
	}
	if n == 0 {
		d.ids[0] = d.contentID()
	}
	sortIDs(&d.ids)
	return d, true
}

func (u *use) set(r *Report) {
	if r.HasUsage {
		u.known = true
		for i, n := range [...]int64{r.Usage.Input, r.Usage.Output, r.Usage.CacheRead, r.Usage.CacheWrite, r.Usage.Reasoning} {
			u.tokens[i] = uint32(min(max(n, 0), maxTokens))
		}
	}
	if r.HasCost && r.Cost >= 0 && r.Cost*float64(nano) <= float64(maxCost) {
		u.rank, u.cost = 2, int64(math.Round(r.Cost*float64(nano)))
		if r.Priced {
			u.rank = 1
		}
	}
}

// digest is equal for calls that used as much, zero if that is not known. Not every source
// tells apart what was cached.
func (u *use) digest() uint32 {
	if !u.known {
		return 0
	}
	return fold(uint64(u.tokens[0])<<32 | uint64(u.tokens[1]) | 1<<63)
}

// fold makes a digest short. It is compared within the reach only. Zero stays none.
func fold(digest uint64) uint32 {
	if digest == 0 {
		return 0
	}
	return uint32((digest*0x9e3779b97f4a7c15)>>32) | 1
}

// contentID names a report that has no id by all that it says.
func (d *draft) contentID() ID {
	var h xxhash.Digest
	h.Reset()
	var b [96]byte
	at := b[:0]
	at = append(at, byte(d.source), byte(d.kind), d.stages, byte(d.outcome), byte(d.verdict), d.flags, d.use.rank)
	for _, n := range [...]int64{d.start, d.end, d.use.cost} {
		at = binary.LittleEndian.AppendUint64(at, uint64(n)) //nolint:gosec // a hash needs no sign
	}
	for _, n := range [...]uint64{uint64(d.content), uint64(d.thread), uint64(d.parent)} {
		at = binary.LittleEndian.AppendUint64(at, n)
	}
	for _, n := range d.use.tokens {
		at = binary.LittleEndian.AppendUint32(at, n)
	}
	_, _ = h.Write(at)
	_, _ = h.WriteString(d.label.name)
	_, _ = h.WriteString("\x00" + d.label.alias + "\x00")
	_, _ = h.WriteString(d.text)
	return ID(h.Sum64()&^7 | 1<<63) // never zero
}

// sortIDs keeps the first id and sorts the rest, zeros last and equal ones once.
func sortIDs(ids *[maxIDs]ID) {
	if ids[1] == ids[0] {
		ids[1] = 0
	}
	if ids[2] == ids[0] || ids[2] == ids[1] {
		ids[2] = 0
	}
	if ids[1] == 0 || ids[2] != 0 && ids[2] < ids[1] {
		ids[1], ids[2] = ids[2], ids[1]
	}
}

// merge joins what the same source says of the same thing. The draft's label has a number by now.
func (d *draft) merge(o *draft, n *names) {
	for _, id := range o.ids {
		d.learn(id)
	}
	d.start, d.end = min(d.start, o.start), max(d.end, o.end)
	d.content, d.parent = max(d.content, o.content), max(d.parent, o.parent)
	d.name = n.better(d.name, o.name)
	d.stages |= o.stages
	d.outcome, d.verdict = max(d.outcome, o.outcome), max(d.verdict, o.verdict)
	d.flags = (d.flags | o.flags&internal) &^ (startless &^ o.flags)
	d.thread = max(d.thread, o.thread)
	d.text = max(d.text, o.text)
	for i, t := range o.use.tokens {
		d.use.tokens[i] = max(d.use.tokens[i], t)
	}
	d.use.known = d.use.known || o.use.known
	if c := cmp.Compare(o.use.rank, d.use.rank); c > 0 || c == 0 && o.use.cost > d.use.cost {
		d.use.rank, d.use.cost = o.use.rank, o.use.cost
	}
	if d.kind == ModelCall {
		d.content = d.use.digest()
	}
}

// learn adds an id; of more than there is room for the least are kept.
func (d *draft) learn(id ID) {
	if id == 0 || d.has(id) {
		return
	}
	switch {
	case d.ids[1] == 0:
		d.ids[1] = id
	case d.ids[2] == 0:
		d.ids[2] = id
	case id < d.ids[2]:
		d.ids[2] = id
	}
	sortIDs(&d.ids)
}

func (a *account) has(id ID) bool { return a.ids[0] == id || a.ids[1] == id || a.ids[2] == id }

// primary reports whether both are accounts of one source and thing.
func (a *account) primary(o *account) bool {
	return a.ids[0] == o.ids[0] && a.source == o.source && a.kind == o.kind
}

// slots are bits of the sources and stages that the account fills.
func (a *account) slots() uint32 { return uint32(a.stages) << (stages * a.source) }

// unended reports whether no end was reported.
func (a *account) unended() bool { return a.end == 0 && a.stages&(1<<Whole) == 0 }

// isOf reports whether the account, which has that number, is of the thing that head leads.
func (a *account) isOf(seq, head uint32) bool {
	if a.flags&leading != 0 {
		return seq == head
	}
	return a.up == head
}

func cut(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
