package tap

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// It is copied to where servers run: small, static, and without a collector.
func TestBinaryIsSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcptap")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/mcptap")
	build.Dir, build.Env = harness.Root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(12<<20))
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for _, p := range f.Progs {
		assert.NotEqual(t, elf.PT_INTERP, p.Type, "it wants a dynamic linker")
	}
	list := exec.Command("go", "list", "-deps", "./cmd/mcptap")
	list.Dir = harness.Root
	deps, err := list.Output()
	require.NoError(t, err)
	assert.NotContains(t, string(deps), "go.opentelemetry.io/")
	ours := []string{"observation", "jsonscan", "identity", "mask", "process", "version"}
	for dep := range strings.FieldsSeq(string(deps)) {
		if inside, ok := strings.CutPrefix(dep, "github.com/otelcol-mcp/otelcol-mcp/internal/"); ok {
			assert.Contains(t, ours, inside)
		}
	}
}
