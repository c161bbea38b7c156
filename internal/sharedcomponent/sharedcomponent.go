// Package sharedcomponent lets one component serve several signals. The collector makes
// a component for each signal of a pipeline, from one configuration; what they
// must have in common, such as a port or a state, is one instance here.
package sharedcomponent

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// Instances are the instances of one factory, by configuration: the collector
// hands the same pointer to the factory for every signal of a component. It is
// safe for concurrent use; the zero value is ready.
type Instances[C comparable, V component.Component] struct {
	mu sync.Mutex
	by map[C]*Instance[V]
}

// Get is the instance for the configuration, made by create if there is none.
// After its shutdown the next Get makes a new one.
func (i *Instances[C, V]) Get(cfg C, create func() (V, error)) (*Instance[V], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if found := i.by[cfg]; found != nil {
		return found, nil
	}
	value, err := create()
	if err != nil {
		return nil, err
	}
	if i.by == nil {
		i.by = map[C]*Instance[V]{}
	}
	made := &Instance[V]{value: value}
	made.forget = func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.by, cfg)
	}
	i.by[cfg] = made
	return made, nil
}

// Instance is a component that is started once and stopped once, however many
// signals it serves. Each signal's host learns of its status.
type Instance[V component.Component] struct {
	value  V
	forget func()

	start, stop       sync.Once
	started, stopping error
	hosts             hosts
}

// Unwrap is the component itself.
func (i *Instance[V]) Unwrap() V { return i.value }

// Start implements component.Component. All calls but the first only tell the
// component of one more host.
func (i *Instance[V]) Start(ctx context.Context, host component.Host) error {
	i.hosts.add(host)
	i.start.Do(func() { i.started = i.value.Start(ctx, i.hosts.with(host)) })
	return i.started
}

// Shutdown implements component.Component. The first call stops the component;
// the others wait for that and have its result.
func (i *Instance[V]) Shutdown(ctx context.Context) error {
	i.stop.Do(func() {
		i.forget()
		i.stopping = i.value.Shutdown(ctx)
	})
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
