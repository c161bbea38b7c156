package service

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// system notes the commands that would run.
type system struct {
	ran    []string
	answer string
	err    error
}

func (s *system) run(_ context.Context, command ...string) ([]byte, error) {
	s.ran = append(s.ran, strings.Join(command, " "))
	return []byte(s.answer), s.err
}

func newService(t *testing.T, os string) (*Service, *system) {
	t.Helper()
	fake := &system{}
	return &Service{
		Home: t.TempDir(), OS: os, UID: 501, Env: func(string) string { return "" }, Run: fake.run,
		Command: []string{`/opt/my "tools"/otelcol-mcp`, "--config", "yaml:a: 100%$HOME <&>"},
	}, fake
}

// Installing writes one file and starts the service; installing again renews it; uninstalling
// leaves nothing.
func TestThereAndBack(t *testing.T) {
	for name, want := range map[string]struct {
		file       string
		start, end []string
	}{
		"linux": {
			".config/systemd/user/otelcol-mcp.service",
			[]string{"systemctl --user daemon-reload", "systemctl --user enable otelcol-mcp.service", "systemctl --user restart otelcol-mcp.service"},
			[]string{"systemctl --user disable --now otelcol-mcp.service", "systemctl --user daemon-reload"},
		},
		"darwin": {
			"Library/LaunchAgents/io.github.otelcol-mcp.otelcol-mcp.plist",
			[]string{"launchctl bootstrap gui/501 FILE"},
			[]string{"launchctl bootout gui/501/io.github.otelcol-mcp.otelcol-mcp"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, fake := newService(t, name)
			file := filepath.Join(s.Home, want.file)
			for i := range want.start {
				want.start[i] = strings.ReplaceAll(want.start[i], "FILE", file)
			}
			require.NoError(t, s.Install(t.Context()))
			assert.Equal(t, want.start, fake.ran)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(s.Text()), string(text))
			require.NoError(t, s.Install(t.Context()), "once more")

			fake.ran = nil
			require.NoError(t, s.Uninstall(t.Context()))
			assert.Equal(t, want.end, fake.ran)
			assert.NoFileExists(t, file)
			require.NoError(t, s.Uninstall(t.Context()), "what is not there need not be removed")
		})
	}
}

func TestText(t *testing.T) {
	s, _ := newService(t, "linux")
	assert.Contains(t, string(s.Text()), "\nExecStart=\"/opt/my \\\"tools\\\"/otelcol-mcp\" \"--config\" \"yaml:a: 100%%$$HOME <&>\"\n")
	s.OS = "darwin"
	assert.Contains(t, string(s.Text()), "<string>yaml:a: 100%$HOME &lt;&amp;&gt;</string>\n")
	for d := xml.NewDecoder(strings.NewReader(string(s.Text()))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if !assert.NoError(t, err) {
			break
		}
	}
}

// A file of the user's own stays.
func TestForeignFile(t *testing.T) {
	s, fake := newService(t, "linux")
	path, err := s.Path()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("[Unit]\n"), 0o600))
	require.ErrorIs(t, s.Install(t.Context()), errForeign)
	require.ErrorIs(t, s.Uninstall(t.Context()), errForeign)
	assert.Empty(t, fake.ran)
	assert.FileExists(t, path)
}

// Without systemd the error says what is done and what is not.
func TestWithoutSystem(t *testing.T) {
	s, fake := newService(t, "linux")
	fake.err, fake.answer = errors.New("exit status 1"), "Failed to connect to bus\n"
	err := s.Install(t.Context())
	require.ErrorContains(t, err, "otelcol-mcp.service is written, but systemctl --user daemon-reload failed: exit status 1 Failed to connect to bus")
	require.ErrorContains(t, s.Uninstall(t.Context()), "is removed, but systemctl")
	s.OS = "windows"
	require.ErrorIs(t, s.Install(t.Context()), ErrUnsupported)
}

func TestState(t *testing.T) {
	s, fake := newService(t, "linux")
	for answer, want := range map[string]string{"active\n": "active", "failed\n": "failed", "": "unknown", "a\nb\n": "unknown"} {
		fake.answer = answer
		assert.Equal(t, want, s.State(t.Context()))
	}
	s.OS = "darwin"
	fake.answer = "x = {\n\tstate = running\n\tpid = 1\n}"
	assert.Equal(t, "running", s.State(t.Context()))
	fake.err = errors.New("exit status 113")
	assert.Equal(t, "inactive", s.State(t.Context()))
}
