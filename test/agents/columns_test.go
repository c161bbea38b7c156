package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
)

// column is one thing to compare. The error says what was expected and what came.
type column struct {
	name  string
	check func(e expected, o observed) error
}

var columns = []column{
	{"row", checkRow},
	{"phases", checkPhases},
	{"tools", checkTools},
	{"MCP tools", checkMCPTools},
	{"model calls", checkModelCalls},
	{"tokens", checkTokens},
	{"cost", checkCost},
	{"sub-agents", checkChildren},
	{"errors", checkErrors},
	{"end", checkEnd},
}

func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }

// checkRow wants one row for the agent, whichever sources there are. A server that is reached
// over HTTP has its own if the agent names nothing in its calls.
func checkRow(e expected, o observed) error {
	servers := 0
	for _, r := range o.rows {
		if slices.Equal(r.Sources, []string{"tap"}) {
			servers++
		}
	}
	if len(o.rows) != 1+e.unnamed || servers != e.unnamed {
		var ids []string
		for _, r := range o.rows {
			ids = append(ids, fmt.Sprintf("%s (%s, %v)", r.ID, r.Title, r.Sources))
		}
		return wrong("1 row of the agent and %d of servers expected, got %d: %s", e.unnamed, len(o.rows), strings.Join(ids, "; "))
	}
	if o.main().State == "stalled" {
		return wrong("a stalled row: %+v", o.main())
	}
	return nil
}

// checkPhases wants work at the start, rest at the end, and one phase at a time.
func checkPhases(_ expected, o observed) error {
	phases := of(o.named("host.phase"), o.main().ID)
	var names []string
	for i, s := range phases {
		names = append(names, text(s, "mcp.host.phase"))
		if i > 0 && s.StartTimestamp() < phases[i-1].EndTimestamp() {
			return wrong("phase %d begins before %d ends: %v", i, i-1, names)
		}
	}
	if now := o.main().Phase; now != "" { // its span comes when it is over
		names = append(names, now)
	}
	if len(names) < 2 || names[0] != "working" || names[len(names)-1] != "idle" || slices.Contains(names, "error") {
		return wrong("phases from working to idle expected, got %v", names)
	}
	return nil
}

// checkTools wants each call of the agent's layer once, and the same number on the
// board.
func checkTools(e expected, o observed) error {
	spans := o.toolCalls()
	byID := map[string]int{}
	given := o.givenLater()
	for _, s := range spans {
		byID[cmp.Or(callID(s), given[s.SpanID().String()])]++
	}
	if len(byID) == 1 && byID[""] == len(spans) {
		byID = nil // this source has no ids: the number has to do
	}
	for _, c := range e.calls {
		onlyLogged := c.label == refused && byID[c.id] == 0 && byID[""] > 0 // its log record has no id
		if byID != nil && byID[c.id] != 1 && !onlyLogged {
			return wrong("call %s of %s: 1 span expected, got %d; all: %s", c.id, c.tool, byID[c.id], briefly(spans))
		}
	}
	if len(spans) != len(e.calls) || o.main().ToolCalls != len(e.calls) {
		return wrong("%d calls expected, got %d spans, %d on the row; all: %s", len(e.calls), len(spans), o.main().ToolCalls, briefly(spans))
	}
	return nil
}

func briefly(spans []ptrace.Span) string {
	var all []string
	for _, s := range spans {
		status := ""
		if failed(s) {
			status = "!"
		}
		all = append(all, fmt.Sprintf("%s(%s/%s %s)%s", s.Name(), text(s, "mcp.server.name"), text(s, "gen_ai.tool.name"), callID(s), status))
	}
	return strings.Join(all, ", ")
}

// checkMCPTools wants server and tool of each MCP call, as the servers saw them.
func checkMCPTools(e expected, o observed) error {
	got := map[string]int{}
	spans := o.toolCalls()
	if len(spans) == 0 {
		spans = o.wireCalls()
	}
	for _, s := range spans {
		server := text(s, "mcp.server.name")
		if onWire(s) {
			server = text(s, "peer.service") // what the server calls itself
		}
		if server != "" {
			got[server+"/"+text(s, "mcp.tool.name")]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(e.seen) {
		return wrong("%v expected, got %v; all: %s", e.seen, got, briefly(spans))
	}
	return nil
}

// checkModelCalls wants one span for each answer; an answer that was an error may
// have one, too.
func checkModelCalls(e expected, o observed) error {
	good := 0
	for _, s := range o.modelCalls() {
		if !failed(s) {
			good++
		}
	}
	if on := o.main().LLMCalls; good != e.answers || on < e.answers || on > e.answers+e.failures {
		return wrong("%d model calls expected (and %d that failed), got %d spans without error, %d on the row", e.answers, e.failures, good, on)
	}
	return nil
}

// checkTokens wants what the model gave out: on the board, and on the spans.
func checkTokens(e expected, o observed) error {
	u := o.main().Usage
	onRow := model.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning}
	var onSpans model.Usage
	for _, s := range append(o.modelCalls(), o.named("call.amended")...) {
		onSpans = onSpans.Add(model.Usage{
			Input: number(s, "gen_ai.usage.input_tokens"), CacheRead: number(s, "gen_ai.usage.cache_read.input_tokens"),
			CacheWrite: number(s, "gen_ai.usage.cache_write.input_tokens"), Output: number(s, "gen_ai.usage.output_tokens"),
			Reasoning: number(s, "gen_ai.usage.reasoning.output_tokens"),
		})
	}
	if onRow != e.usage || onSpans != e.usage {
		return wrong("%+v expected, got %+v on the row, %+v on spans", e.usage, onRow, onSpans)
	}
	return nil
}

func checkCost(_ expected, o observed) error {
	if o.main().Usage.Cost <= 0 {
		return wrong("a cost expected, got %v on the row", o.main().Usage.Cost)
	}
	return nil
}

// checkChildren wants each sub-agent once, and its calls in the same session.
func checkChildren(e expected, o observed) error {
	if o.main().Agents != e.children {
		return wrong("%d sub-agents expected, got %d on the row, spans agent.call %d", e.children, o.main().Agents, len(o.named("agent.call")))
	}
	return nil
}

// checkErrors wants an error where the tool reports one, and none where the call
// was good.
func checkErrors(e expected, o observed) error {
	status := map[string]bool{}
	count, failing := 0, e.failing
	if len(o.toolCalls()) == 0 {
		failing = e.failingMCP
	}
	amended := o.amended()
	for _, s := range append(o.toolCalls(), o.wireCalls()...) {
		late, isAmended := amended[s.SpanID().String()]
		bad := failed(s) || isAmended && failed(late)
		if bad && text(s, "mcp.tool.decision") != "reject" {
			count++
		}
		status[callID(s)] = status[callID(s)] || bad
	}
	for _, c := range e.calls {
		got, known := status[c.id]
		if known && (c.label == "" || c.label == fails) && got != (c.label == fails) {
			return wrong("call %s of %s (%s): error is %v", c.id, c.tool, c.label, got)
		}
	}
	if count < failing {
		return wrong("%d failed calls expected, got %d", failing, count)
	}
	return nil
}

func checkEnd(_ expected, o observed) error {
	roots := of(o.named("workflow.run"), o.main().ID)
	if o.main().State != "done" || o.main().EndReason != "finished" || len(roots) != 1 {
		return wrong("state done, reason finished and 1 root expected, got %q, %q and %d", o.main().State, o.main().EndReason, len(roots))
	}
	return nil
}
