package pipeline

import (
	"slices"
	"sync"

	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// Outlets are pipelines that a component lends: those of a connector to the owner of
// the sessions, and the other way round. Nil is none.
type Outlets struct {
	Traces  consumer.Traces
	Logs    consumer.Logs
	Metrics consumer.Metrics
}

// loans are what a Runner may use where its component has no pipeline of its own.
type loans struct {
	mu    sync.RWMutex
	all   []*loan
	build *telemetry.Options // with what is lent; nil if that is as without
}

// loan is what is lent, and who uses it now.
type loan struct {
	*Outlets
	using sync.WaitGroup
}

// Lend lets the Runner use pipelines for signals for which it has none, until back is
// called, which may happen twice. The first one that was lent counts.
func (r *Runner) Lend(o *Outlets) (back func()) {
	r.lent.mu.Lock()
	defer r.lent.mu.Unlock()
	l := &loan{Outlets: o}
	r.lent.all = append(r.lent.all, l)
	r.rebuild()
	return func() { r.giveBack(o) }
}

// giveBack lets nobody begin to use what is lent any more. Those who use it still are
// returned; nil if it is not lent.
func (r *Runner) giveBack(o *Outlets) (users *sync.WaitGroup) {
	r.lent.mu.Lock()
	defer r.lent.mu.Unlock()
	r.lent.all = slices.DeleteFunc(r.lent.all, func(l *loan) bool {
		if l.Outlets == o {
			users = &l.using
		}
		return l.Outlets == o
	})
	r.rebuild()
	return users
}

// rebuild makes what telemetry is wanted follow what is lent. The caller holds the
// lock of lent.
func (r *Runner) rebuild() {
	build := *r.Build
	for _, o := range r.lent.all {
		build.Logs = build.Logs || o.Logs != nil
		build.Metrics = build.Metrics || o.Metrics != nil
	}
	r.lent.build = nil
	if build != *r.Build {
		r.lent.build = &build
	}
}

// options are how telemetry is to look.
func (r *Runner) options() *telemetry.Options {
	r.lent.mu.RLock()
	defer r.lent.mu.RUnlock()
	if r.lent.build != nil {
		return r.lent.build
	}
	return r.Build
}

// borrow is the first one that is lent of a signal, until done; nil if there is none.
func borrow[C comparable](r *Runner, of func(*Outlets) C) (found C, done func()) {
	var none C
	r.lent.mu.RLock()
	defer r.lent.mu.RUnlock()
	for _, l := range r.lent.all {
		if found = of(l.Outlets); found != none {
			l.using.Add(1)
			return found, l.using.Done
		}
	}
	return none, func() {}
}

// onlyBy reports whether a signal can leave only by what o lends: the owner has no
// pipeline of its own, and nobody else lends one.
func onlyBy[C comparable](r *Runner, o *Outlets, of func(*Outlets) C, own C) bool {
	var none C
	if own != none || of(o) == none {
		return false
	}
	r.lent.mu.RLock()
	defer r.lent.mu.RUnlock()
	return !slices.ContainsFunc(r.lent.all, func(l *loan) bool { return l.Outlets != o && of(l.Outlets) != none })
}

func tracesOf(o *Outlets) consumer.Traces   { return o.Traces }
func logsOf(o *Outlets) consumer.Logs       { return o.Logs }
func metricsOf(o *Outlets) consumer.Metrics { return o.Metrics }
