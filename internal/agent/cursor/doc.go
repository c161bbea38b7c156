// Package cursor decodes the input of Cursor's hooks (https://cursor.com/docs/hooks,
// as of October 2026). Cursor sends no telemetry of its own.
package cursor
