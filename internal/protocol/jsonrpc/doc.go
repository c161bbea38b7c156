// Package jsonrpc decodes the framing of JSON-RPC 2.0: bytes to [Message], or to
// [Item] where a message may be wrapped in an observation record. It reads the
// members that telemetry needs in one pass and leaves their meaning to the
// packages of the protocols on top of it.
//
// The package holds no state. What it returns aliases the body that was read: it
// is valid as long as the body is unchanged, and a caller that keeps a string clones
// it.
package jsonrpc
