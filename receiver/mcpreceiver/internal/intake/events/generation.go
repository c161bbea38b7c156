package events

import "fmt"

// Generation is a generation of the wire format; the zero value is not known yet.
type Generation uint8

// The generations, in order. G1 has batches and ids that clients make, G2 one
// subscription a request and Standard Webhooks, G3 is the extension of SEP-3415.
const (
	Auto Generation = iota
	G1
	G2
	G3
)

var generations = [...]string{"auto", "g1", "g2", "g3"}

// String is the name of the generation: auto, g1, g2, g3.
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

// The ways of delivery.
const (
	Poll    = "poll"
	Push    = "push"
	Webhook = "webhook"
)

var everyWay = [...]string{Poll, Push, Webhook}

// extension is the key of SEP-3415 among capabilities.
const extension = "io.modelcontextprotocol/events"

// generationOf reads capabilities: where events are declared tells G3 from the
// others, which only trying tells apart. offered is false if there are none.
func generationOf(capabilities members) (g Generation, listChanged, offered bool) {
	if declared, ok := capabilities.object("extensions")[extension]; ok {
		return G3, parse(declared).yes("listChanged"), true
	}
	declared, ok := capabilities["events"]
	return Auto, parse(declared).yes("listChanged"), ok
}
