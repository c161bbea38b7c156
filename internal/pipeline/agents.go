package pipeline

import (
	"fmt"
	"reflect"
	"sync"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// agentOptions are what connectors want of how agents' reports are joined in the
// sessions that they share. One engine can do it in one way only.
type agentOptions struct {
	mu  sync.Mutex
	by  component.ID // of a connector that configures it
	opt *session.AgentOptions
	n   int // connectors that do
}

// ConfigureAgents lets the connector with that id configure how agents' reports are
// joined, until release is called, which may happen twice. It fails if another one
// does differently. One that leaves the keys at their defaults agrees to everything.
func (s *Service) ConfigureAgents(by component.ID, opt *session.AgentOptions) (release func(), err error) {
	a, engine := &s.agents, s.Runner.Engine
	a.mu.Lock()
	defer a.mu.Unlock()
	if defaults := session.DefaultAgents(); reflect.DeepEqual(opt, &defaults) {
		if a.n == 0 {
			engine.SetAgents(opt)
		}
		return func() {}, nil
	}
	if a.n > 0 && !reflect.DeepEqual(opt, a.opt) {
		return nil, fmt.Errorf(
			"agents: connector %q configures the same sessions differently: give both the same keys, or leave them out of one", a.by)
	}
	if a.n == 0 {
		a.by, a.opt = by, opt
		engine.SetAgents(opt)
	}
	a.n++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.n--
	}), nil
}
