package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Script is the answers to one conversation. Its turns are given out in their
// order, one a request, whatever the conversation's history says by then: an
// agent that retries or compacts gets the next one.
type Script struct {
	// Marker is a text that the first user message of the conversation contains.
	// It tells the conversation of a sub-agent from that of its parent.
	Marker string
	Turns  []Turn
}

// Turn is one answer: an error, or a text and the tools to call.
type Turn struct {
	// Fail is an HTTP status to answer with instead, such as 529 or 500.
	Fail int
	// After is the time for which the model thinks before it answers; zero: not at all.
	After time.Duration
	Text  string
	Calls []Call
	// Usage is the cost of the answer; zero: a number that no other answer has.
	Usage Usage
}

// Call is a tool call that the model asks for.
type Call struct {
	// Tool is the name by which the agent offers the tool. A name that ends in
	// "*" is a prefix: the first offered tool that has it.
	Tool string
	// Namespace is where Codex puts the tools of an MCP server.
	Namespace string
	// Arguments are given out as JSON; a [Found] in them is looked up.
	Arguments map[string]any
	// Label is the test's own: it comes back with what was given out.
	Label string
}

// Found is the value of an argument that the conversation holds by then, such as
// the id of a sub-agent: the last match of the pattern's first group in the
// request's body.
type Found string

// fill puts what is found into arguments.
func fill(v any, body []byte) any {
	switch v := v.(type) {
	case Found:
		matches := regexp.MustCompile(string(v)).FindAllSubmatch(body, -1)
		if matches == nil {
			return ""
		}
		return string(matches[len(matches)-1][1])
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = fill(v[i], body)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for key := range v {
			filled[key] = fill(v[key], body)
		}
		return filled
	}
	return v
}

// Usage is a number of tokens as OpenTelemetry counts them: the input includes
// what was read from and written to a cache, the output includes reasoning.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int64
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning,
	}
}

// Interface is a vendor's API.
type Interface string

// The interfaces that the server has.
const (
	Messages  Interface = "messages"
	Responses Interface = "responses"
	Chat      Interface = "chat"
	Gemini    Interface = "gemini"
)

// Answer holds what the server gave out for one request.
type Answer struct {
	Interface Interface
	// Marker is the script's, Turn the place in it. A side request (a title, a
	// topic, a summary) has Turn -1.
	Marker string
	Turn   int
	Model  string
	// ID is the response's, RequestID the header's.
	ID, RequestID string
	// Status is the HTTP status.
	Status int
	Usage  Usage
	Calls  []Issued
	// Unanswered is set if the client left before the answer.
	Unanswered bool
	// Sent is when all of it was given out.
	Sent time.Time
}

// Side reports whether the answer is to a request outside of a conversation.
func (a Answer) Side() bool { return a.Turn < 0 }

// Issued is a tool call that was given out.
type Issued struct {
	ID, Tool, Namespace, Label string
	Arguments                  json.RawMessage
}

// request holds what matters of a request to any interface.
type request struct {
	body   []byte
	model  string
	stream bool
	usage  bool     // the client wants the usage in the stream
	system string   // instructions
	users  []string // texts of the user's messages, the oldest first
	tools  []string // names of the tools offered
	schema bool     // the answer has to be JSON
	// caches reports whether the interface says what was written to a cache,
	// reasons whether it counts reasoning.
	caches, reasons bool
}

// resolve finds the name of the tool to call.
func (r request) resolve(name string) string {
	prefix, ok := strings.CutSuffix(name, "*")
	if !ok {
		return name
	}
	for _, tool := range r.tools {
		if strings.HasPrefix(tool, prefix) {
			return tool
		}
	}
	return prefix
}

// usageOf is an amount that no other answer of a run has.
func usageOf(n int64, r request) Usage {
	u := Usage{Input: 2000 + 37*n, CacheRead: 400 + 11*n, Output: 60 + 7*n}
	if r.caches {
		u.CacheWrite = 90 + 5*n
	}
	if r.reasons {
		u.Reasoning = 8 + n
	}
	return u
}

// issue makes a tool call with an id of its own.
func issue(c Call, r request, prefix string, n, i int) (Issued, error) {
	arguments, err := json.Marshal(fill(c.Arguments, r.body))
	return Issued{
		ID: fmt.Sprintf("%s%04d%02d", prefix, n, i), Tool: r.resolve(c.Tool), Namespace: c.Namespace, Label: c.Label, Arguments: arguments,
	}, err
}
