package intake

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Tell hands an Inspector event to the transaction. Its session's events carry
// their own times where they have any.
func Tell(ctx context.Context, tx *session.Tx, o *session.Observation, e *inspectorwire.Event) error {
	switch e.Type {
	case inspectorwire.TypeSessionStarted:
		if e.StartTime > 0 {
			o.Time = e.StartTime
		}
		return tx.Started(ctx, o, session.Start{Title: e.Title, Engine: e.Engine, Time: e.StartTime, Raw: e.Raw})
	case inspectorwire.TypeSessionFinished:
		if e.EndTime > 0 {
			o.Time = e.EndTime
		}
		finish := session.Finish{Status: e.Status, Error: e.ErrorText, Time: e.EndTime}
		if e.DurationMS > 0 {
			finish.Start = o.Time - int64(e.DurationMS*1e6)
		}
		return tx.Finished(ctx, o, finish)
	case inspectorwire.TypeWaitingOnSignal:
		return tx.Waiting(ctx, o, e.SignalName, e.Prompt, string(e.Schema), e.Raw)
	case inspectorwire.TypeSignalReceived:
		return tx.Resumed(ctx, o)
	}
	n := notice(e)
	if n.Kind == session.EventBeat {
		return tx.Beat(ctx, o, n)
	}
	return tx.Told(ctx, o, n)
}

func notice(e *inspectorwire.Event) *session.Event {
	n := &session.Event{Type: e.Type, Raw: e.Raw}
	switch e.Type {
	case inspectorwire.TypeHeartbeat:
		n.Kind = session.EventBeat
		n.LLMCalls, n.Tokens, n.ToolCalls = e.LLMCallsDelta, e.TokensDelta, e.ToolCallsDelta
	case inspectorwire.TypeResourceFetched:
		n.Kind = session.EventResource
		n.URI, n.MimeType, n.Bytes, n.HasBytes = e.URI, e.MimeType, e.Bytes, e.HasBytes
	case inspectorwire.TypePromptUsed:
		n.Kind = session.EventPrompt
		n.Template, n.Parameters = e.TemplateID, string(e.Parameters)
	case inspectorwire.TypeProgressUpdate:
		n.Kind = session.EventProgress
		n.Token, n.Percent, n.HasPercent, n.Message = e.ProgressToken, e.Percent, e.HasPercent, e.Message
	}
	return n
}
