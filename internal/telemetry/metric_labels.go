package telemetry

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// label is something that sets durations of one metric apart.
type label uint8

// The labels, in the order in which points are sorted.
const (
	labelMethod label = iota
	labelOperation
	labelTool
	labelToolType
	labelPrompt
	labelResource
	labelAgent
	labelErrorType
	labelStatusCode
	labelModel
	labelAnswered
	labelProvider
	labelProtocol
	labelRPCVersion
	labelTransport
	labelNetwork
	labelAddress
	labelClient
	labelServer
	labelSeenBy
	labelCount
)

// labelKeys are the keys of the labels. Beside them there is the server's port.
var labelKeys = [labelCount]string{
	labelMethod:     mcpconv.MethodName,
	labelOperation:  mcpconv.GenAIOperation,
	labelTool:       mcpconv.GenAIToolName,
	labelToolType:   mcpconv.GenAIToolType,
	labelPrompt:     mcpconv.GenAIPromptName,
	labelResource:   mcpconv.ResourceURI,
	labelAgent:      mcpconv.GenAIAgentName,
	labelErrorType:  mcpconv.ErrorType,
	labelStatusCode: mcpconv.RPCStatusCode,
	labelModel:      mcpconv.GenAIRequestModel,
	labelAnswered:   mcpconv.GenAIResponseModel,
	labelProvider:   mcpconv.GenAIProvider,
	labelProtocol:   mcpconv.ProtocolVersion,
	labelRPCVersion: mcpconv.JSONRPCProtocol,
	labelTransport:  mcpconv.NetworkTransport,
	labelNetwork:    mcpconv.NetworkProtocol,
	labelAddress:    mcpconv.ServerAddress,
	labelClient:     mcpconv.ClientName,
	labelServer:     mcpconv.ServerName,
	labelSeenBy:     mcpconv.ToolSeenBy,
}

// durationLabels are the attributes of a duration; "" is absent.
type durationLabels struct {
	of     durationKind
	port   uint16 // of the server, 0 is absent
	values [labelCount]string
}

// sum is a hash of what is there.
func (l *durationLabels) sum(seed maphash.Seed) uint64 {
	sum := uint64(l.of)<<16 | uint64(l.port)
	for i, v := range l.values {
		if v != "" {
			sum = (sum<<5 | sum>>59) ^ maphash.String(seed, v) + uint64(i)
		}
	}
	return sum
}

// at adds where the server is.
func (l *durationLabels) at(s serverEndpoint) { l.values[labelAddress], l.port = s.Address, s.Port }

// travel adds how messages travel, from the name of the transport.
func (l *durationLabels) travel(name string) {
	l.values[labelTransport], l.values[labelNetwork] = mcpconv.Network(name)
}

// compare orders points of one metric after another.
func (l durationLabels) compare(other durationLabels) int {
	return cmp.Or(cmp.Compare(l.of, other.of), slices.Compare(l.values[:], other.values[:]), cmp.Compare(l.port, other.port))
}

// labelBounds decides which values of labels are told apart. It is for one goroutine at a time.
type labelBounds struct {
	limit int
	sets  [labelCount]*Names // nil for labels whose values nobody makes up
	hosts *Names
	ports map[serverPort]struct{}
}

// serverPort is a port of a server.
type serverPort struct {
	address string
	port    uint16
}

func newLabelBounds(limit int) *labelBounds {
	b := &labelBounds{limit: limit, hosts: NewNames(limit), ports: map[serverPort]struct{}{}}
	for _, l := range []label{labelMethod, labelTool, labelPrompt, labelResource, labelAgent, labelErrorType, labelStatusCode, labelModel, labelProvider, labelProtocol, labelRPCVersion, labelAddress, labelServer} {
		b.sets[l] = NewNames(limit)
	}
	b.sets[labelAnswered], b.sets[labelClient] = b.sets[labelModel], b.hosts
	return b
}

// label is the value of a label, or [OtherName] if there are too many.
func (b *labelBounds) label(l label, value string) string {
	if b.sets[l] == nil {
		return value
	}
	return b.sets[l].Label(value)
}

// durations bounds all labels of a duration.
func (b *labelBounds) durations(l durationLabels) durationLabels {
	for i := range l.values {
		l.values[i] = b.label(label(i), l.values[i])
	}
	if l.port == 0 {
		return l
	}
	at := serverPort{l.values[labelAddress], l.port}
	if _, known := b.ports[at]; !known {
		if at.address == OtherName || len(b.ports) >= b.limit {
			l.values[labelAddress], l.port = OtherName, 0
			return l
		}
		b.ports[at] = struct{}{}
	}
	return l
}

// host is the label of an agent host.
func (b *labelBounds) host(name string) string { return b.hosts.Label(name) }

// mark is the label that says of a point that it is of all combinations beyond the limit.
func (m *durationMetric) mark() label { return m.labels[0] }

// keys are those of the attributes that a point may have.
func (m *durationMetric) keys() (keys []string) {
	for _, l := range m.labels {
		keys = append(keys, labelKeys[l])
		if l == labelAddress {
			keys = append(keys, mcpconv.ServerPort)
		}
	}
	return keys
}
