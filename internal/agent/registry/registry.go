// Package registry lists the coding agents: their hooks, their traits, and which of them
// a log record or span comes from.
package registry

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/claudecode"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/codex"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/copilot"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/cursor"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/geminicli"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/genai"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/opencode"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// agent is one known agent: its hooks, its traits, and what its telemetry is recognised
// by, which is any of these.
type agent struct {
	name     string              // as a client, and in the path of its hooks
	hooks    func() hook.Decoder // nil if it has none
	traits   event.Traits
	scopes   []string            // beginnings of the names of its instrumentation scopes
	services []string            // values of service.name
	events   []string            // beginnings of the names of its events
	decoder  func() otlp.Decoder // of its telemetry, nil if it has none
}

var known = []agent{
	{
		name: mcpconv.ClaudeCode, hooks: func() hook.Decoder { return &claudecode.Decoder{} },
		traits: event.Traits{CostOnlyInLogs: true},
		scopes: []string{claudecode.TelemetryScope}, services: []string{claudecode.TelemetryService},
		events:  []string{claudecode.TelemetryPrefix},
		decoder: func() otlp.Decoder { return &claudecode.Telemetry{} },
	},
	{
		name: mcpconv.Codex, hooks: func() hook.Decoder { return &codex.Decoder{} },
		traits: event.Traits{HooksLackEnd: true},
		scopes: []string{codex.TelemetryScope}, services: codexServices, events: []string{"codex."},
		decoder: func() otlp.Decoder { return &codex.Telemetry{} },
	},
	{
		name: mcpconv.GeminiCLI, hooks: func() hook.Decoder { return &geminicli.Decoder{} },
		traits: event.Traits{HooksLackEnd: true},
		scopes: []string{geminicli.TelemetryScope}, services: []string{geminicli.TelemetryService}, events: []string{"gemini_cli."},
		decoder: func() otlp.Decoder { return &geminicli.Telemetry{} },
	},
	{
		name: mcpconv.Copilot, hooks: func() hook.Decoder { return &copilot.Decoder{} },
		traits: event.Traits{HooksLackEnd: true, SubAgentSpansComeLate: true},
		scopes: []string{"github.copilot", "copilot-chat"}, services: []string{"github-copilot", "copilot-chat", "vscode-agent-host"},
		events:  []string{"copilot_chat."},
		decoder: func() otlp.Decoder { return &copilot.Telemetry{} },
	},
	{
		name: mcpconv.OpenCode, hooks: func() hook.Decoder { return &opencode.Decoder{} },
		traits: event.Traits{CostOnlyInHooks: true},
		scopes: []string{opencode.TelemetryService}, services: []string{opencode.TelemetryService},
		decoder: func() otlp.Decoder { return &opencode.Telemetry{} },
	},
	{name: mcpconv.Cursor, hooks: func() hook.Decoder { return &cursor.Decoder{} }},
}

// Hooks returns makers of decoders of hooks by the names of their agents. Each decoder
// has a memory of its own.
func Hooks() map[string]func() hook.Decoder {
	all := map[string]func() hook.Decoder{}
	for i := range known {
		if a := &known[i]; a.hooks != nil {
			all[a.name] = a.hooks
		}
	}
	return all
}

// Traits returns those of the agent of that name, none if it is not known.
func Traits(name string) event.Traits {
	for i := range known {
		if known[i].name == name {
			return known[i].traits
		}
	}
	return event.Traits{}
}

// codexServices are the programs that Codex calls itself. Others may begin like them.
var codexServices = []string{
	"codex_cli_rs", "codex-cli", "codex-tui", "codex_exec", "codex_vscode", "codex_desktop", "codex_mcp_server", "codex_sdk_ts",
	"codex-app-server", "codex-app-server-sdk",
}

// ours begins the scopes of telemetry that reports of sessions already. Its resource
// has the agent's name: to take it as the agent's own would report everything twice,
// and wait for a session from within its own transaction.
const ours = "github.com/otelcol-mcp/"

// Decoder finds out which agent a record is of, and decodes it. It is not safe for
// concurrent use, and a report is valid until the next one.
type Decoder struct {
	decoders []otlp.Decoder // in the order of known
	services map[string]otlp.Decoder
	genai    genai.Telemetry
	dialects *dialect.Detector
}

// detector is made once: it takes time and does not change.
var detector = sync.OnceValue(func() *dialect.Detector { return dialect.NewDetector(nil) })

// New is a decoder of all known agents.
func New() *Decoder {
	d := &Decoder{services: map[string]otlp.Decoder{}, dialects: detector()}
	for i := range known {
		var decoder otlp.Decoder
		if known[i].decoder != nil {
			decoder = known[i].decoder()
		}
		d.decoders = append(d.decoders, decoder)
		for _, name := range known[i].services {
			d.services[name] = decoder
		}
	}
	return d
}

// Log returns what a log record reports, nil if it is not an agent's.
func (d *Decoder) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	if strings.HasPrefix(from.Scope, ours) {
		return nil
	}
	decoder := d.byOrigin(from)
	if decoder == nil {
		decoder = d.byEvent(r)
	}
	if decoder == nil {
		return nil
	}
	return decoder.Log(from, r)
}

// Span returns what a span reports, nil if it is no agent's: neither of one that is known, nor
// of a dialect, nor of the conventions for generative AI and MCP.
func (d *Decoder) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	if strings.HasPrefix(from.Scope, ours) {
		return nil
	}
	if decoder := d.byOrigin(from); decoder != nil {
		return decoder.Span(from, s)
	}
	found, _ := d.dialects.Scope(d.dialects.Service(from.Resource), from.Scope)
	if at := d.dialects.Span(found, s.Name(), s.Attributes()); at >= 0 {
		return d.genai.Dialect(from, s, d.dialects.Tables[at])
	}
	if !dialect.Conventional(s.Attributes()) {
		return nil
	}
	return d.genai.Conventional(from, s)
}

// byOrigin finds the agent by the scope, which users cannot change, else by the
// service.
func (d *Decoder) byOrigin(from *otlp.Origin) otlp.Decoder {
	for i := range known {
		if begins(from.Scope, known[i].scopes) {
			return d.decoders[i]
		}
	}
	service, ok := from.Resource.Get(mcpconv.ServiceName)
	if !ok || service.Type() != pcommon.ValueTypeStr {
		return nil
	}
	return d.services[service.Str()]
}

// byEvent finds the agent by the name of the event, wherever it is.
func (d *Decoder) byEvent(r plog.LogRecord) otlp.Decoder {
	attribute, body := otlp.String(r.Attributes(), "event.name"), ""
	if r.Body().Type() == pcommon.ValueTypeStr {
		body = r.Body().Str()
	}
	for i := range known {
		events := known[i].events
		if begins(attribute, events) || begins(body, events) || begins(r.EventName(), events) {
			return d.decoders[i]
		}
	}
	return nil
}

func begins(s string, with []string) bool {
	for _, prefix := range with {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
