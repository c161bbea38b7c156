package mcpreceiver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
)

// Several sessions may share a trace file: spans without session.id belong to their
// traces, and are not named after the file.
func TestSpansOfASharedTraceFile(t *testing.T) {
	dir := t.TempDir()
	bare := strings.ReplaceAll(fileRoot, `"session.id":"s-1"`, "")
	other := strings.ReplaceAll(bare, "6512e41a04b93caed27aab2721422e75", "7512e41a04b93caed27aab2721422e75")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "worker-1.jsonl"), []byte(bare+"\n"+other+"\n"), 0o600))
	cfg := quiet()
	cfg.TraceFiles.Include = []string{filepath.Join(dir, "*.jsonl")}
	_, sink := startSources(t, cfg, componenttest.NewNopHost())
	eventually(t, "both are read", func() bool { return sink.count("workflow.run") == 2 })
	sink.mu.Lock()
	defer sink.mu.Unlock()
	spans := spansOf(sink.traces)
	assert.NotEqual(t, spans[0].TraceID(), spans[1].TraceID())
	for _, span := range spans {
		assert.Empty(t, span.Attributes().AsRaw())
	}
}
