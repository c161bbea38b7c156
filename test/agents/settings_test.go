package agents

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// tree maps the paths of files to their contents.
type tree map[string]string

// settings are the files that there are, but for what mcptap notes for itself. They are
// read while the agent has not run, so that there is nothing else.
func (s *scene) settings(t *testing.T) tree {
	t.Helper()
	own := filepath.Join(s.home, ".local", "state")
	files := tree{}
	for _, dir := range []string{s.home, s.project} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(path, own) {
				return err
			}
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		}))
	}
	return files
}

// again reads the same files; those that are gone are absent.
func (files tree) again(t *testing.T) tree {
	t.Helper()
	now := tree{}
	for path := range files {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		now[path] = string(text)
	}
	return now
}

// changed are the files that have something else in them now, or are new.
func (files tree) changed(now tree) tree {
	found := maps.Clone(now)
	maps.DeleteFunc(found, func(path, text string) bool { before, was := files[path]; return was && before == text })
	return found
}

// rehearse lets mcptap show what it would do to all agents, which changes nothing.
func (s *scene) rehearse(t *testing.T, hooks, otlp string) {
	t.Helper()
	s.before = s.settings(t)
	output := s.mcptap(t, "connect", "--all", "--dry-run", "--endpoint", hooks, "--otlp-endpoint", otlp)
	require.Contains(t, output, "Dry run: no file was changed.")
	require.Equal(t, s.before, s.settings(t))
}

// recheck looks at what mcptap says after the agent has run, and takes all back: what the
// agent did not change itself is again as it was before, to the byte.
func (s *scene) recheck(t *testing.T, c *collector) {
	t.Helper()
	now := s.after.again(t)
	require.Contains(t, s.mcptap(t, s.connectArgs...), "already connected")
	require.Contains(t, s.mcptap(t, "connect", s.agent.name, "--undo", "--dry-run"), "Dry run: no file was changed.")
	require.Equal(t, now, s.after.again(t), "files that mcptap was not to change")
	s.checkStatus(t, c)
	s.mcptap(t, "connect", s.agent.name, "--undo")
	undone := s.after.again(t)
	for path, text := range s.before.changed(s.after) {
		name := strings.TrimPrefix(path, filepath.Dir(s.home))
		if now[path] == text {
			before, was := s.before[path]
			after, is := undone[path]
			assert.Equal(t, was, is, "%s is there", name)
			assert.Equal(t, before, after, name)
			continue
		}
		t.Logf("%s has changed %s itself", s.agent.title, name)
		assert.NotContains(t, undone[path], harness.Tap(t), name)
		assert.NotContains(t, undone[path], c.base, name)
	}
}

// checkStatus wants mcptap status to say that the agent is connected, and was heard.
func (s *scene) checkStatus(t *testing.T, c *collector) {
	t.Helper()
	var report struct {
		Services []struct {
			Name    string
			Answers bool
		}
		Agents []struct {
			Name, Connected string
			LastHeard       time.Time `json:"last_heard"`
		}
	}
	output, _ := s.tap(t, "status", "--json", "--endpoint", c.base, "--otlp-endpoint", c.otlp, "--web-ui", c.gateway).Output()
	require.NoError(t, json.Unmarshal(output, &report), "%s", output)
	for _, service := range report.Services {
		assert.True(t, service.Answers, "%s", output)
	}
	for _, a := range report.Agents {
		if a.Name == s.agent.name {
			assert.Equal(t, "yes", a.Connected, "%s", output)
			assert.False(t, a.LastHeard.IsZero(), "%s", output)
			return
		}
	}
	assert.Fail(t, "the agent is not found", "%s", output)
}
