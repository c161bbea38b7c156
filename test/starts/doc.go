// Package starts starts the built collector many times while messages wait for
// it: a source has some at once, a client pushes, and pipelines start one by one.
package starts
