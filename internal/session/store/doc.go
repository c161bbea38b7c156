// Package store holds all sessions and open calls: their records, the transactions that
// change them, and the indexes, limits and storage of both. Of what goes on in a session
// it knows only what decides when something is due.
//
// # Records
//
// Everything that survives a restart is a field of [SessionRecord] or [CallRecord] or of
// what they hold, and each such field survives. Relations are keys, not pointers.
//
// Fields have numbers for CBOR (RFC 8949), which never change: a field that
// goes leaves its number unused, a new one takes the next. A restored value
// that has no such field has its zero value.
//
// Collections whose type says so are immutable: a change makes another value,
// so that a copy of a session is a snapshot of it.
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
//
// Each time below is of arrival, but for Last, which is of messages, and
// IdleOffset, which is a duration. Restore moves Arrival, IdleOffset, Heard, seen,
// alive and sign on by the time for which the collector was away.
//
//	of        name         what                          set by                  read by
//	Session   Last         time of the last message      see, End                the ends that no message causes; Stall
//	Session   Arrival      the last message, or what     see, timeOut            reindex, Stall, toolWaits
//	                       stood for one
//	Session   IdleOffset   from the last message to      see (0), timeOut        Stall
//	                       what stood for it
//	Session   Heard        the last message but pings    hear, timeOut;          observe, noteSign, stick
//	                       and keep-alives               arrive takes it back
//	Session   HeardBefore  Heard before that message     hear                    arrive, for a reply to a ping
//	Entry     seen         Arrival at the last commit,   reindex, mayIdle        Due and Next, for idle sessions
//	                       or later, to keep the order
//	Entry     heard        Heard at the last commit      observe                 observe, to find news
//	Entry     alive        the last sign of the host,    heard                   Due and Next, for stalled hosts; Stall
//	                       its sessions and its calls
//	Entry     sign         what a server of the host      noteSign                Due, to see to a host that
//	                       said when that was given up                           was given up
//	Table     latest       the latest transaction        Commit, Restore         unbusy
package store
