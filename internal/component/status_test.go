package component

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
)

// host remembers what is reported.
type host struct {
	component.Host
	events []string
}

func newHost() *host { return &host{Host: componenttest.NewNopHost()} }

func (h *host) Report(e *componentstatus.Event) {
	text := e.Status().String()
	if e.Err() != nil {
		text += ": " + e.Err().Error()
	}
	h.events = append(h.events, text)
}

var (
	errAway = errors.New("a is away")
	errFull = errors.New("b is full")
)

// A part that works again does not say that the others do.
func TestPartsAreJoined(t *testing.T) {
	h := newHost()
	s := Status{Host: h}
	a, b := s.Part(), s.Part()
	a(nil)
	assert.Empty(t, h.events, "it is taken to work")
	a(errAway)
	b(errFull)
	b(errors.New("b is full")) // nothing new
	b(nil)
	b(nil)
	a(errors.New("a is gone"))
	a(nil)
	assert.Equal(t, []string{
		"StatusRecoverableError: a is away",
		"StatusRecoverableError: a is away\nb is full",
		"StatusRecoverableError: a is away",
		"StatusRecoverableError: a is gone",
		"StatusOK",
	}, h.events)
}

// What only a restart repairs stays, whatever works again.
func TestBrokenStays(t *testing.T) {
	h := newHost()
	s := Status{Host: h}
	a := s.Part()
	a(errAway)
	s.Broken(errFull)
	a(nil)
	assert.Equal(t, []string{
		"StatusRecoverableError: a is away",
		"StatusPermanentError: b is full\na is away",
		"StatusPermanentError: b is full",
	}, h.events)
}

// The last event is the newest, whoever reports at the same time.
func TestConcurrentParts(t *testing.T) {
	h := newHost()
	s := Status{Host: h}
	var reporting sync.WaitGroup
	for range 8 {
		part := s.Part()
		reporting.Go(func() {
			for range 100 {
				part(errAway)
				part(nil)
			}
		})
	}
	reporting.Wait()
	assert.Equal(t, "StatusOK", h.events[len(h.events)-1])
}

func TestWithoutHost(*testing.T) {
	var s Status
	s.Part()(errAway)
	s.Broken(errFull)
}
