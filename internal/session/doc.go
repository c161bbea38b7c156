// Package session decides what happened in a session: calls, turns, sub-agents, waits,
// phases, stalls and ends. It takes events of any protocol and reports to a [Sink],
// which makes telemetry of them. The state is in store.
//
// One file has one subject. A file named after events ([Tx.Apply] and below) decides
// which event causes what; the others change the state of one session in one
// transaction and report that.
package session
