package session

import (
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Call is a request that waits for its reply. All its strings are its own.
type Call struct {
	Session *Session `cbor:"-"` // nil if there is none
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Remote  bool    // the parent came from a trace context
	Context Context // that context
	Link    Context // the push request's context

	Connection string
	ID         string // JSON
	FromClient bool
	Method     string
	Start      int64
	Invalid    string
	Version    string // of JSON-RPC
	Bytes      int64  // size on the wire, if it was carried reduced
	Sender     string
	Client     string // the record's
	Server     string
	ServerURI  string
	Transport  string
	RequestID  string // mcp.request_id
	Token      string // progress token, JSON
	Target     string // tool, prompt, level or URI
	Input      string // arguments, messages or schema, JSON
	Text       string // system prompt or elicitation message
	Preference string // model preferences, JSON
	Hint       string // the model that the server would like best
	Envelope   string // the request, JSON
	Hook       bool   // a hook of the host told of it: no message was seen
	SubAgent   string // id of the sub-agent that made it, "" the main thread

	Progress []Progress // the first, then the newest in a ring; see Events
	progress int        // how many came in all

	TaskID     string // of the task that it runs as, or that it is about
	TaskStatus string
	Tool       string // id of a tool call of ACP
	ToolKind   string // of that
	ToolStatus string // of that
	Output     string // of that, JSON

	about    string  // the tool call it names, while it is being opened
	parked   parkKey // what it waits for, if not for its reply
	poll     *Call   // whose task it asks for, if it does
	wait     *Wait   // in which the client is asked, nil if it is not
	leg      string  // id of the latest request, if there was more than one
	legStart int64   // of the latest request
	deadline int64   // arrival time at which it ends at the latest, 0 if there is none
	due      int64   // the deadline it is lined up with
	at       int     // place among the deadlines, from 1
	taskEnd  int64   // when its task was done, 0 if it is not
	taskText string  // what that told
	Stuck    bool    // it does not move, and that was told
	arrival  int64
	moved    int64  // arrival of the last sign of progress
	since    int64  // its message time
	host     string // that it keeps busy
	raw      uint64 // hash of the request
	bytes    int64  // of payload held
	dropped  bool   // nothing is told of it
	reported bool   // ended in this transaction or before
	place    int32  // of its record, 0 if it has none
	entry    *entry
	node     node[*Call]
	still    node[*Call]
	kept     node[*Call] // among those that are to be stored
}

// Progress is what a progress notification told.
type Progress struct {
	Time     int64
	Progress float64
	Total    float64
	HasTotal bool
	Message  string
}

// callKey finds an open call: by id, or by progress token.
type callKey struct {
	connection string
	id         string
	fromClient bool
}

// write starts d with the key.
func (k callKey) write(d *xxhash.Digest) {
	d.Reset()
	if k.fromClient {
		_, _ = d.WriteString("\x01")
	}
	_, _ = d.WriteString(k.connection)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(k.id)
}

func (k callKey) hash() uint64 {
	var d xxhash.Digest
	k.write(&d)
	return d.Sum64()
}

func (c *Call) key() callKey { return callKey{c.Connection, first(c.leg, c.ID), c.FromClient} }

func (c *Call) tokenKey() callKey { return callKey{c.Connection, c.Token, c.FromClient} }

// keep copies from the request what the span will need.
func (c *Call) keep(m *jsonrpc.Message, opt *Options) {
	c.Target = strings.Clone(jsonrpc.Cut(target(m), opt.TextBytes))
	if c.Method == mcpconv.MethodSampling {
		c.Hint = strings.Clone(jsonrpc.Cut(firstHint(m.Params.Preferences), opt.TextBytes))
	}
	if strings.HasPrefix(c.Method, mcpconv.TasksPrefix) {
		c.TaskID = strings.Clone(jsonrpc.Cut(m.Params.TaskID.Str(), opt.TextBytes))
	}
	if opt.KeepPayloads {
		c.keepPayload(m, opt)
	}
	c.bytes = c.weigh()
}

// weigh is what a new call holds.
func (c *Call) weigh() int64 {
	return callBytes + int64(len(c.Connection)+len(c.ID)+len(c.Method)+len(c.Token)+len(c.Target)+
		len(c.Client)+len(c.Server)+len(c.ServerURI)+len(c.RequestID)+
		len(c.Sender)+len(c.Hint)+len(c.TaskID)+len(c.Tool)+len(c.ToolKind)+len(c.Output)+len(c.Version)+len(c.Context.State)+len(c.Link.State)+
		len(c.Input)+len(c.Text)+len(c.Preference)+len(c.Envelope))
}

// callBytes is what a call takes beside its strings, about.
const callBytes = 768

func (c *Call) keepPayload(m *jsonrpc.Message, opt *Options) {
	p := &m.Params
	switch c.Method {
	case mcpconv.MethodSampling:
		c.Input, c.Text = clone(p.Messages), strings.Clone(p.SystemPrompt.Str())
		c.Preference = clone(p.Preferences)
	case mcpconv.MethodElicitation:
		c.Input, c.Text = clone(p.Schema), strings.Clone(p.Message.Str())
	case mcpconv.MethodToolsCall, mcpconv.MethodPromptsGet:
		c.Input = clone(p.Arguments)
	case mcpconv.MethodSessionPrompt:
		c.Input = clone(p.Prompt)
	case mcpconv.MethodRequestPermit:
		c.Input, c.Text = clone(p.Options), strings.Clone(jsonrpc.Member(p.ToolCall, "title").Str())
	}
	if opt.KeepEnvelopes {
		c.Envelope = clone(m.Raw)
	}
}

// target is what the request is about, "" if that has no name.
func target(m *jsonrpc.Message) string {
	switch m.Method {
	case mcpconv.MethodToolsCall, mcpconv.MethodPromptsGet:
		return m.Params.Name.Str()
	case mcpconv.MethodSetLevel:
		return m.Params.Level.Str()
	case mcpconv.MethodSampling:
		return ""
	}
	return m.Params.URI.Str()
}

// firstHint is the model that the preferences name first.
func firstHint(preferences jsonrpc.Value) string {
	var p struct {
		Hints []struct {
			Name string `json:"name"`
		} `json:"hints"`
	}
	if preferences == "" || json.Unmarshal([]byte(preferences), &p) != nil || len(p.Hints) == 0 {
		return ""
	}
	return p.Hints[0].Name
}

func clone(v jsonrpc.Value) string { return strings.Clone(string(v)) }

// Agent is what the agent that the request was sent to calls itself.
func (c *Call) Agent() string {
	if c.Session == nil {
		return c.Server
	}
	_, server := c.Session.Peers()
	return first(server, c.Server)
}

// note adds a progress event and returns what it replaced.
func (c *Call) note(p Progress, limit int) (old Progress, at int) {
	c.progress++
	if len(c.Progress) < limit {
		c.Progress = append(c.Progress, p)
		return Progress{}, -1
	}
	at = 1 + (c.progress-1-limit)%(limit-1)
	old, c.Progress[at] = c.Progress[at], p
	return old, at
}

// Events are the kept progress events in order.
func (c *Call) Events() []Progress {
	over := c.progress - len(c.Progress)
	if over <= 0 || len(c.Progress) < 2 {
		return c.Progress
	}
	next := 1 + over%(len(c.Progress)-1)
	events := append([]Progress{c.Progress[0]}, c.Progress[next:]...)
	return append(events, c.Progress[1:next]...)
}
