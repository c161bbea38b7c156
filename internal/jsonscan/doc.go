// Package jsonscan walks JSON text (RFC 8259) once and hands out slices of it.
//
// A [Cursor] delimits and checks; it never decodes, re-encodes or copies, and
// it does not recurse. A [Value] decodes itself when asked, through
// encoding/json where there is more to do than to strip two quotes.
package jsonscan
