package main

import (
	"fmt"
	"os"

	"github.com/otelcol-mcp/otelcol-mcp/internal/version"
)

const usage = `otelcol-mcp needs a configuration. Start with the one that it contains:

  otelcol-mcp --config embedded:default

It listens on localhost, needs nothing else, and prints the address of its web UI. More:

  mcptap connect --all                                        # connect your coding agents
  otelcol-mcp --config embedded:default --config FILE.yaml    # change settings
  otelcol-mcp --help
`

// init answers --version with the commit and its date, too, and a start without arguments with
// what to do. main.go, which ocb writes, knows the version only.
func init() {
	switch {
	case len(os.Args) == 1:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(1)
	case version.Stamped() && len(os.Args) == 2 && (os.Args[1] == "--version" || os.Args[1] == "-v"):
		fmt.Println("otelcol-mcp version " + version.String())
		os.Exit(0)
	}
}
