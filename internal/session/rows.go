package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// reportRows reports the state of the open sessions that the transaction touched, of
// each at most once an interval; the others are reported by the sweep after it. It
// comes last before Commit.
func (tx *rows) reportRows() {
	for s := range tx.store.DueRows {
		if end := saidEnd(s); end != nil {
			tx.reportEnd(s, end)
			continue
		}
		r := stateOf(s)
		r.Sequence = tx.store.NextSequence(s, r.Name != mcpconv.StateIdle)
		tx.sink.SessionState(&r)
	}
	for s := range tx.store.LateRows {
		end := s.More().End
		e := &SessionEnd{Session: &s.SessionRecord, Time: end.Time, Reason: end.Reason}
		if end.Whole != nil {
			e.Parent = &store.SessionRecord{Epoch: *end.Whole}
		}
		tx.reportEnd(s, e)
	}
}

// saidEnd is the end of a session of which its agent said that it is over, nil if it did
// not: what is held until all was told are its spans.
func saidEnd(s *store.Session) *SessionEnd {
	held := heldEnd(s)
	if held == nil || s.Agent == nil {
		return nil
	}
	return &SessionEnd{Session: &s.SessionRecord, Time: max(held.Turn.Last, s.Start), Reason: mcpconv.EndFinished}
}

// reportEnd reports a state of an epoch that is over.
func (tx *rows) reportEnd(s *store.Session, e *SessionEnd) {
	r := SessionState{
		Session: &s.SessionRecord, Totals: s.AllTotals(), LastError: s.LastError(), End: e, Outcome: e.Outcome(), Sequence: tx.store.NextSequence(s, false),
	}
	countOpen(s, &r.Totals)
	switch {
	case e.Stalled():
		r.Name, r.Stall = mcpconv.StateStalled, stallOf(s, nil)
	case r.Outcome.Failed && r.Outcome.Code != mcpconv.CodeCancelled:
		r.Name = mcpconv.StateFailed
	default:
		r.Name = mcpconv.StateDone
	}
	tx.sink.SessionState(&r)
}

// stateOf is the state of an open session.
func stateOf(s *store.Session) SessionState {
	calls := runningCalls(s)
	r := SessionState{Session: &s.SessionRecord, Totals: s.AllTotals(), LastError: s.LastError(), OpenCalls: len(calls)}
	countOpen(s, &r.Totals)
	var stuck *store.Call
	for _, c := range calls {
		if stuck == nil && c.Stuck {
			stuck = c
		}
	}
	if s.Stalled || s.Unreturned || stuck != nil {
		r.Stall = stallOf(s, stuck)
	}
	r.Asked = askedOf(s, calls)
	for _, c := range calls[:min(len(calls), callsShown)] {
		r.Calls = append(r.Calls, RunningCall{CallRecord: &c.CallRecord, Detail: detailOf(c)})
	}
	switch {
	case r.Stall != nil:
		r.Name = mcpconv.StateStalled
	case r.Asked != nil:
		r.Name = mcpconv.StateWaiting
	case len(calls) > 0 || works(s):
		r.Name = mcpconv.StateRunning
	default:
		r.Name = mcpconv.StateIdle
	}
	return r
}

// countOpen adds what is open and no fact: calls of other things than tools.
func countOpen(s *store.Session, u *store.Summary) {
	for c := range s.EveryCall {
		if !c.Dropped && !isFact(c) {
			countKind(u, c.Kind)
		}
	}
}

// works reports whether a session without open calls is at work: it says so by its
// phase, or it is a workflow, which is at work until it ends.
func works(s *store.Session) bool {
	switch {
	case s.Phase != nil:
		return !s.In(mcpconv.PhaseIdle)
	case s.Agent != nil, s.IsHost:
		return false
	}
	return s.Inspector
}

// runningCalls are the calls that somebody waits for, the oldest first.
func runningCalls(s *store.Session) (calls []*store.Call) {
	if s.OpenCalls() == 0 {
		return nil
	}
	for c := range s.EveryCall {
		if !c.Kept() && !c.Dropped && !mcpconv.Stream(c.Method) && c.Method != mcpconv.MethodPing {
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, store.InOrder)
	return calls
}

func stallOf(s *store.Session, stuck *store.Call) *Stall {
	if stuck != nil {
		return &Stall{Reason: mcpconv.StallCall, Detail: cmp.Or(stuck.ToolName(), stuck.Method), Since: stuck.LastProgress}
	}
	st := &Stall{Reason: mcpconv.StallHost, Since: s.Last}
	if s.Unreturned && !s.Stalled {
		st.Reason = mcpconv.StallCall
	}
	if s.Phase != nil {
		st.Detail = s.Phase.Name
	}
	return st
}

// askedOf returns the question that is open for longest, nil if there is none.
func askedOf(s *store.Session, calls []*store.Call) *Asked {
	for _, w := range s.Waits {
		return &Asked{Kind: mcpconv.WaitSignal, Name: w.Name, Prompt: w.Prompt, Span: w.Span, Since: w.Start}
	}
	for _, c := range calls {
		switch {
		case c.Wait != nil:
			return &Asked{Kind: mcpconv.WaitElicitation, Name: c.Wait.Name, Prompt: c.Wait.Prompt, Span: c.Wait.Span, Since: c.Wait.Start}
		case c.Kind == event.Permission:
			return &Asked{Kind: mcpconv.WaitApproval, Name: c.Target, Tool: c.Target, Prompt: c.Text, Span: c.Span, Since: c.Start}
		case c.Kind == event.Elicitation:
			return &Asked{Kind: mcpconv.WaitElicitation, Name: c.Target, Prompt: c.Text, Span: c.Span, Since: c.Start}
		}
	}
	if !s.Waiting() {
		return nil
	}
	a := &Asked{Kind: mcpconv.WaitApproval, Name: mcpconv.WaitApproval, Span: s.Phase.Span, Since: s.Phase.Start}
	if c := askedCall(s); c != nil {
		a.Tool, a.Detail, a.Span = c.ToolName(), detail(c.Input), c.Span
		if question := questionOf(c.Input); question != "" {
			a.Kind, a.Detail = mcpconv.WaitQuestion, question
		}
		return a
	}
	if s.Agent != nil && s.Agent.Question != nil {
		a.Tool, a.Detail = s.Agent.Question.Tool, s.Agent.Question.Detail
	}
	return a
}

// askedCall is the call of a tool for which a person is asked, nil if that is not known.
func askedCall(s *store.Session) *store.Call {
	if s.Agent == nil {
		return nil
	}
	for _, key := range s.Agent.Asking {
		if c := s.Calls[key]; c != nil {
			return c
		}
	}
	return nil
}

// detailKeys are members of a tool's input that say what the call is about, the
// best first.
var detailKeys = []string{
	"command", "cmd", "file_path", "filePath", "absolute_path", "path", "url", "query", "pattern", "description", "prompt", "name",
}

// detailBytes is where what a call is about is cut.
const detailBytes = 256

// detailOf returns what the call is about: of a tool what its input says, else its text.
func detailOf(c *store.Call) string {
	if c.Kind == event.ToolCall {
		return detail(c.Input)
	}
	return strings.Clone(jsonscan.Cut(c.Text, detailBytes))
}

// detail returns the command, the file or the address of a tool's input, "" if it has
// none of those.
func detail(input string) string {
	best, found := len(detailKeys), ""
	for key, value := range jsonscan.Value(input).Members() {
		if at := slices.Index(detailKeys, key); at >= 0 && at < best && value != "" {
			best, found = at, commandText(value)
		}
	}
	found, _, _ = strings.Cut(strings.TrimSpace(found), "\n")
	return strings.Clone(jsonscan.Cut(found, detailBytes))
}

// commandText is a string, or the words of an array of strings.
func commandText(v jsonscan.Value) string {
	if !v.IsArray() {
		return v.Str()
	}
	var words []string
	for word := range v.Elements() {
		words = append(words, word.Str())
	}
	return strings.Join(words, " ")
}

// questionOf is the question that a tool asks a person, "" if the input has none.
func questionOf(input string) (question string) {
	for key, value := range jsonscan.Value(input).Members() {
		switch key {
		case "question":
			question = value.Str()
		case "questions":
			for one := range value.Elements() {
				for key, text := range one.Members() {
					if key == "question" && question == "" {
						question = text.Str()
					}
				}
			}
		}
	}
	return strings.Clone(jsonscan.Cut(question, detailBytes))
}
