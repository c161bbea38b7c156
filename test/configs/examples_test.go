package configs

import (
	stdpem "encoding/pem"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// example is a command in a comment or document, or a configuration in a document.
type example struct {
	file, text string
}

var (
	// A command begins where the text before it ends, and goes on behind a backslash.
	commands = regexp.MustCompile("(?m)(?:^|[ `])(?:bin/)?(otelcol-mcp (?:print-config |validate )?--config (?:[^\n`\\\\]|\\\\\n)*)")
	comment  = regexp.MustCompile(`(?m)^ *# ?`)
	blocks   = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)\n *```")
	named    = regexp.MustCompile("`([a-z]+\\.yaml)`|([a-z]+\\.yaml):?\n+ *```yaml")
)

// TestExampleCommands runs each command as its shell would, but that the collector only checks what it
// would start with.
func TestExampleCommands(t *testing.T) {
	found := commandsIn(t)
	require.Greater(t, len(found), 10)
	checked := map[string]bool{} // commands that need no file of their document
	for _, e := range found {
		if checked[e.text] {
			continue
		}
		checked[e.text] = !strings.Contains(e.text, ".yaml")
		t.Run(filepath.Base(e.file), func(t *testing.T) {
			out, err := runExample(t, e)
			assert.NoError(t, err, "%s: %s\n%s", e.file, e.text, out)
		})
	}
}

// runExample runs the command in a folder with the configurations that its document shows.
func runExample(t *testing.T, e example) (string, error) {
	dir := t.TempDir()
	for name, text := range shown(t, e.file) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	binary, err := filepath.Abs(harness.Collector(t))
	require.NoError(t, err)
	script := "otelcol-mcp() { case $1 in print-config|validate) \"$BINARY\" \"$@\";; *) \"$BINARY\" validate \"$@\";; esac; }\n" + e.text
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "BINARY="+binary, "HOME="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// commandsIn are the commands in comments of configurations and in documents.
func commandsIn(t *testing.T) (found []example) {
	for _, path := range append(shipped(t), documents(t)...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		plain := string(text)
		if filepath.Ext(path) == ".yaml" {
			plain = comment.ReplaceAllString(plain, "")
		}
		for _, match := range commands.FindAllStringSubmatch(plain, -1) {
			if !strings.Contains(match[1], "…") {
				found = append(found, example{path, strings.TrimRight(match[1], ".),")})
			}
		}
	}
	return found
}

// shown are the configurations in a document that have a name there.
func shown(t *testing.T, path string) map[string]string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	files := map[string]string{}
	all := blocks.FindAllStringSubmatchIndex(string(text), -1)
	for _, at := range all {
		before := string(text[max(0, at[0]-400):at[0]]) + "```yaml"
		if names := named.FindAllStringSubmatch(before, -1); len(names) > 0 {
			last := names[len(names)-1]
			files[last[1]+last[2]] = string(text[at[4]:at[5]])
		}
	}
	return files
}

// webhookSecret is one as documents ask you for.
const webhookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// sections lists the sections of a collector's configuration.
var sections = map[string]bool{"receivers": true, "processors": true, "exporters": true, "connectors": true, "extensions": true, "service": true}

// TestExampleConfigurations lets the collector check what documents show: a whole configuration by
// itself, a part on top of the default.
func TestExampleConfigurations(t *testing.T) {
	checked := 0
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			text := strings.ReplaceAll("\n"+block[2], "\n"+block[1], "\n")
			if args := checking(t, text); args != nil {
				checked++
				out, err := command(t, []string{"HOME=" + t.TempDir(), "MCP_WEBHOOK_SECRET=" + webhookSecret}, args...)
				assert.NoError(t, err, "%s: %s\n%s", path, text, out)
			}
		}
	}
	require.Greater(t, checked, 3)
}

// checking are the arguments that check the text, nil if that configures something else.
func checking(t *testing.T, text string) []string {
	var c map[string]any
	if yaml.Unmarshal([]byte(text), &c) != nil || len(c) == 0 {
		return nil
	}
	for section, value := range c {
		if _, list := value.([]any); list || !sections[section] {
			return nil
		}
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	text = caFile.ReplaceAllString(text, "ca_file: "+authority(t))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	service, _ := c["service"].(map[string]any)
	if c["receivers"] != nil && c["exporters"] != nil && service["pipelines"] != nil {
		return []string{"validate", "--config", path}
	}
	return []string{"validate", "--config", "embedded:default", "--config", "yaml:exporters::otlp_grpc::endpoint: localhost:4317", "--config", path}
}

var caFile = regexp.MustCompile(`ca_file: .*`)

// authority is a file with the certificate of an authority.
func authority(t *testing.T) string {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "ca.pem")
	text := stdpem.EncodeToMemory(&stdpem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// documents are the Markdown files of the repository.
func documents(t *testing.T) (files []string) {
	require.NoError(t, filepath.WalkDir(harness.Root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == "testdata"):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			files = append(files, path)
		}
		return nil
	}))
	return files
}
