// Package figures has the numbers of a session as clients read them: times, what was
// used, and what fills the context window.
package figures
