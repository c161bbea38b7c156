// Package eventsource is a fake MCP server that has events: no implementation of
// MCP Events can be had to run. It speaks each of the three generations of the
// wire format, over HTTP, as the specifications have it, and can be made to
// behave as badly as they allow: see [Faults].
package eventsource
