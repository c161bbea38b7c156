package component

import (
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// Status joins what the parts of a component report into its one status. The collector
// keeps the last event of a component: if one part works again, the others may still fail. Its methods, and what they return, are safe for
// concurrent use. The zero value is that of a component without parts.
type Status struct {
	// Host receives the reports; none are made if it is nil. It is set before the first report.
	Host component.Host

	mu     sync.Mutex
	parts  []error // by part, nil if it works
	broken error   // what works only after a restart; nil if there is nothing
}

// Part adds a part that works, and is how that reports: an error when it fails, nil
// when it works again.
func (s *Status) Part() func(error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := len(s.parts)
	s.parts = append(s.parts, nil)
	return func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !same(s.parts[part], err) {
			s.parts[part] = err
			s.report()
		}
	}
}

// Broken reports what works only after a restart of the collector. From then on nothing
// that is reported makes the component work.
func (s *Status) Broken(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = errors.Join(s.broken, err)
	s.report()
}

// same reports whether a report of b after a says nothing new.
func same(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}

// report reports all that fails. The caller holds the lock, so that the last event is
// the newest.
func (s *Status) report() {
	failing := errors.Join(s.parts...)
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	switch {
	case s.broken != nil:
		event = componentstatus.NewPermanentErrorEvent(errors.Join(s.broken, failing))
	case failing != nil:
		event = componentstatus.NewRecoverableErrorEvent(failing)
	}
	if s.Host != nil {
		componentstatus.ReportStatus(s.Host, event)
	}
}
