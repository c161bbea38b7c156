package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

const defaultWebUI = "http://localhost:7810"

func statusCommand(code *int) *cobra.Command {
	var c connecting
	var asJSON bool
	webUI := defaultWebUI
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which agents are connected, and whether the collector hears them",
		Long: `status lists the coding agents on this machine: whether they are connected, what is
missing, when the collector last heard them, and what to do next. It asks the collectors
that the agents' settings name whether they answer, or --endpoint if none is connected.

The exit code is 0 if the collectors answer and every agent is connected, and 1 if not. A
configuration without the web UI is none the worse.`,
		Example: `  mcptap status
  mcptap status --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.scope = scopeUser
			r, err := c.request()
			if err != nil {
				return err
			}
			report := status.Check(cmd.Context(), r, hook.Base(webUI), commandName())
			if !report.Good() {
				*code = exitPartly
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), report)
			}
			return printStatus(cmd.OutOrStdout(), report, time.Now())
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.endpoint, "endpoint", cmp.Or(hook.Endpoint(os.Getenv), agents.DefaultEndpoint), "URL of the collector (env MCPTAP_ENDPOINT)")
	f.StringVar(&c.otlp, "otlp-endpoint", hook.OTLP(os.Getenv), "URL of the collector for OTLP over HTTP (default: port 4328 of the same host)")
	f.StringVar(&webUI, "web-ui", defaultWebUI, "URL of the collector's web UI")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printJSON(out io.Writer, report status.Report) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

func printStatus(out io.Writer, report status.Report, now time.Time) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "COLLECTOR\tURL\tANSWERS")
	for _, s := range report.Services {
		answers := "yes"
		switch {
		case s.Answers:
		case s.Optional:
			answers = "no: " + s.Problem + " (not all configurations have it)"
		default:
			answers = "no: " + s.Problem
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.URL, answers)
	}
	fmt.Fprintln(table)
	fmt.Fprintln(table, "AGENT\tCONNECTED\tLAST HEARD\tNEXT")
	for i := range report.Agents {
		a := &report.Agents[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", agentName(a), connected(a), lastHeard(report, a, now), cmp.Or(strings.Join(a.Next, "; "), "-"))
	}
	if len(report.Agents) == 0 {
		fmt.Fprintf(table, "none found; mcptap knows %s\n", strings.Join(agents.Names(), ", "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range report.Agents {
		for _, problem := range report.Agents[i].Problems {
			fmt.Fprintf(out, "%s: %s\n", agentName(&report.Agents[i]), problem)
		}
	}
	for _, a := range report.Away {
		if !a.Slow {
			fmt.Fprintf(out, "Hooks could not reach %s since %s (%s). %d of them wait on disk and will be sent.\n", a.URL, ago(a.Since, now), a.Reason, a.Waiting)
		}
	}
	if report.Down() {
		fmt.Fprintln(out, "Start the collector: "+collectorCommand())
	}
	return nil
}

func agentName(a *status.Agent) string {
	if a.Project == "" {
		return a.Title
	}
	return a.Title + " in " + a.Project
}

func connected(a *status.Agent) string {
	if a.Connected != status.Partly {
		return string(a.Connected)
	}
	return "without " + groupNames(a.Missing)
}

// lastHeard is known to the web UI only.
func lastHeard(report status.Report, a *status.Agent, now time.Time) string {
	if a.LastHeard.IsZero() && !report.HasWebUI() {
		return "unknown"
	}
	return ago(a.LastHeard, now)
}

// ago is a time as people say it.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.Local().Format(time.DateOnly)
}
