// Package status finds out which agents are connected to a collector, and whether
// it hears them.
package status

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// Connected says how much of what an agent needs is in its settings.
type Connected string

// How much that is.
const (
	Yes    Connected = "yes"
	Partly Connected = "partly"
	No     Connected = "no"
)

const webUIName = "web UI"

// Report is the content of mcptap status.
type Report struct {
	Services []Service `json:"services"`
	Agents   []Agent   `json:"agents"`
	Away     []Away    `json:"away,omitempty"`
}

// Away is a collector that hooks could not reach.
type Away struct {
	URL     string    `json:"url"`
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason"`
	Slow    bool      `json:"slow,omitempty"` // it answers, but too slowly to wait for
	Waiting int       `json:"waiting"`        // inputs of hooks that will be sent
}

// HasWebUI reports whether the web UI answers, which knows when agents were last
// heard.
func (r *Report) HasWebUI() bool {
	return slices.ContainsFunc(r.Services, func(s Service) bool { return s.Name == webUIName && s.Answers })
}

// Service is one address of the collector.
type Service struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Answers bool   `json:"answers"`
	Problem string `json:"problem,omitempty"`
	// Optional says that a collector may do without.
	Optional bool `json:"optional,omitempty"`

	otlp bool
}

// Agent is an agent found on the machine.
type Agent struct {
	Name      string         `json:"name"`
	Title     string         `json:"title"`
	Project   string         `json:"project,omitempty"` // "" for all of the user's
	Connected Connected      `json:"connected"`
	Missing   []agents.Group `json:"missing,omitempty"`
	Problems  []string       `json:"problems,omitempty"`
	LastHeard time.Time      `json:"last_heard,omitzero"`
	Next      []string       `json:"next,omitempty"` // what to do

	named      connect.Named
	blocked    bool  // a setting has another value
	unreadable error // why a file cannot be read, or is not what it has to be
}

// Good reports whether nothing is left to be done. A configuration needs no web UI.
func (r *Report) Good() bool {
	for _, s := range r.Services {
		if !s.Answers && !s.Optional {
			return false
		}
	}
	for _, a := range r.Agents {
		if a.Connected != Yes || len(a.Problems) > 0 {
			return false
		}
	}
	return true
}

// Down reports whether a collector does not answer.
func (r *Report) Down() bool {
	return slices.ContainsFunc(r.Services, func(s Service) bool { return !s.Answers && !s.Optional })
}

// Check finds out all of it. It asks the collectors that the agents' settings name. The
// request's Target is for agents of which there is no record, and the collector to ask if no
// agent is connected; command is how mcptap is run.
func Check(ctx context.Context, r connect.Request, webUI, command string) Report {
	report := Report{Agents: []Agent{}} // which is a list in JSON, too
	user := r.Target
	for _, a := range agents.All {
		targets := r.Journal.Targets(a.Name)
		if len(targets) == 0 || targets[0].Project != "" {
			if a.Found(r.Machine) {
				targets = append([]agents.Target{user}, targets...)
			}
		}
		for _, t := range targets {
			r.Agent, r.Target = a, t
			report.Agents = append(report.Agents, check(r))
		}
	}
	report.Services = services(ctx, report.Agents, user, webUI)
	heard := lastHeard(ctx, webUI)
	if !report.HasWebUI() {
		heard = func(*agents.Agent) time.Time { return time.Time{} }
	}
	for i := range report.Agents {
		one := &report.Agents[i]
		one.LastHeard = heard(agents.ByName(one.Name))
		reached := one.reach(report.Services)
		one.next(reached, report.HasWebUI(), command)
	}
	for _, p := range outbox.Problems(r.Journal.Folder, time.Now()) {
		report.Away = append(report.Away, Away{p.Endpoint, p.Since, p.Reason, p.Slow, p.Waiting})
	}
	return report
}

// reach notes the collectors that the agent's settings name and that do not answer.
func (a *Agent) reach(services []Service) (all bool) {
	all = true
	for _, s := range services {
		what := "hooks go"
		if s.otlp {
			what = "telemetry goes"
		}
		if !s.Answers && !s.Optional && slices.Contains(a.addresses(s.otlp), s.URL) {
			a.Problems = append(a.Problems, "its "+what+" to "+s.URL+": "+s.Problem)
			all = false
		}
	}
	return all
}

func (a *Agent) addresses(otlp bool) []string {
	if otlp {
		return a.named.OTLP
	}
	return a.named.Endpoints
}

// failedHook is the problem of an agent whose last hook could not run, "" if it could.
func failedHook(state, agent string) string {
	path := agents.FailedHook(state, agent)
	text, err := os.ReadFile(path) //nolint:gosec // in the user's own folder
	if err != nil {
		return ""
	}
	why := "mcptap ended early"
	switch code := strings.TrimSpace(string(text)); code {
	case "126", "127":
		why = "mcptap is gone or cannot be run"
	case "":
	default:
		why += " with exit code " + code
	}
	return "its last hook failed, which the agent did not notice: " + why
}

// check compares an agent's settings with what they have to be.
func check(r connect.Request) Agent {
	a := Agent{Name: r.Agent.Name, Title: r.Agent.Title, Project: r.Target.Project, Connected: Yes}
	plan, err := connect.New(r)
	if err != nil {
		a.Connected, a.Problems, a.unreadable = No, []string{err.Error()}, err
		return a
	}
	a.named = connect.Addresses(r)
	if slices.Contains(plan.Blocked, agents.OTLP) {
		a.named.OTLP = nil // they are the user's own
	}
	a.Problems = plan.Conflicts
	switch a.Missing = plan.Missing; len(plan.Missing) {
	case 0:
	case len(plan.Groups):
		a.Connected = No
	default:
		a.Connected = Partly
	}
	a.blocked = len(plan.Conflicts) > 0
	if failed := failedHook(r.Journal.Folder, r.Agent.Name); failed != "" && a.Connected != No {
		a.Problems = append(a.Problems, failed)
	}
	if len(plan.Outdated) > 0 {
		a.Problems = append(a.Problems, "its hooks are not as this version writes them: the next mcptap connect renews them")
	}
	if _, err := os.Stat(r.Target.Program); errors.Is(err, fs.ErrNotExist) && a.Connected != No && slices.Contains(plan.Groups, agents.Hooks) {
		a.Problems = append(a.Problems, "its hooks run "+r.Target.Program+", which is gone")
		a.withoutHooks(plan.Groups)
	}
	return a
}

// withoutHooks is for hooks that are in the settings and cannot run.
func (a *Agent) withoutHooks(groups []agents.Group) {
	missing := a.Missing
	a.Missing = nil
	for _, g := range groups {
		if g == agents.Hooks || slices.Contains(missing, g) {
			a.Missing = append(a.Missing, g)
		}
	}
	switch len(a.Missing) {
	case 0:
	case len(groups):
		a.Connected = No
	default:
		a.Connected = Partly
	}
}

// next says what to do. The agent's collectors are reached, or the first thing is to start
// them.
func (a *Agent) next(reached, known bool, command string) {
	command += " connect " + a.Name
	if a.Project != "" {
		command = "in " + a.Project + ": " + command + " --scope project"
	}
	switch {
	case a.unreadable != nil:
		a.Next = append(a.Next, repair(a.unreadable)+", then run: "+command)
	case a.blocked:
		a.Next = append(a.Next, "change what is in the way, or run: "+command+" --force")
	case !reached && a.Connected == Yes:
		a.Next = append(a.Next, "start its collector, or run: "+command)
	case a.Connected != Yes || len(a.Problems) > 0:
		a.Next = append(a.Next, "run: "+command)
	case known && a.LastHeard.IsZero():
		a.Next = append(a.Next, "restart "+a.Title+" and send it a prompt")
	}
}

// repair returns the advice for a file that cannot be used, which is named below.
func repair(err error) string {
	wrong, ok := errors.AsType[*settings.SyntaxError](err)
	switch {
	case ok && wrong.Line > 0:
		return fmt.Sprintf("repair %s at line %d, column %d", wrong.Path, wrong.Line, wrong.Column)
	case errors.Is(err, fs.ErrPermission):
		return "make the file readable"
	}
	return "repair the file"
}

// isOf reports whether a session's host is an agent: its clients call themselves
// codex_cli_rs, gemini-cli-mcp-client and the like.
func isOf(a *agents.Agent, host string) bool {
	host = strings.ReplaceAll(strings.ToLower(host), "_", "-")
	for _, name := range []string{a.Name, strings.ToLower(strings.ReplaceAll(a.Title, " ", "-")), "github-" + a.Name} {
		if host == name || strings.HasPrefix(host, name+"-") {
			return true
		}
	}
	return false
}
