// Package state has what is known of sessions and calls, as values that can be
// stored: everything that survives a restart is a field here, and what is a
// field here survives. Relations are keys, not pointers.
//
// Fields have numbers for CBOR (RFC 8949), which never change: a field that
// goes leaves its number unused, a new one takes the next. A restored value
// that has no such field has its zero value.
//
// Collections whose type says so are immutable: a change makes another value,
// so that a copy of a session is a snapshot of it.
package state
