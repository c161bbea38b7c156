// Package table holds all sessions and open calls: who is there, who works on
// it, what is due, how much it is, and what differs from what is stored. It
// knows nothing of what goes on in a session.
//
// # Transactions
//
// Everything changes inside a [Tx]. It claims each session it touches until it
// is committed or rolled back, so that the messages of one session keep their
// order while their telemetry is handed on, and a refused request leaves no
// trace behind. A session is copied when it is claimed, and whatever changes
// beside it is noted in one journal. Two transactions that want each other's
// sessions do not deadlock: the younger one gives up and starts again (wait-die).
//
// # Time
//
// Timers use the arrival time, in Unix nanoseconds. A session costs neither a
// goroutine nor a timer: those that may expire stand in lists in the order in
// which they will.
package table
