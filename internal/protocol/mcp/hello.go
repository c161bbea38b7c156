package mcp

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// helloOf returns what client and server say of themselves in a message, nil if they
// say nothing, as in most messages of the revisions that have sessions.
func (d *Decoder) helloOf(m *jsonrpc.Message) *event.Hello {
	p, r := &m.Params, &m.Result
	if saysNothing(&p.Meta, &r.Meta) && p.Client == nobody && r.Server == nobody &&
		p.ProtocolVersion == "" && r.ProtocolVersion == "" && p.Capabilities == "" && r.Capabilities == "" {
		return nil
	}
	client := peerOf(&p.Meta.Client, &p.Client)
	server := peerOf(&r.Meta.Server, &r.Server)
	d.hello = event.Hello{
		Client: client, Server: server,
		Protocol: cmp.Or(r.ProtocolVersion.Str(), p.Meta.ProtocolVersion.Str(), p.ProtocolVersion.Str()),
		LogLevel: p.Meta.LogLevel.Str(),
	}
	if c := r.Capabilities; c.IsObject() {
		d.server = event.ServerDeclares{Reminders: emitsReminders(c), Logging: jsonrpc.Member(c, "logging").IsObject()}
		d.hello.ServerDeclares = &d.server
	}
	if c := cmp.Or(p.Capabilities, p.Meta.Capabilities); c.IsObject() {
		logging := jsonrpc.Member(c, "logging")
		d.client = event.ClientDeclares{Logging: logging.IsObject(), LogLevel: jsonrpc.Member(logging, "level").Str()}
		if d.client.Logging && mcpconv.Levels[d.client.LogLevel] == 0 {
			d.client.LogLevel = "info" // the default of ACP, also of what it does not know
		}
		d.hello.ClientDeclares = &d.client
	}
	if d.hello == (event.Hello{}) {
		return nil
	}
	return &d.hello
}

var nobody jsonrpc.Implementation

// saysNothing reports whether there is nothing of the kind in the _meta of params
// and of a result, of which a message has one.
func saysNothing(params, result *jsonrpc.Meta) bool {
	return params.Client == nobody && result.Server == nobody && params.ProtocolVersion == "" &&
		params.Capabilities == "" && params.LogLevel == ""
}

// peerOf returns who that is; what _meta says counts, for it is said with every message.
func peerOf(meta, once *jsonrpc.Implementation) event.Peer {
	return event.Peer{
		Name: cmp.Or(meta.Name.Str(), once.Name.Str()), Version: cmp.Or(meta.Version.Str(), once.Version.Str()),
	}
}

// emitsReminders reports whether a server declares that it sends reminders.
func emitsReminders(capabilities jsonscan.Value) bool {
	harn := jsonrpc.Member(jsonrpc.Member(capabilities, "_meta"), "harn")
	return jsonrpc.Member(jsonrpc.Member(capabilities, "reminders"), "emit").IsTrue() ||
		jsonrpc.Member(jsonrpc.Member(harn, "reminders"), "emit").IsTrue()
}
