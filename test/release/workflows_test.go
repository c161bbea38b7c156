package release

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var (
	uses   = regexp.MustCompile(`(?m)^\s*-?\s*uses: (.*)$`)
	pinned = regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestWorkflows: each may only read unless a job asks for more, and runs actions that cannot change.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(harness.Root, ".github", "workflows", "*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var workflow struct {
				Permissions map[string]string
				Jobs        map[string]struct {
					Timeout int `yaml:"timeout-minutes"`
				}
			}
			require.NoError(t, yaml.Unmarshal(text, &workflow))
			assert.Equal(t, map[string]string{"contents": "read"}, workflow.Permissions)
			for name, job := range workflow.Jobs {
				assert.NotZero(t, job.Timeout, name)
			}
			for _, match := range uses.FindAllStringSubmatch(string(text), -1) {
				assert.Regexp(t, pinned, match[1])
			}
		})
	}
}
