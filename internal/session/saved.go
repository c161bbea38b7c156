package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// savedFormat changes when another version would misread what is kept. Fields
// are known by their names: new ones do not matter, renamed ones are lost.
const savedFormat = 1

// saved is a record: a session or a call, in CBOR (RFC 8949), since that leaves
// payloads as they are, to the byte.
type saved struct {
	Format  int
	Away    int64         // ns in which nothing could be heard, until it was written
	Session *savedSession `cbor:",omitempty"`
	Call    *savedCall    `cbor:",omitempty"`
}

// savedSession is what a session is made of, its calls aside.
type savedSession struct {
	Session // what is exported of it

	Said                        *Said
	Client, Server              string
	Beaten, HasTokens, HasTools bool
	Spent, Made                 int64
	Agents                      []savedAgent
	Spawned, Told               *recents
	Echoes                      *echoes
	Hooks                       *savedHooks
	Started                     [2]uint64
	Arrival, Lapse, Ended       int64
	Seen, Alive                 int64 // of the entry
	Finished, Traces, Withdrawn *recents
	Carried                     []string
	Redirects                   []savedRedirect
	Waits                       []savedWait
	Used                        usedIDs
	Pending                     []savedReminder
	Flood                       savedFlood
	Spans, Starts               int32
	SawStart, Announced         bool
	Reminders, Logs             Known
	LogLevel                    uint8
}

type savedAgent struct {
	Agent
	Seen bool
}

type savedHooks struct {
	Input, Before string
	Manual        bool
	Asking        []savedKey
}

type savedRedirect struct {
	Key     savedKey
	Session string
}

type savedWait struct {
	Wait
	Raw uint64
}

type savedReminder struct {
	Key uint64
	ID  string
}

type savedFlood struct {
	Second  int64
	N       int32
	Dropped bool
}

// savedKey is a callKey, or with a kind a parkKey.
type savedKey struct {
	Kind           parkKind
	Connection, ID string
	FromClient     bool
}

// savedCall is what a call is made of. Of and OfConnection name the entry that it
// is open in; Former is the session that it belongs to, if that went on in
// another epoch since.
type savedCall struct {
	Call

	Of           string
	OfConnection bool
	Former       *savedSession

	Parked                savedKey
	Poll                  *savedKey // where the call is parked whose task it asks for
	Wait                  *savedWait
	Leg, Host, TaskText   string
	LegStart, Deadline    int64
	TaskEnd               int64
	Arrival, Moved, Since int64
	Raw                   uint64
	Dropped               bool
}

var decoding = func() cbor.DecMode {
	mode, err := cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}()

var errForeign = errors.New("the record is neither a session nor a call as this version writes them")

func decodeSaved(data []byte) (v saved, err error) {
	switch err = decoding.Unmarshal(data, &v); {
	case err != nil:
	case v.Format != savedFormat:
		err = fmt.Errorf("the record has format %d, this version knows %d", v.Format, savedFormat)
	case (v.Session == nil) == (v.Call == nil), v.Session != nil && !v.Session.sound(), v.Call != nil && !v.Call.sound():
		err = errForeign
	}
	return v, err
}

// sound tells whether the session's collections can be worked with.
func (v *savedSession) sound() bool {
	for _, r := range []*recents{v.Spawned, v.Told, v.Finished, v.Traces, v.Withdrawn} {
		if r != nil && r.N < 0 {
			return false
		}
	}
	u := &v.Used
	return len(u.Ring) <= usedIDsMax && u.Next >= 0 && u.Next < usedIDsMax && (v.Echoes == nil || len(*v.Echoes) <= echoesMost) && v.Phase.sound()
}

// sound tells whether there is no phase or one that is known.
func (p *Phase) sound() bool {
	return p == nil || slices.Contains(mcpconv.Phases, p.Name)
}

func (v *savedCall) sound() bool { return v.Parked.Kind <= parkedTool }
