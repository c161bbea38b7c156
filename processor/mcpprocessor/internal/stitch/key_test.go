package stitch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// mcp.request.id counts where it is a UUID, and only if it is asked for.
func TestLastmile(t *testing.T) {
	const id = "6f1ed002-ab59-4a5e-9d1b-0c3a6f1c2b7d"
	for _, test := range []struct {
		keys  []string
		value string
		want  string
	}{
		{[]string{"mcp.request_id", KeyLastmile}, id, id},
		{[]string{"mcp.request_id"}, id, ""},
		{[]string{KeyLastmile}, "12345678", ""},
		{[]string{KeyLastmile}, "6f1ed002ab594a5e9d1b0c3a6f1c2b7d", ""},
		{[]string{KeyLastmile}, "urn:uuid:" + id, ""},
	} {
		span := ptrace.NewSpan()
		span.Attributes().PutStr("mcp.request.id", test.value)
		r := reader{keys: test.keys}
		assert.Equal(t, test.want, r.text(span), "%v %s", test.keys, test.value)
	}
	cfg := configOf()
	cfg.Keys = []string{"mcp.request_id", KeyLastmile}
	assert.NoError(t, cfg.Validate())
	span := ptrace.NewSpan()
	span.Attributes().PutStr("mcp.request.id", id)
	r := reader{keys: cfg.Keys}
	assert.Zero(t, testing.AllocsPerRun(100, func() { r.text(span) }))
}
