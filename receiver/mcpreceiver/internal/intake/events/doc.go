// Package events subscribes to the events of MCP servers (SEP-3415, and the two
// generations of the wire format before it) by poll, push or webhook, and accepts
// webhook deliveries. Nothing that a server holds durable is lost: a cursor is
// kept only after the pipelines accepted what is before it, and a delivery is
// answered only then; nothing is recorded twice, however often it comes.
//
// What servers send is not to be trusted: nothing in it makes this package call
// another host than the configured one.
package events
