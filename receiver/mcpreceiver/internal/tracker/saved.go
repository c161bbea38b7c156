package tracker

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

// save copies the session; what is shared with the copy never changes.
func (s *Session) save() *savedSession {
	v := &savedSession{
		Session: *s, Said: s.said, Client: s.client, Server: s.server,
		Beaten: s.beaten, HasTokens: s.hasTokens, HasTools: s.hasTools, Spent: s.spent, Made: s.made,
		Spawned: s.spawned, Told: s.told, Echoes: s.echoes, Started: s.started,
		Arrival: s.arrival, Lapse: s.lapse, Ended: s.ended,
		Finished: s.finished, Traces: s.traces, Withdrawn: s.cancelledAt, Carried: s.carried, Used: s.used,
		Flood: savedFlood{s.flood.second, s.flood.n, s.flood.dropped},
		Spans: s.spans, Starts: s.starts, SawStart: s.sawStart, Announced: s.announced,
		Reminders: s.reminders, Logs: s.logs, LogLevel: s.logLevel,
	}
	v.Used.Ring = slices.Clone(s.used.Ring)
	for _, a := range s.agents {
		v.Agents = append(v.Agents, savedAgent{*a, a.seen})
	}
	for key, session := range s.redirects {
		v.Redirects = append(v.Redirects, savedRedirect{key.save(), session})
	}
	for _, w := range s.waits {
		v.Waits = append(v.Waits, savedWait{*w, w.raw})
	}
	for _, p := range s.pending {
		v.Pending = append(v.Pending, savedReminder{p.key, p.id})
	}
	if s.hooks != nil {
		v.Hooks = s.hooks.save()
	}
	return v
}

// brief is what calls that go on in a later epoch tell of theirs.
func (s *Session) brief() *savedSession {
	return &savedSession{
		Session: Session{
			ID: s.ID, Identity: s.Identity, Trace: s.Trace, Root: s.Root, Start: s.Start, Last: s.Last, Epoch: s.Epoch, MCPSession: s.MCPSession,
		},
		Said: s.said, Client: s.client, Server: s.server,
	}
}

func (h *hookState) save() *savedHooks {
	v := &savedHooks{Input: h.input, Before: h.before, Manual: h.manual}
	for _, c := range h.asking {
		v.Asking = append(v.Asking, c.key().save())
	}
	return v
}

func (k callKey) save() savedKey { return savedKey{0, k.connection, k.id, k.fromClient} }
func (k parkKey) save() savedKey { return savedKey{k.kind, k.connection, k.id, k.fromClient} }

func (k savedKey) call() callKey { return callKey{k.Connection, k.ID, k.FromClient} }
func (k savedKey) park() parkKey { return parkKey{k.Kind, k.Connection, k.ID, k.FromClient} }

// save copies the call, likewise.
func (c *Call) save() *savedCall {
	v := &savedCall{
		Call: *c, Of: c.entry.name, OfConnection: c.entry.book == byConnection,
		Parked: c.parked.save(), Leg: c.leg, Host: c.host, TaskText: c.taskText,
		LegStart: c.legStart, Deadline: c.deadline, TaskEnd: c.taskEnd,
		Arrival: c.arrival, Moved: c.moved, Since: c.since, Raw: c.raw, Dropped: c.dropped,
	}
	v.Progress = slices.Clone(c.Events())
	if s := c.Session; s != nil && s != c.entry.s {
		v.Former = s.brief()
	}
	if c.poll != nil {
		key := c.poll.parked.save()
		v.Poll = &key
	}
	if c.wait != nil {
		v.Wait = &savedWait{*c.wait, c.wait.raw}
	}
	return v
}
