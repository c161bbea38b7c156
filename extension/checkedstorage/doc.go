//go:generate go tool mdatagen metadata.yaml

// Package checkedstorage keeps the state of components in files, as file_storage
// does, and starts without what is damaged.
package checkedstorage // import "github.com/otelcol-mcp/otelcol-mcp/extension/checkedstorage"
