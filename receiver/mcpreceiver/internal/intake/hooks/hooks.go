// Package hooks knows what the events of Claude Code's hooks mean
// (code.claude.com/docs/en/hooks, as of October 2026).
package hooks

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Take tells the transaction of an event. The error is the transaction's.
func Take(ctx context.Context, tx *session.Tx, o *session.Observation, h *jsonrpc.Hook) error {
	switch h.Event {
	case "SessionStart", "Setup":
		return tx.HookStarted(ctx, o, h)
	case "SessionEnd":
		return tx.HookEnded(ctx, o, h)
	case "UserPromptSubmit":
		return tx.Prompted(ctx, o, h)
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return takeTool(ctx, tx, o, h)
	case "SubagentStart":
		return tx.AgentBegan(ctx, o, h)
	case "SubagentStop":
		return tx.AgentDone(ctx, o, h)
	case "Stop":
		return tx.Rested(ctx, o, h)
	case "StopFailure":
		return tx.Failed(ctx, o, h)
	}
	return takePause(ctx, tx, o, h)
}

func takeTool(ctx context.Context, tx *session.Tx, o *session.Observation, h *jsonrpc.Hook) error {
	switch h.Event {
	case "PreToolUse":
		return tx.ToolStarted(ctx, o, h, asks(h.Tool.Str()))
	case "PostToolUse":
		return tx.ToolEnded(ctx, o, h, session.Outcome{})
	case "PermissionDenied":
		return tx.ToolDenied(ctx, o, h)
	}
	return tx.ToolEnded(ctx, o, h, session.ToolFailure(h.Error.Str(), h.Interrupt.IsTrue()))
}

// asks tells whether the tool is there to ask a person.
func asks(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

// takePause takes events that interrupt the work or end an interruption, and all
// that are not known.
func takePause(ctx context.Context, tx *session.Tx, o *session.Observation, h *jsonrpc.Hook) error {
	switch h.Event {
	case "PreCompact":
		return tx.Compacting(ctx, o, h, h.Trigger.Str() == "manual")
	case "PostCompact":
		return tx.Compacted(ctx, o, h)
	case "PermissionRequest", "Elicitation":
		return tx.Asked(ctx, o, h, false)
	case "ElicitationResult":
		return tx.Answered(ctx, o, h)
	case "Notification":
		return takeNotification(ctx, tx, o, h)
	}
	return tx.HookTold(ctx, o, h)
}

// takeNotification: only some notifications say that a person is asked. Those of
// versions that do not tell the type do, unless the host rests: it then reminds
// of itself.
func takeNotification(ctx context.Context, tx *session.Tx, o *session.Observation, h *jsonrpc.Hook) error {
	switch h.Notification.Str() {
	case "":
		return tx.Asked(ctx, o, h, true)
	case "permission_prompt", "elicitation_dialog", "elicitation_url_dialog":
		return tx.Asked(ctx, o, h, false)
	case "elicitation_complete", "elicitation_response":
		return tx.Answered(ctx, o, h)
	case "idle_prompt":
		return tx.Rested(ctx, o, h)
	case "quota_auto_resume_fired":
		return tx.Prompted(ctx, o, h)
	}
	return tx.HookTold(ctx, o, h)
}
