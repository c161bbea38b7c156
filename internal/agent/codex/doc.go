// Package codex decodes what OpenAI's Codex reports of itself: its hooks and its
// own telemetry.
package codex
