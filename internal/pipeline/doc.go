// Package pipeline runs transactions of sessions and hands their telemetry on. It is
// what the receiver and the connector have in common: a [Runner] is the way of one
// of them to its pipelines, a [Service] keeps the sessions themselves, with their
// timers and their storage, and a registry lets a connector find the Service of
// the receiver of its collector.
package pipeline
