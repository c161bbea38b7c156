// Package telemetry turns what package session decides into spans, log records and
// metrics.
//
// A [Batch] collects the spans and log records of one transaction, a
// [Meter] the metrics of all of them.
package telemetry

// Options select the form of the telemetry. They must not change while they are in use.
type Options struct {
	Inspector        bool   // mcp.* keys that have a twin in the semantic conventions
	OTel             bool   // keys of the semantic conventions
	SemconvNames     bool   // span names of the semantic conventions rather than the Inspector's
	Payloads         bool   // arguments, results, messages, titles
	PayloadInspector bool   // payloads under the Inspector's keys
	PayloadOTel      bool   // payloads under the GenAI keys
	TextBytes        int    // limit of a short text
	ServiceName      string // replaces the senders' names unless it is empty
	ScopeName        string
	ScopeVersion     string
	Writer           string // names this process in state records
	Names            *Names // of services
	Prices           string // names where estimates of costs are from
	Logs             bool   // log records are wanted
	Metrics          bool   // measurements are wanted
	ResourceURIs     bool   // they tell resources apart
}

// bodies reports whether log records have bodies of their own.
func (o *Options) bodies() bool { return o.Logs && o.Payloads }
