package event

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

func TestParseTraceContext(t *testing.T) {
	const trace, span = "0123456789abcdef0123456789abcdef", "0123456789abcdef"
	for _, tt := range []struct {
		name, parent, state string
		flags               byte
		wantState           string
		ok                  bool
	}{
		{"sampled", "00-" + trace + "-" + span + "-01", "", 1, "", true},
		{"unsampled is kept", "00-" + trace + "-" + span + "-00", "", 0, "", true},
		{"state", "00-" + trace + "-" + span + "-01", "a=1,b=2", 1, "a=1,b=2", true},
		{"invalid state is left out", "00-" + trace + "-" + span + "-01", "a=1,a", 1, "", true},
		{"duplicate key in state", "00-" + trace + "-" + span + "-01", "a=1,a=2", 1, "", true},
		{"later version", "01-" + trace + "-" + span + "-01-more", "", 1, "", true},
		{"empty", "", "", 0, "", false},
		{"words", "not a traceparent", "", 0, "", false},
		{"version ff", "ff-" + trace + "-" + span + "-01", "", 0, "", false},
		{"more in version 00", "00-" + trace + "-" + span + "-01-more", "", 0, "", false},
		{"zero trace", "00-" + strings.Repeat("0", 32) + "-" + span + "-01", "", 0, "", false},
		{"zero span", "00-" + trace + "-" + strings.Repeat("0", 16) + "-01", "", 0, "", false},
		{"capitals", "00-" + strings.ToUpper(trace) + "-" + span + "-01", "", 0, "", false},
		{"short", "00-" + trace[2:] + "-" + span + "-01", "", 0, "", false},
		{"state alone", "", "a=1", 0, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := ParseTraceContext(tt.parent, tt.state)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.ok, c.Valid())
			if !ok {
				assert.Equal(t, identity.Context{}, c)
				return
			}
			assert.Equal(t, trace, hex.EncodeToString(c.Trace[:]))
			assert.Equal(t, span, hex.EncodeToString(c.Span[:]))
			assert.Equal(t, tt.flags, c.Flags)
			assert.Equal(t, tt.wantState, c.State)
		})
	}
}
