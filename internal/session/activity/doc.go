// Package activity has what can go on in a session: it opens and ends, calls,
// waits, phases and sub-agents begin and end, notices are recorded, something
// does not move. Each function changes the state of one session in one
// transaction and reports that to the Sink. Which message causes which is not
// decided here.
package activity
