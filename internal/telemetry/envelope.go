package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeCall writes what a call has.
func writeCall(a *attrs, e *session.CallEnd) {
	a.flag(mcpconv.FactLate, e.Late)
	if e.Call.OfAgent() {
		writeOfAgent(a, e)
		return
	}
	writeEnvelope(a, e)
	writeFamily(a, e)
}

// writeEnvelope writes what all calls that were sent as messages have.
func writeEnvelope(a *attrs, e *session.CallEnd) {
	c := e.Call
	a.session(e.Session)
	a.rpc(c.Method, c.Version, c.Key.FromClient)
	if c.ToolID == "" {
		a.rpcID(event.JSON(c.Key.ID).Text())
	}
	a.str(mcpconv.TaskID, c.TaskID)
	a.str(mcpconv.TaskStatus, c.TaskStatus)
	if ended := e.Time != 0; ended && a.opt.Inspector {
		a.int(mcpconv.RPCDuration, (e.Time-c.Start)/1_000_000)
	}
	a.transport(c.Transport)
	writeServer(a, c.ServerURI)
	if e.Session != nil {
		a.otel(mcpconv.ProtocolVersion, e.Session.PeerInfo().Protocol)
	}
	a.str(mcpconv.ProgressToken, event.JSON(c.Token).Text())
	a.str(mcpconv.RequestID, c.RequestID)
	a.str(mcpconv.Invalid, strings.Clone(e.Invalid))
	if n := max(c.Size, e.Size); n > 0 {
		a.int(mcpconv.MessageBytes, n)
	}
	a.payload(mcpconv.RPCRequest, c.Envelope)
	if e.Reply != nil && c.Envelope != "" {
		reply := e.Reply.Raw
		if mcpconv.HasSecret(c.Method) {
			reply = jsonscan.Value(jsonscan.MaskSecrets(string(reply)))
		}
		a.payloadCopy(mcpconv.RPCResponse, reply)
	}
}

// writeServer writes where the server is, without the parts of its URI that may
// be secret.
func writeServer(a *attrs, uri string) {
	s := a.servers.Of(uri)
	a.inspector(mcpconv.RPCServerURI, s.URI)
	a.otel(mcpconv.ServerAddress, s.Address)
	if a.opt.OTel && s.Port > 0 {
		a.int(mcpconv.ServerPort, int64(s.Port))
	}
}
