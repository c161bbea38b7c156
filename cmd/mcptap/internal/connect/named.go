package connect

import (
	"net/url"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
)

// Named are the addresses that an agent's settings have as they are.
type Named struct {
	Endpoints []string // base URLs that hooks and the MCP server go to
	OTLP      []string // base URLs that telemetry goes to
}

// Addresses reads an agent's settings. What cannot be read names none.
func Addresses(r Request) (n Named) {
	for _, f := range r.files() {
		e, err := r.open(f)
		if err != nil {
			continue
		}
		if e.document == nil {
			n.addPlugin(string(e.Old))
			continue
		}
		for _, s := range f.Settings {
			v, _ := e.document.Value(s.Path...)
			switch {
			case s.Element:
				n.addHooks(r.Agent, v)
			case s.Group == agents.OTLP:
				n.addURLs(&n.OTLP, v)
			}
		}
	}
	return n
}

// addHooks adds where our hooks in a list go.
func (n *Named) addHooks(a *agents.Agent, v any) {
	for _, text := range stringsIn(v) {
		_, flags, found := strings.Cut(text+" ", " hook "+a.Name+" ")
		if !found || !a.IsOurs(text) {
			continue
		}
		words := strings.Fields(flags)
		endpoint := agents.DefaultEndpoint
		if i := slices.Index(words, "--endpoint"); i >= 0 && i+1 < len(words) {
			endpoint = strings.Trim(words[i+1], `'"`)
		}
		addNew(&n.Endpoints, endpoint)
	}
}

// addPlugin adds the addresses in opencode's plugin.
func (n *Named) addPlugin(text string) {
	for variable, to := range map[string]*[]string{"OTELCOL_MCP_URL": &n.Endpoints, "MCPTAP_OTLP_ENDPOINT": &n.OTLP} {
		_, rest, found := strings.Cut(text, "process.env."+variable+` || "`)
		if address, _, _ := strings.Cut(rest, `"`); found {
			addNew(to, address)
		}
	}
}

// addURLs adds the base URLs in a value.
func (*Named) addURLs(to *[]string, v any) {
	for _, text := range stringsIn(v) {
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			for _, path := range []string{"/v1/logs", "/v1/traces", "/v1/metrics"} {
				u.Path = strings.TrimSuffix(u.Path, path)
			}
			addNew(to, strings.TrimRight(u.String(), "/"))
		}
	}
}

func addNew(to *[]string, text string) {
	if !slices.Contains(*to, text) {
		*to = append(*to, text)
	}
}

// stringsIn are the strings in a value.
func stringsIn(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	}
	return all
}
