// Package session is the receiver's only state: sessions, open calls and waits,
// their limits and their expiry. It is told what was observed and says what
// happened, to a [Sink], without knowing how that becomes telemetry.
//
// # Transactions
//
// Everything happens inside a [Tx]. It claims each session it touches until it
// is committed or rolled back, so that the messages of one session keep their
// order while their telemetry is handed on, and a refused request leaves no
// trace behind. Two transactions that want each other's sessions do not
// deadlock: the younger one gives up and starts again (wait-die).
//
// # Time
//
// Timers use the arrival time, what is told to the Sink the message time, both
// in Unix nanoseconds. A session costs neither a goroutine nor a timer: those
// that may expire stand in lists in the order in which they will.
package session
