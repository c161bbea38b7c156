// Package geminicli decodes what Google's Gemini CLI reports of itself: its hooks
// and its own telemetry.
package geminicli
