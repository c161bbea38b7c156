package events

import "fmt"

// Generation is a generation of the wire format; the zero value is not known yet.
type Generation uint8

// The generations, in order. The first draft has batches and ids that clients
// make, the second one subscription a request and Standard Webhooks.
const (
	Auto Generation = iota
	Draft1
	Draft2
	SEP3415
)

var generations = [...]string{"auto", "g1", "g2", "g3"}

// String returns what configuration and telemetry call the generation: auto, g1, g2, g3.
func (g Generation) String() string { return generations[g] }

// ParseGeneration reads the name of a generation.
func ParseGeneration(name string) (Generation, error) {
	for g, known := range generations {
		if name == known {
			return Generation(g), nil
		}
	}
	return Auto, fmt.Errorf("%q is unknown, choose from auto, g1, g2 and g3", name)
}

// extensionKey is the key of SEP-3415 among capabilities.
const extensionKey = "io.modelcontextprotocol/events"

// declaredEvents reads a server's capabilities: where events are declared tells
// SEP-3415 from the drafts, which only trying tells apart. offered is false if
// the server has no events.
func declaredEvents(capabilities members) (g Generation, listChanged, offered bool) {
	if declared, ok := capabilities.Object("extensions")[extensionKey]; ok {
		return SEP3415, parseMembers(declared).Bool("listChanged"), true
	}
	declared, ok := capabilities["events"]
	return Auto, parseMembers(declared).Bool("listChanged"), ok
}
