// Package events crashes the built collector while events flow to it, and counts
// what arrives behind it. The server of the events is a fake, see
// test/eventsource: there is no public implementation that could be run.
package events
