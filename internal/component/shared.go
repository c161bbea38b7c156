// Package component has what components of several signals share: one instance for all of
// them ([Instances]) and one status ([Status]).
//
// The collector makes a component for each signal of a pipeline, from one configuration. It
// starts what a component sends to before the component, and what sends to it afterwards, and
// stops them the other way round, for each signal by itself. So an instance of several signals
// has to choose when it starts and stops:
//
//   - A receiver starts with the last of its signals, when all its pipelines are ready, and
//     stops with the first, while they still are: all have one way in, [FromOutside].
//   - An exporter starts with the first of its signals and stops with the last: each has a way
//     in of its own, the signal that is sent to it.
package component

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pipeline"
)

// FromOutside is the way in of receivers, to which the collector sends nothing.
var FromOutside pipeline.Signal

// Instances are the instances of one factory, by configuration: the collector
// hands the same pointer to the factory for every signal of a component. It is
// safe for concurrent use.
type Instances[C comparable, V component.Component] struct {
	mu sync.Mutex
	by map[C]*instance[V]
}

// NewInstances returns no instances yet.
func NewInstances[C comparable, V component.Component]() *Instances[C, V] {
	return &Instances[C, V]{by: map[C]*instance[V]{}}
}

// Get returns a share of the instance for the configuration, made by create if there is none.
// It must be called once for each signal, before the first starts; in is the signal's way in.
// After the instance's shutdown the next Get makes a new one.
func (i *Instances[C, V]) Get(cfg C, in pipeline.Signal, create func() (V, error)) (*Share[V], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shared := i.by[cfg]
	if shared == nil {
		value, err := create()
		if err != nil {
			return nil, err
		}
		shared = &instance[V]{value: value}
		shared.forget = func() { i.forget(cfg, shared) }
		i.by[cfg] = shared
	}
	return &Share[V]{instance: shared, in: shared.ways.add(in)}, nil
}

func (i *Instances[C, V]) forget(cfg C, shared *instance[V]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.by[cfg] == shared {
		delete(i.by, cfg)
	}
}

// instance is a component that is started once and stopped once, however many
// signals it serves. Each signal's host learns of its status.
type instance[V component.Component] struct {
	value  V
	forget func()
	ways   ways
	hosts  hosts

	mu               sync.Mutex
	started, stopped bool
	failure          error // of the start
	stopping         error
}

// Share is the component of one signal.
type Share[V component.Component] struct {
	instance *instance[V]
	in       *way
	started  bool // guarded by the instance's mutex
}

// Unwrap returns the component that all signals share.
func (s *Share[V]) Unwrap() V { return s.instance.value }

var errStopped = errors.New("the component is already shut down")

// Start implements component.Component. The call that starts the component has
// its error, and so have all later ones; calls before are nil.
func (s *Share[V]) Start(ctx context.Context, host component.Host) error {
	i := s.instance
	i.hosts.add(host)
	i.mu.Lock()
	defer i.mu.Unlock()
	ready := i.ways.start(s.in, !s.started)
	s.started = true
	switch {
	case i.started, !ready:
		return i.failure
	case i.stopped:
		return errStopped
	}
	i.started = true
	i.failure = i.value.Start(ctx, i.hosts.with(host))
	return i.failure
}

// Shutdown implements component.Component. The call that stops the component has
// its error, and so have all later ones. It may come without a Start, and again.
func (s *Share[V]) Shutdown(ctx context.Context) error {
	i := s.instance
	i.mu.Lock()
	defer i.mu.Unlock()
	over := i.ways.stop(s.in)
	if i.stopped || !over {
		return i.stopping
	}
	i.stopped = true
	i.forget()
	i.stopping = i.value.Shutdown(ctx)
	return i.stopping
}

// ways are the ways in of an instance.
type ways struct {
	mu sync.Mutex // apart from the instance's, which is held while that starts and stops
	by map[pipeline.Signal]*way
}

// way is one of them.
type way struct {
	signals, starts int  // that have it
	stopped         bool // one of these
}

func (w *ways) add(in pipeline.Signal) *way {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[pipeline.Signal]*way{}
	}
	if w.by[in] == nil {
		w.by[in] = &way{}
	}
	w.by[in].signals++
	return w.by[in]
}

// start notes that a signal of that way has started, if it is the first time, and
// reports whether all of them have.
func (w *ways) start(in *way, first bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if first {
		in.starts++
	}
	return in.starts == in.signals
}

// stop notes that a signal of that way has stopped, and reports whether one of each
// has.
func (w *ways) stop(in *way) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	in.stopped = true
	for _, other := range w.by {
		if !other.stopped {
			return false
		}
	}
	return true
}

// hosts are the hosts of all signals. A status that is reported to one is
// reported to all, also to those that come later.
type hosts struct {
	mu   sync.Mutex
	all  []component.Host
	last *componentstatus.Event
}

func (h *hosts) add(host component.Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, host)
	if h.last != nil {
		componentstatus.ReportStatus(host, h.last)
	}
}

// Report implements componentstatus.Reporter.
func (h *hosts) Report(event *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = event
	for _, host := range h.all {
		componentstatus.ReportStatus(host, event)
	}
}

// with is first with the reporting of h.
func (h *hosts) with(first component.Host) component.Host {
	return &reporting{Host: first, Reporter: h}
}

type reporting struct {
	component.Host
	componentstatus.Reporter
}
