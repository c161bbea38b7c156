package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

var (
	// keyRow is a row of a table of keys whose default is one value.
	keyRow  = regexp.MustCompile("^\\| `([a-z_:]+)` \\| `([^`]*)` \\|")
	partOf  = regexp.MustCompile(`^### Configuration of (\w+)$`)
	heading = regexp.MustCompile(`^#+ `)
)

// TestDefaults: the READMEs of the components say the defaults that the components have.
func TestDefaults(t *testing.T) {
	for folder, cfg := range map[string]component.Config{
		"receiver/mcpreceiver":       mcpreceiver.NewFactory().CreateDefaultConfig(),
		"processor/mcpprocessor":     mcpprocessor.NewFactory().CreateDefaultConfig(),
		"exporter/inspectorexporter": inspectorexporter.NewFactory().CreateDefaultConfig(),
	} {
		conf := confmap.New()
		require.NoError(t, conf.Marshal(cfg))
		text, err := os.ReadFile(filepath.Join(root, folder, "README.md"))
		require.NoError(t, err)
		part, compared := "", 0
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if heading.MatchString(line) {
				part = ""
			}
			if of := partOf.FindStringSubmatch(line); of != nil {
				part = of[1] + "::"
			}
			row := keyRow.FindStringSubmatch(line)
			if len(row) == 0 || !conf.IsSet(part+row[1]) {
				continue
			}
			if of, ok := conf.Get(part + row[1]).(map[string]any); ok && len(of) > 0 {
				continue // several keys
			}
			compared++
			assert.Equal(t, documented(conf.Get(part+row[1])), strings.ReplaceAll(row[2], ", ", " "), "%s: %s%s", folder, part, row[1])
		}
		t.Logf("%s: %d", folder, compared)
		assert.GreaterOrEqual(t, compared, 4, folder)
	}
}

// documented is a value as READMEs write it.
func documented(value any) string {
	if _, ok := value.(map[string]any); ok {
		return "{}"
	}
	d, ok := value.(time.Duration)
	if !ok {
		return fmt.Sprint(value)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
