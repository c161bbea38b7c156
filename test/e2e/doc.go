// Package e2e tests the built collector from outside: real transcripts go in
// over HTTP, and what arrives in a real backend is compared whole.
//
// It needs Go alone: the collector, and Jaeger from the module beside it, are
// built when they are first asked for. OTELCOL_MCP and JAEGER name
// ready binaries. `go test -short` leaves it all out. Golden files are written
// anew with -update, and read line by line before they are committed.
package e2e
