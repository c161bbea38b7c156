// Package event has the normalised events: what hosts, servers and agents
// report, whatever the protocol they report it in. A protocol decodes bytes
// into events; sessions take them through one method.
//
// Events are plain values. Their strings alias the body that they were decoded
// from, and they are valid until the next event of the same decoder: whoever
// keeps a string clones it. An absent member is the zero value.
package event
