package release

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

func dist(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("DIST")
	if folder == "" {
		t.Skip("DIST names no folder: run make checkdist")
	}
	folder, err := filepath.Abs(folder)
	require.NoError(t, err)
	return folder
}

// one is the only file that matches.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, found, 1, pattern)
	return found[0]
}

func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), name, arguments...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, arguments, text)
	return string(text)
}

// TestFiles: archives, three kinds of packages of both programs, what is in them, and checksums that are right.
func TestFiles(t *testing.T) {
	folder := dist(t)
	for _, name := range []string{"otelcol-mcp", "mcptap"} {
		for _, pattern := range []string{"_*.deb", "-*.rpm", "_*.apk", "_*.cdx.json"} {
			one(t, filepath.Join(folder, name+pattern))
		}
	}
	file, err := os.Open(filepath.Join(folder, "checksums.txt"))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for ; lines.Scan(); n++ {
		sum, name, found := strings.Cut(lines.Text(), "  ")
		require.True(t, found)
		if name == "install.sh" {
			name = filepath.Join(harness.Root, name)
		} else {
			name = filepath.Join(folder, name)
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		got := sha256.Sum256(text)
		assert.Equal(t, sum, hex.EncodeToString(got[:]), name)
	}
	assert.GreaterOrEqual(t, n, 9)
	cask, err := os.ReadFile(one(t, filepath.Join(folder, "homebrew", "Casks", "*.rb")))
	require.NoError(t, err)
	assert.Contains(t, string(cask), `cask "otelcol-mcp" do`)
}

// TestArchive: both programs run from it and tell version, commit and date.
func TestArchive(t *testing.T) {
	folder, dir := dist(t), t.TempDir()
	output(t, "tar", "-xzf", one(t, filepath.Join(folder, "otelcol-mcp_*.tar.gz")), "-C", dir)
	for _, name := range []string{"otelcol-mcp", "mcptap"} {
		assert.Regexp(t, `^`+name+` version \d+\.\d+\.\d+\S*, commit [0-9a-f]{12}, \d{4}-\d\d-\d\dT\S+\n$`,
			output(t, filepath.Join(dir, name), "--version"))
	}
	for _, name := range []string{"LICENSE", "README.md", "config/default.yaml", "deploy/prometheus/alerts.yaml", "deploy/grafana/dashboards/fleet.json"} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
}

// TestSBOM: it names modules that are in the binary.
func TestSBOM(t *testing.T) {
	text, err := os.ReadFile(one(t, filepath.Join(dist(t), "otelcol-mcp_*.cdx.json")))
	require.NoError(t, err)
	var bom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal(text, &bom))
	assert.Equal(t, "CycloneDX", bom.Format)
	names := map[string]bool{}
	for _, component := range bom.Components {
		names[component.Name] = true
	}
	assert.True(t, names["go.opentelemetry.io/collector/otelcol"])
}

// TestUnit: systemd itself reads the unit, and finds little that it could do.
func TestUnit(t *testing.T) {
	analyze := harness.LookPath(t, "systemd-analyze")
	unit := filepath.Join(harness.Root, "packaging", "systemd", "otelcol-mcp.service")
	security := output(t, analyze, "security", "--offline=true", "--no-pager", "--threshold=20", unit)
	t.Log(security[max(0, strings.LastIndex(security, "→")):])
}

// TestServiceIsOffUntilAskedFor: installing and upgrading starts and enables nothing, removing stops and disables.
func TestServiceIsOffUntilAskedFor(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "run", "systemd", "system"), 0o755))
	bin, calls := t.TempDir(), filepath.Join(root, "calls")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\necho \"$@\" >> "+calls+"\n"), 0o755))
	for script, test := range map[string]struct{ argument, want string }{
		"postinstall.sh": {"configure", "daemon-reload\ntry-restart otelcol-mcp.service\n"},
		"preremove.sh":   {"remove", "disable --now otelcol-mcp.service\n"},
		"postremove.sh":  {"remove", "daemon-reload\n"},
	} {
		require.NoError(t, os.WriteFile(calls, nil, 0o600))
		cmd := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(harness.Root, "packaging", "scripts", script), test.argument)
		cmd.Env = append(os.Environ(), "DPKG_ROOT="+root, "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", script, out)
		called, err := os.ReadFile(calls)
		require.NoError(t, err)
		assert.Equal(t, test.want, string(called), script)
	}
}

// installed is a folder with a Debian package in it.
type installed struct{ root, deb string }

func (i *installed) dpkg(t *testing.T, arguments ...string) string {
	t.Helper()
	return output(t, harness.LookPath(t, "dpkg"), append([]string{"--root=" + i.root, "--force-script-chrootless", "--force-not-root"}, arguments...)...)
}

func install(t *testing.T) *installed {
	t.Helper()
	if os.Getuid() != 0 {
		harness.Missing(t, "dpkg installs for root only")
	}
	i := &installed{t.TempDir(), one(t, filepath.Join(dist(t), "otelcol-mcp_*.deb"))}
	for _, dir := range []string{"info", "updates", "triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(i.root, "var", "lib", "dpkg", dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(i.root, "var", "lib", "dpkg", "status"), nil, 0o600))
	i.dpkg(t, "--install", i.deb)
	return i
}

// TestDebianPackage installs it in a folder, runs what the unit runs as the unit runs it, and purges it.
func TestDebianPackage(t *testing.T) {
	i := install(t)
	assert.Contains(t, i.dpkg(t, "--status", "otelcol-mcp"), "Status: install ok installed")
	command, env := i.unit(t)
	health := harness.FreeAddress(t)
	moved := fmt.Sprintf(`yaml:
receivers: {mcp: {http: {endpoint: "%s"}, otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}}
exporters: {mcp_inspector: {http: {endpoint: "localhost:0"}}, prometheus: {endpoint: "localhost:0"}}
extensions: {healthcheckv2: {http: {endpoint: "%s"}}}
service: {telemetry: {metrics: {level: none, readers: []}}}
`, harness.FreeAddress(t), health)
	p := harness.Start(t, "otelcol-mcp", command[0], env, append(command[1:], "--config", moved))
	p.Ready(t, func() bool { return harness.HTTPOK("http://" + health + "/status") })
	p.Terminate(t)
	assert.DirExists(t, filepath.Join(i.root, "var", "lib", "otelcol-mcp", "sessions"), "what StateDirectory= makes")

	i.dpkg(t, "--purge", "otelcol-mcp")
	var left []string
	require.NoError(t, filepath.WalkDir(i.root, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, "otelcol-mcp") {
			left = append(left, path)
		}
		return err
	}))
	assert.Empty(t, left)
}

// unit returns what the unit's command is with the variables that systemd would fill in.
func (i *installed) unit(t *testing.T) (command, env []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(i.root, "usr/lib/systemd/system/otelcol-mcp.service"))
	require.NoError(t, err)
	settings := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			settings[key] = value
		}
	}
	options, err := os.ReadFile(filepath.Join(i.root, settings["EnvironmentFile"]))
	require.NoError(t, err)
	match := regexp.MustCompile(`(?m)^OTELCOL_MCP_OPTIONS="(.*)"$`).FindSubmatch(options)
	require.NotNil(t, match)
	command = strings.Fields(strings.Replace(settings["ExecStart"], "$OTELCOL_MCP_OPTIONS", string(match[1]), 1))
	command[0] = filepath.Join(i.root, command[0])
	return command, []string{strings.Replace(settings["Environment"], "%S", filepath.Join(i.root, "var", "lib"), 1)}
}
