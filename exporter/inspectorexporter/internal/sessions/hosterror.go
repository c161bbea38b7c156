package sessions

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// hostErred keeps what a host last failed at, of which the state record has only that it
// failed, and when it went on.
func (s *session) hostErred(name string, at Time, m pcommon.Map) {
	r := &s.row
	kind := attribute.Str(m, mcpconv.HostErrorType)
	if name != mcpconv.HostError && kind == "" {
		if phase, ok := mcpconv.Phase(attribute.Str(m, mcpconv.HostPhase)); ok && phase != mcpconv.PhaseError {
			s.hostWent = max(s.hostWent, at)
		}
		return
	}
	if r.HostError != nil && at < r.HostError.Time {
		return
	}
	e := &HostError{Type: attribute.Text(kind), Message: attribute.Text(attribute.Str(m, mcpconv.ErrorMessage)), Time: at}
	e.Retrying, _ = attribute.Bool(m, mcpconv.HostRetrying)
	e.RetryCount, _ = attribute.Amount(m, mcpconv.HostRetryCount)
	r.HostError = e
}
