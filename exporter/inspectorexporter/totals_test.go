package inspectorexporter

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// spentBy is the state record of a session that took so much.
func spentBy(id, directory, model string, input int64, cost float64) func(plog.LogRecord) {
	return func(l plog.LogRecord) {
		l.SetEventName("mcp.session.state")
		l.SetTraceID(traceOf(id))
		l.SetSpanID([8]byte{7: root})
		l.SetTimestamp(at(1))
		put(l.Attributes(), id, []any{
			"mcp.session.epoch", 1, "mcp.session.state.sequence", 1, "mcp.session.state.name", "running",
			"mcp.session.start_time_unix_nano", at(0).AsTime().UnixNano(), "process.working_directory", directory,
			"mcp.llm.model", model, "mcp.summary.input_tokens", input, "mcp.summary.output_tokens", 5, "mcp.summary.cost_usd", cost,
		})
	}
}

func TestTotalsAddUpRows(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.log(spentBy("a", "/shop", "opus", 100, 0.5), spentBy("b", "/shop", "opus", 200, 0.25), spentBy("c", "/api", "gpt", 10, 0))
	ask := func(query string) (sum totals) {
		res, body := r.get("/_inspector/sessions/totals" + query)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.NoError(t, json.Unmarshal([]byte(body), &sum))
		return sum
	}
	all := ask("")
	require.Equal(t, spent{Sessions: 3, InputTokens: 310, OutputTokens: 15, CostUSD: 0.75, Unpriced: 1}, all.spent)
	require.Equal(t, []*spent{
		{Project: "/shop", Model: "opus", Sessions: 2, InputTokens: 300, OutputTokens: 10, CostUSD: 0.75},
		{Project: "/api", Model: "gpt", Sessions: 1, InputTokens: 10, OutputTokens: 5, Unpriced: 1},
	}, all.By)
	require.Empty(t, ask("?since=2999-01-01T00:00:00Z").By)
	res, body := r.get("/_inspector/sessions/totals?since=yesterday")
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.JSONEq(t, `{"error":"since: an RFC 3339 time"}`, body)
}

// Estimates are a part of the cost, and say by which prices they were made.
func TestTotalsTellEstimates(t *testing.T) {
	var sum totals
	sum.add([]json.RawMessage{
		json.RawMessage(`{"usage":{"cost_usd":1}}`),
		json.RawMessage(`{"usage":{"cost_usd":2,"cost_estimated_usd":0.5,"cost_source":"list of May"}}`),
	})
	require.Equal(t, spent{Sessions: 2, CostUSD: 3, Estimated: 0.5, Prices: "list of May"}, sum.spent)
}

func TestRowsTellEstimates(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.log(func(l plog.LogRecord) {
		spentBy("a", "/shop", "gpt", 100, 0.5)(l)
		l.Attributes().PutDouble("mcp.summary.cost_estimated_usd", 0.5)
		l.Attributes().PutStr("mcp.summary.cost_source", "list of May")
	})
	_, body := r.get("/_inspector/sessions")
	require.Contains(t, body, `"cost_usd":0.5,"cost_estimated_usd":0.5,"cost_source":"list of May"`)
}

func TestTotalsLeaveOutOlderSessions(t *testing.T) {
	sum := totals{Since: &t0}
	row := func(seen time.Time, cost string) json.RawMessage {
		return json.RawMessage(`{"last_seen":"` + seen.Format(time.RFC3339Nano) + `","usage":{"cost_usd":` + cost + `}}`)
	}
	sum.add([]json.RawMessage{row(t0.Add(-time.Second), "1"), row(t0, "2"), row(t0.Add(time.Hour), "4"), json.RawMessage("broken")})
	require.Equal(t, spent{Sessions: 2, CostUSD: 6}, sum.spent)
	require.Len(t, sum.By, 1)
}
