package events

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// fault is the error in a delivery, nil if there is none, and whether it ends the
// subscription. The first draft has no type of body for that: there an error ends
// it, as in a stream, unless it passes. Its servers put the error into the body,
// into another error, into a member that is named after the end, or they send the
// notification of a stream.
func (d *delivery) fault(kind string) (fault members, ended bool) {
	around := d.m
	ended = kind == "terminated"
	switch method := d.m.Text("method"); {
	case method == mcpconv.EventsTerminated, method == mcpconv.EventsError:
		around, ended = d.m.Object("params"), method == mcpconv.EventsTerminated
	case d.m.Object("terminated") != nil:
		around, ended = d.m.Object("terminated"), true
	}
	fault = around.Object("error")
	if inner := fault.Object("error"); inner != nil {
		fault = inner
	}
	if fault == nil || ended || d.generation() != Draft1 {
		return fault, ended
	}
	return fault, meaningOf(errorOf(fault), Draft1) != meansTemporary
}
