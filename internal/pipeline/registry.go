package pipeline

import (
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// place is where a component stands: in which collector, and under which id. One
// process may run several collectors, one after the other or, in tests, at once.
// What all components of one collector have in common, and no others, is the
// resource of its own telemetry: each collector makes one, and hands the same
// reference to every component.
type place struct {
	collector pcommon.Resource
	id        component.ID
}

var registry = struct {
	mu sync.Mutex
	by map[place]*Service
}{by: map[place]*Service{}}

// Register lets connectors of the same collector find the Service of the receiver
// of that id, from when the receiver is made until withdraw is called, which may
// happen twice.
func Register(set component.TelemetrySettings, id component.ID, s *Service) (withdraw func()) {
	at := place{set.Resource, id}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.by[at] = s
	return func() {
		registry.mu.Lock()
		defer registry.mu.Unlock()
		if registry.by[at] == s {
			delete(registry.by, at)
		}
	}
}

// Find is the Service of the receiver with that id in the same collector, or, if
// that is nil, of its only receiver; nil if it has none. All components are made
// before the first one is started, so it is to be asked for at the start.
func Find(set component.TelemetrySettings, id *component.ID) (*Service, error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if id != nil {
		found := registry.by[place{set.Resource, *id}]
		if found == nil {
			return nil, fmt.Errorf("receiver: no pipeline has a receiver %q of this type: add it to one, or leave the key out", id)
		}
		return found, nil
	}
	var only *Service
	for at, s := range registry.by {
		if at.collector != set.Resource {
			continue
		}
		if only != nil {
			return nil, errSeveral
		}
		only = s
	}
	return only, nil
}

var errSeveral = errors.New("receiver: there are several mcp receivers: name the one whose sessions agents belong to")
