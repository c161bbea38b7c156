package otlp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Who tells no tenants apart pays nothing for it, nor does what names no session.
func TestConfinedCostsNothing(t *testing.T) {
	named, none := pcommon.NewMap(), pcommon.NewMap()
	named.PutStr("session.id", "acme/ann/s")
	none.PutStr("organization.id", "b")
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		sessionKey(nil).confined(none, named)
		sessionKey{"organization.id"}.confined(none, none)
	}))
}

// Agents name themselves as they like, metrics do not.
func TestLabels(t *testing.T) {
	for agent, want := range map[string]string{"claude-code": "claude-code", "opencode": "opencode", "my-own": "other", "": "other"} {
		assert.Equal(t, want, label(agent))
	}
}
