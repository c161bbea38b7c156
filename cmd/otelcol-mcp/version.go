package main

import (
	"fmt"
	"os"

	"github.com/otelcol-mcp/otelcol-mcp/internal/version"
)

// init answers --version with the commit and its date, too. main.go, which ocb
// writes, knows the version only.
func init() {
	if version.Stamped() && len(os.Args) == 2 && (os.Args[1] == "--version" || os.Args[1] == "-v") {
		fmt.Println("otelcol-mcp version " + version.String())
		os.Exit(0)
	}
}
