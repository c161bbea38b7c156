package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/config"
	"github.com/otelcol-mcp/otelcol-mcp/internal/version"
)

const usage = `otelcol-mcp needs a configuration. Start with the one that it contains:

  otelcol-mcp --config embedded:default

It listens on localhost, needs nothing else, and prints the address of its web UI. More:

  mcptap connect --all                                        # connect your coding agents
  otelcol-mcp --config embedded:default --config FILE.yaml    # change settings
  otelcol-mcp --help
`

// help stands for the collector's own, which explains each flag in one line of up to 1700 characters.
const help = `OpenTelemetry Collector that makes AI agents visible

Examples:
  otelcol-mcp --config embedded:default                        # web UI on localhost, needs nothing else
  otelcol-mcp --config embedded:default --config FILE.yaml     # change settings
  otelcol-mcp --config embedded:default --config 'yaml:receivers::mcp::http::endpoint: localhost:5319'
  otelcol-mcp validate --config FILE.yaml
  otelcol-mcp components

Usage:
  otelcol-mcp --config URI [--config URI…] [flags]
  otelcol-mcp [command]

Configurations in this program, as embedded:NAME:
  %s

Commands:
  completion    Generate the autocompletion script for the specified shell
  components    List the components that configurations can name
  featuregate   List the feature gates, or describe one
  help          Help about any command
  print-config  Print the configuration that results from all --config
  validate      Check a configuration without running it

Flags:
      --config URI           a configuration: embedded:NAME, a file, yaml:TEXT, env:VARIABLE, http:// or https://;
                             repeat it, and later ones change earlier ones
      --feature-gates LIST   feature gates to enable, with commas between; -NAME disables one
      --set KEY=VALUE        change one setting, such as receivers.mcp.http.endpoint=localhost:5319
  -h, --help                 help for otelcol-mcp
  -v, --version              version for otelcol-mcp

Use "otelcol-mcp [command] --help" for more about a command.
`

// init answers a start without arguments, --help, and --version with the commit and its date. main.go, which ocb
// writes, knows the version only.
func init() {
	if len(os.Args) == 1 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		return
	}
	switch os.Args[1] {
	case "--help", "-h", "help":
		fmt.Printf(help, strings.Join(config.Names(), ", "))
		os.Exit(0)
	case "--version", "-v":
		if version.Stamped() {
			fmt.Println("otelcol-mcp version " + version.String())
			os.Exit(0)
		}
	}
}
