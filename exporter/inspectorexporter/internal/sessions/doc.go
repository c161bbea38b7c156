// Package sessions keeps what is known of each session now: a row a session, made
// of the spans and log records that come, in any order. Rows are bounded in
// number and size; what a session that runs needs beyond its row is dropped when
// it ends.
package sessions
