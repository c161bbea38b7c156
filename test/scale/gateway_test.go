package scale

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestGateway: a gateway derives no session from an agent's spans, which the receiver in front of it has done, and refuses
// what would end the process when decoded.
func TestGateway(t *testing.T) {
	t.Parallel()
	c := startCollector(t, "gateway.yaml", []string{"KAFKA_BROKERS=" + harness.FreeAddress(t)})
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{1})
	span.SetName("chat gpt-5")
	span.Attributes().PutStr("gen_ai.conversation.id", "c-1")
	span.Attributes().PutStr("gen_ai.operation.name", "chat")
	c.send(t, td)
	assert.InDelta(t, 1, c.accepted(t), 0)
	assert.Zero(t, harness.Scrape(t, "http://"+c.metrics+"/metrics").Sum("otelcol_mcp_receiver_open_sessions"))

	deep := strings.Repeat(`{"arrayValue":{"values":[`, 700_000) + `{}` + strings.Repeat(`]}}`, 700_000)
	response, err := http.Post("http://"+c.http+"/v1/logs", "application/json",
		strings.NewReader(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":`+deep+`}]}]}]}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	c.send(t, td)
}
