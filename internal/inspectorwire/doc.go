// Package inspectorwire reads the events of the mcp-agent Inspector as they go
// over the wire: as JSON (one object, an array, or one object after another)
// and as a text/event-stream; and it reads and writes the lines of its trace
// files.
//
// The source is the Inspector's telemetry specification and, where that is
// silent or wrong, what its gateway sends. Quirks a reader has to know:
//
//   - The kind of an event is `type` inside the JSON; a frame never has an
//     `event:` line.
//   - Times are ISO 8601 without a zone and mean UTC; the fraction is absent
//     when it is zero.
//   - A `Heartbeat` without `session_id` is the stream's idle keep-alive.
//   - `event_id` counts per process and starts at 1 again after a restart.
//   - `SessionStarted` comes several times for one session, and a `completed`
//     may follow a `failed`.
//   - The engine of a session opened by a remote caller is called `inbound` or
//     `mcp-inbound`; the schema a wait asks for `schema` or `signal_schema`.
//   - Several types are documented and never sent; unknown ones are no error.
//
// An event that breaks its schema is still an event: [Event.Invalid] says what
// is wrong, and everything else in it can be recorded.
package inspectorwire
