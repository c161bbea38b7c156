// Package harness starts the programs that tests of the built collector need,
// waits for them, and ends them: the collector, real peers, and a sink that
// keeps every span. Only tests import it.
package harness
