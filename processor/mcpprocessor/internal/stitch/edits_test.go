package stitch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestLinkedOnce: a batch that was refused may come again with the links that it
// was given, from a sender in this process that keeps it.
func TestLinkedOnce(t *testing.T) {
	for _, mode := range []Mode{ModeLink, ModeRewrite} {
		t.Run(string(mode), func(t *testing.T) {
			f := newFixture(t, configOf(func(c *Config) { c.Mode = mode }))
			client, server := pair("request-1")
			server.ours = true // which does not wait
			require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf([]spec{server})))
			td := tracesOf([]spec{client})
			if mode == ModeRewrite {
				root := client
				root.id[1], root.name, root.value = 1, "work", ""
				td = tracesOf([]spec{root, client})
			}
			f.sink.refuse = func() error { return errRefusedByTest }
			require.Error(t, f.ConsumeTraces(t.Context(), td))
			f.sink.refuse = nil
			require.NoError(t, f.ConsumeTraces(t.Context(), td))
			var links ptrace.SpanLinkSlice
			for _, o := range each(f.sink.got) {
				if o.span.SpanID() == client.id {
					links = o.span.Links()
				}
			}
			require.Equal(t, 2, links.Len())
			assert.Equal(t, server.id, links.At(1).SpanID())
		})
	}
}
