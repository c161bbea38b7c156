// Package session is the only state there is: sessions, open calls and waits,
// their limits and their expiry. It takes events of any protocol and reports
// what happened to a [emit.Sink], without knowing how that becomes telemetry.
//
// Below it, each in a package of its own: state has what is stored, table who
// is there and what is due, activity what can go on in a session. Which event
// causes what is here, and in codingagent for what agents report of themselves.
package session
