// Package config holds the configurations that are shipped inside the binary.
package config // import "github.com/otelcol-mcp/otelcol-mcp/config"

import (
	"embed"
	"fmt"
	"strings"
)

const extension = ".yaml"

//go:embed *.yaml
var files embed.FS

// Read returns the text of the configuration with this name, "default" for example.
// The error for an unknown name lists the names there are.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name + extension)
	if err != nil {
		return nil, fmt.Errorf("no embedded configuration %q, there are: %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}

// Names lists the configurations in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), extension))
	}
	return names
}
