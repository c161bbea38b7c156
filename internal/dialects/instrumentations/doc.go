// Package instrumentations has the dialects of libraries that observe models, agents
// and frameworks which others wrote, and of conventions that many follow, a file for
// each.
package instrumentations
