package sessions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
)

// Two tenants may have sessions of the same id: each span and record says whose it is,
// and what one said holds for no other.
func TestTenantsWithSessionsOfOneID(t *testing.T) {
	b, _ := board(10)
	id := func(tenant string) string {
		id, _ := attribute.ID(tenant + "/x")
		return id
	}
	call := map[string]any{"gen_ai.operation.name": "execute_tool"}
	works := func(tenant string) Update {
		call["mcp.session.part_of"] = tenant + "/x"
		u := peer(b, "x", "call of "+tenant, "opencode", call)
		assert.Equal(t, id(tenant), u.ID)
		return u
	}
	logs := func(tenant string) Update {
		r := plog.NewLogRecord()
		put(r.Attributes(), "x", []any{"event.name", "api_request", "mcp.session.part_of", tenant + "/x"})
		return b.Log(pcommon.NewResource(), r, "com.anthropic.claude_code.events")
	}
	for _, tenant := range []string{"A", "B", "A"} {
		assert.Empty(t, works(tenant).Folds, "the id is not one tenant's")
	}
	for _, tenant := range []string{"A", "B"} {
		assert.Equal(t, id(tenant), logs(tenant).ID)
		r := row(t, b, id(tenant))
		assert.Equal(t, tenant+"/x", r.OriginalID)
	}
	assert.Len(t, ids(b), 2)
}

// A sub-agent of a tenant is where its span says, whatever sub-agent of that id another
// tenant has.
func TestTenantsWithSubAgentsOfOneID(t *testing.T) {
	b, _ := board(10)
	for _, tenant := range []string{"A", "B", "A"} {
		whole, _ := attribute.ID(tenant + "/s")
		of := map[string]any{"mcp.session.part_of": tenant + "/s"}
		assert.Equal(t, whole, peer(b, "child", "chat "+tenant, "opencode", of).ID)
	}
	whole, _ := attribute.ID("B/s")
	assert.Equal(t, whole, record("child", "x", 9, 1, "mcp.session.part_of", "B/s")(b).ID)
	assert.Len(t, ids(b), 2)
}

// What sub-agents of one id say of themselves is remembered once, not with each span of
// another tenant's: it is written to a file.
func TestTenantsWithSubAgentsFoldOnce(t *testing.T) {
	b, _ := board(10)
	folds := 0
	for i := range 20 {
		folds += len(peer(b, "child", "chat", "opencode", map[string]any{"mcp.session.part_of": []string{"A/s", "B/s"}[i%2]}).Folds)
	}
	assert.Equal(t, 1, folds)
}

// A sub-agent of a tenant may work before it is known whose it is.
func TestSubAgentOfATenantBeforeItsParentIsKnown(t *testing.T) {
	b, _ := board(10)
	for _, tenant := range []string{"A", "B"} {
		for i, whole := range []string{"child", "s", "child"} {
			of := map[string]any{"mcp.session.part_of": tenant + "/" + whole, "gen_ai.operation.name": "execute_tool"}
			peer(b, "child", string('a'+rune(i))+tenant, "opencode", of)
		}
	}
	assert.Len(t, ids(b), 2)
	for _, tenant := range []string{"A", "B"} {
		id, _ := attribute.ID(tenant + "/s")
		assert.EqualValues(t, 3, row(t, b, id).SpanCount)
	}
}

// What names another tenant's session, and is said to be its own tenant's of that name, is in
// that one, whichever was there first.
func TestForgedSession(t *testing.T) {
	for _, first := range []string{"", "acme/ann/s"} {
		b, _ := board(10)
		if first != "" {
			peer(b, first, "hook.BeforeAgent", "gemini-cli", nil)
		}
		u := peer(b, "acme/ann/s", "query", "shop", map[string]any{"mcp.session.part_of": "evil//acme/ann/s"})
		forged, _ := attribute.ID("evil//acme/ann/s")
		assert.Equal(t, forged, u.ID)
		assert.Empty(t, u.Folds)
		own, _ := attribute.ID("acme/ann/s")
		assert.Equal(t, own, peer(b, "acme/ann/s", "hook.BeforeAgent", "gemini-cli", nil).ID)
	}
}
