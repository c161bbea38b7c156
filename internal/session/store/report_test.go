package store

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// What two sources report of one call: the better one's end, and the more telling error.
func TestMerge(t *testing.T) {
	log := Report{Over: true, End: 5, Failed: true, Code: mcpconv.CodeServerError, Type: "ApiError", Text: "no quota", Duration: "7"}
	known := Merge(nil, log, event.AgentLog)
	got := Merge(known, Report{Over: true, End: 6, Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, OutSize: 3}, event.AgentSpan)
	assert.Equal(t, Report{
		Over: true, By: event.AgentSpan, End: 6, Failed: true, Code: mcpconv.CodeServerError, Type: "ApiError", Text: "no quota", Duration: "7",
		OutSize: 3, Reported: FromLogs | FromSpans,
	}, *got)
	got = Merge(got, Report{Over: true, End: 9, Type: "later"}, event.AgentLog)
	assert.EqualValues(t, 6, got.End, "a better source said when")
	assert.True(t, got.Failed)
	refused := Merge(known, Report{Over: true, End: 5, Failed: true, Refused: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled}, event.AgentLog)
	assert.True(t, refused.Refused)
	refused = Merge(refused, log, event.AgentSpan)
	assert.True(t, refused.Refused, "what was refused did not fail")
	assert.Equal(t, mcpconv.CodeCancelled, refused.Code)
}
