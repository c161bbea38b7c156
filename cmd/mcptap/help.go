package main

import (
	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
)

// helpTemplate has examples before all else.
const helpTemplate = `{{.Short}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{with .Long}}

{{trimTrailingWhitespaces .}}{{end}}

{{.UsageString}}`

const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]

Commands:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 100 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more about a command.{{end}}
`

// completeAgents completes the names of agents that are not on the command line yet.
func completeAgents(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, a := range agents.All {
		named := false
		for _, arg := range args {
			named = named || agents.ByName(arg) == a
		}
		if !named {
			names = append(names, cobra.CompletionWithDesc(a.Name, a.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
