package sessions

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
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

// identify reads what a state record says of it.
func (a *About) identify(m pcommon.Map) {
	a.Engine = defaultEngine
	for to, key := range map[*string]string{
		&a.Engine: mcpconv.WorkflowEngine, &a.WorkflowType: mcpconv.WorkflowType, &a.Host: mcpconv.ClientName, &a.HostID: mcpconv.HostID,
		&a.Server: mcpconv.ServerName, &a.Model: mcpconv.LLMModel, &a.Directory: mcpconv.WorkingDir, &a.Branch: mcpconv.Branch,
	} {
		attribute.Set(to, m, key)
	}
	if agent := mcpconv.AgentOfClient(a.Host); agent != a.Host {
		a.Agent = agent
	}
	a.source(m)
}

// runBy reads the engine that a root or its start names, which mcp-agent calls otherwise.
func (a *About) runBy(m pcommon.Map) {
	attribute.Set(&a.Engine, m, mcpconv.EngineType)
	attribute.Set(&a.Engine, m, mcpconv.WorkflowEngine)
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
		if name := attribute.Text(source.AsString()); name != "" && len(a.Sources) < maxSources && !slices.Contains(a.Sources, name) {
			a.Sources = append(a.Sources, name)
		}
	}
}

// ourScopes begins the names of the scopes of what this distribution's components make.
const ourScopes = "github.com/otelcol-mcp/"
