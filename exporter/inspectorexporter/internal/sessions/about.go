package sessions

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// About is who works at what.
type About struct {
	Engine       string   `json:"engine"`
	WorkflowType string   `json:"workflow_type,omitempty"`
	Title        string   `json:"title"`
	Host         string   `json:"host,omitempty"`
	HostID       string   `json:"host_id,omitempty"` // the host's process
	Agent        string   `json:"agent,omitempty"`   // the agent, where its host calls itself otherwise
	Server       string   `json:"server,omitempty"`
	Model        string   `json:"model,omitempty"`
	Sources      []string `json:"sources,omitempty"`
	Directory    string   `json:"directory,omitempty"`
	Branch       string   `json:"branch,omitempty"`
}

// told takes what any span or log record may tell.
func (a *About) told(m pcommon.Map) {
	facts.Set(&a.Host, m, mcpconv.ClientName)
	facts.Set(&a.HostID, m, mcpconv.HostID)
	facts.Set(&a.Server, m, mcpconv.ServerName)
	facts.Set(&a.Engine, m, mcpconv.EngineType)
	facts.Set(&a.Engine, m, mcpconv.WorkflowEngine)
	facts.Set(&a.WorkflowType, m, mcpconv.WorkflowType)
	facts.Set(&a.Directory, m, mcpconv.WorkingDir)
	facts.Set(&a.Branch, m, mcpconv.Branch)
	a.source(m)
}

// maxSources is how many names of sources a row has.
const maxSources = 16

// sources lists what told of the session.
func (a *About) source(m pcommon.Map) {
	v, ok := m.Get(mcpconv.SessionSources)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return
	}
	for _, source := range v.Slice().All() {
		if name := facts.Text(source.AsString()); name != "" && len(a.Sources) < maxSources && !slices.Contains(a.Sources, name) {
			a.Sources = append(a.Sources, name)
		}
	}
}

// ourScopes begins the names of the scopes of what this distribution's components make.
const ourScopes = "github.com/otelcol-mcp/"

// sent lists the agent's own telemetry among the sources as soon as some of it comes:
// the root, which has all of them, is the last span.
func (r *Row) sent(own, scope, source string) {
	if own != "" && scope != "" && len(r.Sources) > 0 && !strings.HasPrefix(scope, ourScopes) {
		addSources(r, []string{source})
	}
}

// model names the model of a model call, as the answer does if it does.
func (a *About) model(m pcommon.Map) {
	for _, key := range []string{mcpconv.LLMModel, mcpconv.GenAIRequestModel, mcpconv.GenAIResponseModel} {
		facts.Set(&a.Model, m, key)
	}
}

// adopt takes from a part what is not known of the whole.
func (r *Row) adopt(p *Row) {
	a, of := &r.About, &p.About
	for to, from := range map[*string]string{
		&a.Host: of.Host, &a.HostID: of.HostID, &a.Server: of.Server, &a.Model: of.Model, &a.WorkflowType: of.WorkflowType,
		&a.Directory: of.Directory, &a.Branch: of.Branch, &r.CurrentTask: p.CurrentTask,
	} {
		*to = cmp.Or(*to, from)
	}
	if !r.titled && r.prompt == "" {
		r.naming = p.naming
		r.Title = p.Title
	}
}
