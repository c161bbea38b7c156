package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Format is the version of the records that are written. It changes when an
// earlier version of the collector would misread them. 1 was written before
// fields had numbers and is not read.
const Format = 2

// RecordData is the stored form of a session, a part of its facts, or a call, in CBOR (RFC 8949), since
// that leaves payloads as they are, to the byte.
type RecordData struct {
	Format int   `cbor:"1,keyasint"`
	Away   int64 `cbor:"2,keyasint,omitempty"` // ns in which nothing could be heard, until it was written

	Session *SessionRecord `cbor:"3,keyasint,omitempty"`
	Seen    int64          `cbor:"4,keyasint,omitempty"`  // arrival of the session's last message
	Alive   int64          `cbor:"5,keyasint,omitempty"`  // arrival of the last sign of its host
	Sign    int64          `cbor:"10,keyasint,omitempty"` // likewise, by which that is not given up any more
	Facts   []byte         `cbor:"11,keyasint,omitempty"` // what of its facts is in no part

	Call         *CallRecord    `cbor:"6,keyasint,omitempty"`
	Name         string         `cbor:"7,keyasint,omitempty"` // of the session or connection that the call is open in
	ByConnection bool           `cbor:"8,keyasint,omitempty"`
	Former       *SessionRecord `cbor:"9,keyasint,omitempty"` // that the call belongs to, if that is a former epoch

	Part *FactsRecord `cbor:"12,keyasint,omitempty"`
}

// Marshal encodes the record.
func (r *RecordData) Marshal() ([]byte, error) { return cbor.Marshal(r) }

var decoding = func() cbor.DecMode {
	mode, err := cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}()

var errForeign = errors.New("the record is neither a session nor a call as this version writes them")

// Unmarshal decodes a record and makes sure that it can be worked with.
func (r *RecordData) Unmarshal(data []byte) error {
	switch err := decoding.Unmarshal(data, r); {
	case err != nil:
		return err
	case r.Format != Format:
		return fmt.Errorf("the record has format %d, this version reads %d", r.Format, Format)
	case r.kinds() != 1, r.Session != nil && !r.Session.sound(), r.Call != nil && !r.Call.sound():
		return errForeign
	}
	return nil
}

// kinds counts what the record is of.
func (r *RecordData) kinds() (n int) {
	for _, is := range [...]bool{r.Session != nil, r.Call != nil, r.Part != nil} {
		if is {
			n++
		}
	}
	return n
}

// sound reports whether the session's collections can be worked with.
func (s *SessionRecord) sound() bool {
	for _, r := range []*Recents{s.Spawned, s.Finished, s.Traces, s.Withdrawn} {
		if r != nil && r.N < 0 {
			return false
		}
	}
	return (s.Echoes == nil || len(*s.Echoes) <= EchoesMax) &&
		(s.More().Delivered == nil || len(*s.More().Delivered) <= deliveredMax) &&
		(s.Agent == nil || len(s.Agent.Done) <= doneMax) &&
		(s.Phase == nil || slices.Contains(mcpconv.Phases, s.Phase.Name)) &&
		!slices.Contains(s.Agents, nil) && !slices.Contains(s.Waits, nil)
}

func (c *CallRecord) sound() bool {
	return c.Parked.Kind <= ParkedAgent && (c.Parked.Kind != ParkedRound || c.Wait != nil) && c.Count >= 0 && (c.Poll == nil || c.Poll.Kind <= ParkedTurn) &&
		(c.Parked.Kind != ParkedTurn || c.Turn != nil) && (c.Parked.Kind != ParkedAgent || c.Report != nil && c.Report.Over)
}

// Snapshot is a copy that shares nothing which changes.
func (s *SessionRecord) Snapshot() *SessionRecord {
	v := *s
	v.Redirects = maps.Clone(v.Redirects)
	return &v
}

// Snapshot is a copy that shares nothing which changes.
func (c *CallRecord) Snapshot() *CallRecord {
	v := *c
	v.Progress = slices.Clone(v.Progress)
	return &v
}

// Brief returns the fields that calls report that go on in a later epoch.
func (s *SessionRecord) Brief() *SessionRecord {
	return &SessionRecord{Epoch: s.Epoch, Parties: Parties{
		MCPSession: s.MCPSession, Info: s.Info, Client: s.Client, Server: s.Server,
	}}
}

// DropPayloads removes whatever is payload from a session that was stored when
// payloads were wanted.
func (s *SessionRecord) DropPayloads() {
	s.ErrorText, s.Task = "", ""
	if more := s.More(); more.HostError != nil && more.HostError.Text != "" {
		failed := *more.HostError
		failed.Text = ""
		more.HostError = &failed
		s.Extra = &more
	}
	if more := s.More(); more.LastFailure != nil || more.Members != "" || more.Named != "" || more.Made != "" {
		more.LastFailure, more.Members, more.Named, more.Made = nil, "", "", ""
		s.Extra = &more
	}
	if s.Agent != nil {
		s.Title, s.Agent.Input, s.Agent.Output, s.Agent.Dir, s.Agent.Branch = "", "", "", "", ""
	}
	for _, a := range s.Agents {
		a.Task, a.Spawned = "", ""
	}
	for _, w := range s.Waits {
		w.Prompt, w.Schema = "", ""
	}
}

// DropPayloads does the same with a call.
func (c *CallRecord) DropPayloads() {
	c.Input, c.Text, c.Preference, c.Output, c.TaskText, c.Envelope = "", "", "", "", "", ""
	if c.Report != nil {
		c.Report.Text, c.Report.Output = "", ""
	}
	if c.Model != nil {
		c.Model.Output = ""
	}
	for i := range c.Progress {
		c.Progress[i].Message = ""
	}
	if c.Wait != nil {
		c.Wait.Prompt, c.Wait.Schema = "", ""
	}
	if c.ToolID != "" {
		c.Target = c.ToolKind
	}
}
