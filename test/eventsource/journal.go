package eventsource

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Type is a type of event.
type Type struct {
	Name     string
	Delivery []string // poll, push, webhook
	Durable  bool     // there are cursors; else what nobody listens to is gone

	Description string
}

// Event is one that occurred.
type Event struct {
	ID, Name string
	Time     time.Time
	Data     string // JSON
	Meta     string // JSON of _meta, or ""
	position int    // from 1, in all types together
}

// journal holds what occurred. A position is a number of events.
type journal struct {
	events []Event
	oldest int // position before which nothing is kept
}

func (j *journal) add(events []Event) {
	for _, e := range events {
		e.position = j.end() + 1
		if e.Time.IsZero() {
			e.Time = time.Now()
		}
		if e.Data == "" {
			e.Data = "{}"
		}
		j.events = append(j.events, e)
	}
}

// end is the position behind all that occurred.
func (j *journal) end() int { return len(j.events) }

// from reads a cursor: the position behind which to begin, and whether there is a
// gap before it, which what is kept still follows.
func (j *journal) from(raw json.RawMessage) (position int, gap bool) {
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return j.end(), false
	}
	if _, err := fmt.Sscanf(*text, "pos-%d", &position); err != nil || position < j.oldest || position > j.end() {
		return j.oldest, true
	}
	return position, false
}

// after are the events of a type behind a position.
func (j *journal) after(name string, position int) (events []Event) {
	for _, e := range j.events[position:] {
		if e.Name == name {
			events = append(events, e)
		}
	}
	return events
}

func cursorAt(t *Type, position int) any {
	if !t.Durable {
		return nil
	}
	return "pos-" + strconv.Itoa(position)
}

func body(e *Event, t *Type, extra map[string]any) map[string]any {
	m := map[string]any{
		"eventId": e.ID, "name": e.Name, "timestamp": e.Time.UTC().Format(time.RFC3339Nano),
		"data": json.RawMessage(e.Data), "cursor": cursorAt(t, e.position),
	}
	if e.Meta != "" {
		m["_meta"] = json.RawMessage(e.Meta)
	}
	maps.Copy(m, extra)
	return m
}
