// Package dialect reads spans and log records of frameworks, SDKs, gateways and agents that
// use names of their own for what OpenTelemetry's semantic conventions for generative AI
// and MCP define. Each dialect is one file: how it is recognised, a table of keys, and the
// few functions for what a table cannot express. Facts, conversions and rules are common
// to all. The package changes nothing: the processor writes.
package dialect

import "go.opentelemetry.io/collector/pdata/pcommon"

// Dialect is one way to write telemetry of agents. It must not be changed.
type Dialect struct {
	// Name is its name in the configuration and in mcp.dialect.
	Name string
	// Title is its name for people.
	Title string
	// Source is where its facts are from.
	Source string
	Detect Detect
	// Keys maps what it writes to the conventions. If several keys
	// mean one fact, the first in the list that is there counts.
	Keys []Key
	// Prefixes begin keys of messages, which only a function reads.
	Prefixes []string
	// Contents are the keys of what else people, models and tools said, which nothing
	// reads. One that ends in * begins keys that go on with a number.
	Contents []string
	// Finish adds what the table cannot express. It may be nil.
	Finish func(*Span)
	// Notes are for the documentation: what Finish does, a rule each.
	Notes []string
}

// Detect recognises a dialect: by any of the first four, by its names
// together with all keys of With, or by the endings of names together with all keys of
// EndingsWith. A text that ends in * is a prefix.
type Detect struct {
	Scopes   []string // names of instrumentation scopes
	Services []string // values of service.name
	Events   []string // names of log records: their event name, event.name or body
	Keys     []string // keys of attributes
	Names    []string // names of spans
	// With are keys that must be there too for Names to count.
	With []string
	// Endings lists the ends of span names, from their last dot on.
	Endings []string
	// EndingsWith are keys that must be there too for Endings to count.
	EndingsWith []string
	// Service is the service.name of a resource with spans of the dialect that has none.
	Service string
}

// Key is a row of a dialect's table.
type Key struct {
	From string // the key of the attribute that is read
	To   Field  // the fact that it is
	// As converts the value, as [ReadMillis] does. If nil, it is taken as it is.
	As func(*Span, Field, pcommon.Value)
}
