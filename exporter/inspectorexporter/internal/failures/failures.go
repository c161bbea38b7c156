// Package failures counts what failed in a session, each fact once, however many spans
// report it and in whatever order they come.
//
// The agent's span of a call, the one that a tap saw of it, what served it and the steps
// inside of it are one fact. A fact is a group of failed spans: it grows with each span that
// belongs to it, and two become one when a span shows that they are the same. So the count
// does not depend on which of them comes first. Spans that did not fail cost nothing.
package failures

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
)

// maxKnown is how many failed spans of a session are remembered, maxKept how many of one that
// has ended: those of other processes may still come, and the sessions that ended are many.
const (
	maxKnown = 128
	maxKept  = 16
)

// Failures is what failed in one session. It is not safe for concurrent use.
type Failures struct {
	known  recent.Ring[failure]
	groups uint32 // how many there were
}

// Add takes a span that failed; outermost says that nothing of its session is around it. It
// returns the change in the number of facts that failed: -1 if two turn out to be one.
func (f *Failures) Add(span ptrace.Span, outermost bool) (more int64) {
	n := of(span, outermost)
	if k := f.find(func(k *failure) bool { return k.id == n.id && !n.id.IsEmpty() }); k != nil && k.marks|n.marks == k.marks {
		return 0 // it comes again
	}
	f.groups++
	n.group = f.groups
	f.known.Add(n, maxKnown)
	at := slices.Index(f.known.Items, n)
	return n.weight() + f.relate(at) + f.throughSteps(at)
}

// Absorb takes what failed in a session that turned out to be part of this one, and returns
// how many facts both had counted, as a number that is not positive.
func (f *Failures) Absorb(part *Failures) (more int64) {
	for _, n := range part.known.Items {
		n.group += f.groups
		f.known.Add(n, maxKnown)
	}
	f.groups += part.groups
	if len(part.known.Items) == 0 {
		return 0
	}
	for i := range f.known.Items {
		more += f.relate(i) + f.throughSteps(i)
	}
	return more
}

// Forget keeps only the last ones.
func (f *Failures) Forget() { f.known.Keep(maxKept) }

// relate finds out how a span is related to all others.
func (f *Failures) relate(at int) (more int64) {
	n := &f.known.Items[at]
	for i := range f.known.Items {
		k := &f.known.Items[i]
		if n.same(k) {
			more += f.merge(n.group, k.group)
		}
		if n.covers(k) {
			more += f.cover(k.group)
		}
		if k.covers(n) {
			more += f.cover(n.group)
		}
	}
	return more
}

// find is the first known span that is one of those, nil if none is.
func (f *Failures) find(is func(*failure) bool) *failure {
	for i := range f.known.Items {
		if k := &f.known.Items[i]; is(k) {
			return k
		}
	}
	return nil
}

// merge makes two groups one.
func (f *Failures) merge(to, from uint32) (more int64) {
	if to == from {
		return 0
	}
	a, b := f.marksOf(to), f.marksOf(from)
	both := a | b
	for i := range f.known.Items {
		if k := &f.known.Items[i]; k.group == to || k.group == from {
			k.group, k.marks = to, both
		}
	}
	return both.weight() - a.weight() - b.weight()
}

// cover notes that what a group reports follows from what another one does.
func (f *Failures) cover(group uint32) (more int64) {
	before := f.marksOf(group)
	after := before | covered
	if after == before {
		return 0
	}
	for i := range f.known.Items {
		if k := &f.known.Items[i]; k.group == group {
			k.marks = after
		}
	}
	return after.weight() - before.weight()
}

// marksOf is what is known of a group; all of its spans have it, for any of them may be
// given up.
func (f *Failures) marksOf(group uint32) marks {
	return f.find(func(k *failure) bool { return k.group == group }).marks
}

// marks are what is known of a group.
type marks uint8

const (
	loud    marks = 1 << iota // some span of it is not marked as one that repeats others
	whole                     // some span of it never merely follows from another failure
	covered                   // it follows from something else that failed
	refused                   // a person or a rule refused it
)

// weight is how often a group counts.
func (m marks) weight() int64 {
	if m&loud == 0 || m&refused != 0 || m&whole == 0 && m&covered != 0 {
		return 0
	}
	return 1
}
