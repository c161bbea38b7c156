// Package sharedcomponent lets one component serve several signals. The collector makes
// a component for each signal of a pipeline, from one configuration; what they
// must have in common, such as a port or a state, is one instance here.
//
// The collector starts what a component sends to before the component, and stops
// it after. It knows that of each signal by itself, so that an instance of several
// signals has to choose:
//
//   - A receiver sends. It starts with the last of its signals, when all its
//     pipelines are ready, and stops with the first, while they still are:
//     [NewReceivers].
//   - An exporter is sent to. It starts with the first of its signals, and stops
//     with the last: [NewExporters].
//   - A connector is both. It is shared as a receiver is, and refuses what it is
//     sent, with an error that is not permanent, before Start and after Shutdown.
package sharedcomponent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// Instances are the instances of one factory, by configuration: the collector
// hands the same pointer to the factory for every signal of a component. It is
// safe for concurrent use.
type Instances[C comparable, V component.Component] struct {
	sends bool // it starts with the last signal and stops with the first

	mu sync.Mutex
	by map[C]*instance[V]
}

// NewReceivers are instances that start when all signals that they were made for
// are started, and stop when the first of them is stopped.
func NewReceivers[C comparable, V component.Component]() *Instances[C, V] {
	return &Instances[C, V]{sends: true, by: map[C]*instance[V]{}}
}

// NewExporters are instances that start when the first signal that they were made
// for is started, and stop when all of them are stopped.
func NewExporters[C comparable, V component.Component]() *Instances[C, V] {
	return &Instances[C, V]{by: map[C]*instance[V]{}}
}

// Get is called once for each signal. It gives it a share of the instance for the
// configuration, which is made by create if there is none. After the instance's
// shutdown the next Get makes a new one.
func (i *Instances[C, V]) Get(cfg C, create func() (V, error)) (*Share[V], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shared := i.by[cfg]
	if shared == nil {
		value, err := create()
		if err != nil {
			return nil, err
		}
		shared = &instance[V]{value: value, sends: i.sends}
		shared.forget = func() { i.forget(cfg, shared) }
		i.by[cfg] = shared
	}
	shared.signals.Add(1)
	return &Share[V]{instance: shared}, nil
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
	value   V
	sends   bool
	forget  func()
	signals atomic.Int32 // that it was made for
	hosts   hosts

	mu               sync.Mutex
	starts, stops    int32 // signals that are
	started, stopped bool
	failure          error // of the start
	stopping         error
}

// Share is the component of one signal.
type Share[V component.Component] struct {
	instance         *instance[V]
	started, stopped bool // guarded by the instance's mutex
}

// Unwrap is the component that all signals share.
func (s *Share[V]) Unwrap() V { return s.instance.value }

var errStopped = errors.New("the component is already shut down")

// Start implements component.Component. The call that starts the component has
// its error, and so have all later ones; calls before are nil.
func (s *Share[V]) Start(ctx context.Context, host component.Host) error {
	i := s.instance
	i.hosts.add(host)
	i.mu.Lock()
	defer i.mu.Unlock()
	if !s.started {
		s.started = true
		i.starts++
	}
	switch {
	case i.started, i.sends && i.starts < i.signals.Load():
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
	if !s.stopped {
		s.stopped = true
		i.stops++
	}
	if i.stopped || !i.sends && i.stops < i.signals.Load() {
		return i.stopping
	}
	i.stopped = true
	i.forget()
	i.stopping = i.value.Shutdown(ctx)
	return i.stopping
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
