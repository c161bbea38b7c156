package dialect

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryDialectHasEvidence: there is a bit for all that speaks for a dialect, and the
// last one is only for what was normalized before.
func TestEveryDialectHasEvidence(t *testing.T) {
	d := NewDetector(nil)
	var used Evidence
	for i, r := range d.rules {
		require.NotZero(t, r.any, "no bit is left for %s", d.Tables[i].Name)
		require.Equal(t, len(d.Tables[i].Detect.Names) > 0, r.name != 0, "no bit is left for the names of %s", d.Tables[i].Name)
		require.Zero(t, used&(r.any|r.name), d.Tables[i].Name)
		used |= r.any | r.name | r.with
	}
	require.Zero(t, used&done)
	for _, list := range d.keys.lists {
		for _, m := range list {
			require.NotZero(t, m.is, "no bit is left for the key %s", m.text)
		}
	}
}
