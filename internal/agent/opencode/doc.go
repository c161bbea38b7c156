// Package opencode decodes what opencode reports of itself: what our plugin in it
// posts as hooks, and its own telemetry.
package opencode
