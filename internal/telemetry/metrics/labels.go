package metrics

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry/names"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry/server"
)

// label is something that sets durations of one metric apart.
type label uint8

// The labels, in the order in which points are sorted.
const (
	method label = iota
	operation
	tool
	toolType
	prompt
	resource
	agent
	errorType
	statusCode
	model
	answered
	provider
	protocol
	rpcVersion
	transport
	network
	address
	labelCount
)

// labelKeys are the keys of the labels. Beside them there is the server's port.
var labelKeys = [labelCount]string{
	method:     mcpconv.MethodName,
	operation:  mcpconv.GenAIOperation,
	tool:       mcpconv.GenAIToolName,
	toolType:   mcpconv.GenAIToolType,
	prompt:     mcpconv.GenAIPromptName,
	resource:   mcpconv.ResourceURI,
	agent:      mcpconv.GenAIAgentName,
	errorType:  mcpconv.ErrorType,
	statusCode: mcpconv.RPCStatusCode,
	model:      mcpconv.GenAIRequestModel,
	answered:   mcpconv.GenAIResponseModel,
	provider:   mcpconv.GenAIProvider,
	protocol:   mcpconv.ProtocolVersion,
	rpcVersion: mcpconv.JSONRPCProtocol,
	transport:  mcpconv.NetworkTransport,
	network:    mcpconv.NetworkProtocol,
	address:    mcpconv.ServerAddress,
}

// durationLabels are the attributes of a duration; "" is absent.
type durationLabels struct {
	of     measure
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
func (l *durationLabels) at(s server.Server) { l.values[address], l.port = s.Address, s.Port }

// travel adds how messages travel, from the name of the transport.
func (l *durationLabels) travel(name string) {
	l.values[transport], l.values[network] = mcpconv.Network(name)
}

// compare orders points of one metric after another.
func (l durationLabels) compare(other durationLabels) int {
	return cmp.Or(cmp.Compare(l.of, other.of), slices.Compare(l.values[:], other.values[:]), cmp.Compare(l.port, other.port))
}

// bounds is which values of labels are told apart. It is for one goroutine at a time.
type bounds struct {
	limit int
	sets  [labelCount]*names.Set // nil for labels whose values nobody makes up
	hosts *names.Set
	ports map[endpoint]struct{}
}

// endpoint is a port of a server.
type endpoint struct {
	address string
	port    uint16
}

func newBounds(limit int) *bounds {
	b := &bounds{limit: limit, hosts: names.New(limit), ports: map[endpoint]struct{}{}}
	for _, l := range []label{method, tool, prompt, resource, agent, errorType, statusCode, model, provider, protocol, rpcVersion, address} {
		b.sets[l] = names.New(limit)
	}
	b.sets[answered] = b.sets[model]
	return b
}

// label is the value of a label, or [names.Other] if there are too many.
func (b *bounds) label(l label, value string) string {
	if b.sets[l] == nil {
		return value
	}
	return b.sets[l].Label(value)
}

// durations bounds all labels of a duration.
func (b *bounds) durations(l durationLabels) durationLabels {
	for i := range l.values {
		l.values[i] = b.label(label(i), l.values[i])
	}
	if l.port == 0 {
		return l
	}
	at := endpoint{l.values[address], l.port}
	if _, known := b.ports[at]; !known {
		if at.address == names.Other || len(b.ports) >= b.limit {
			l.values[address], l.port = names.Other, 0
			return l
		}
		b.ports[at] = struct{}{}
	}
	return l
}

// host is the label of an agent host.
func (b *bounds) host(name string) string { return b.hosts.Label(name) }

// mark is the label that says of a point that it is of all combinations beyond the limit.
func (m *durationMetric) mark() label { return m.labels[0] }

// keys are those of the attributes that a point may have.
func (m *durationMetric) keys() (keys []string) {
	for _, l := range m.labels {
		keys = append(keys, labelKeys[l])
		if l == address {
			keys = append(keys, mcpconv.ServerPort)
		}
	}
	return keys
}
