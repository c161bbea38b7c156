//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A service is shown, installed, and gone again. systemctl is one that notes what it is asked.
func TestServiceCommand(t *testing.T) {
	home := newHome(t, tree{"bin/systemctl": "#!/bin/sh\necho \"$@\" >> \"$HOME/ran\"\necho active\n", "bin/otelcol-mcp": "", "my.yaml": ""})
	t.Setenv("PATH", home+"/bin:"+os.Getenv("PATH"))
	for _, name := range []string{"systemctl", "otelcol-mcp"} {
		require.NoError(t, os.Chmod(filepath.Join(home, "bin", name), 0o700))
	}
	t.Chdir(home)
	run := func(args ...string) (string, int) {
		cmd, code := root()
		var b bytes.Buffer
		cmd.SetOut(&b)
		cmd.SetArgs(append([]string{"service"}, args...))
		require.NoError(t, cmd.Execute())
		return strings.ReplaceAll(b.String(), home, goldenHome), *code
	}
	before := readTree(t, home)
	const unit = "/home/me/.config/systemd/user/otelcol-mcp.service"
	out, code := run("status")
	assert.Equal(t, "The service is not installed. To install it: mcptap service install\n", strings.ReplaceAll(out, commandName(), "mcptap"))
	assert.Equal(t, exitPartly, code)
	out, _ = run("install", "--config", "my.yaml", "--config", "yaml:a: 1", "--dry-run")
	assert.Contains(t, out, unit+":\n# Written by mcptap service install.")
	assert.Contains(t, out, `ExecStart="/home/me/bin/otelcol-mcp" "--config" "/home/me/my.yaml" "--config" "yaml:a: 1"`+"\n")
	assert.Contains(t, out, "\nrun systemctl --user enable otelcol-mcp.service\n")
	out, _ = run("uninstall")
	assert.Equal(t, "The service is not installed: nothing to undo.\n", out)
	assert.Equal(t, before, readTree(t, home), "nothing is written")

	out, _ = run("install")
	assert.Contains(t, out, unit+": written; the collector starts now and when you log in.\n")
	text, err := os.ReadFile(strings.ReplaceAll(unit, goldenHome, home))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"--config" "embedded:default"`)
	out, _ = run("status")
	assert.Contains(t, out, unit+": active\n")
	out, _ = run("uninstall", "--dry-run")
	assert.Equal(t, "run systemctl --user disable --now otelcol-mcp.service\nremove "+unit+"\n", out)
	out, _ = run("uninstall")
	assert.Equal(t, unit+": removed\n", out)
	assert.NoFileExists(t, strings.ReplaceAll(unit, goldenHome, home))
	ran, err := os.ReadFile(filepath.Join(home, "ran"))
	require.NoError(t, err)
	assert.Contains(t, string(ran), "--user restart otelcol-mcp.service\n")
	assert.Contains(t, string(ran), "--user disable --now otelcol-mcp.service\n")
}
