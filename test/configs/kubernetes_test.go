package configs

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var update = flag.Bool("update", false, "write the ConfigMaps for Kubernetes anew")

// inKubernetes says which of the configurations in config/scale each workload runs.
var inKubernetes = [][2]string{{"agent", "receiver.yaml"}, {"gateway", "gateway.yaml"}, {"stitcher", "stitcher.yaml"}}

var configMaps = filepath.Join(harness.Root, "deploy", "kubernetes", "configmaps.yaml")

// What runs in Kubernetes is the very text that is tested elsewhere, and the binary takes it from there.
func TestKubernetesConfigMaps(t *testing.T) {
	var want strings.Builder
	want.WriteString("# Copies of config/scale; go test ./test/configs -run Kubernetes -update writes them.\n")
	for i, each := range inKubernetes {
		if i > 0 {
			want.WriteString("---\n")
		}
		want.WriteString(configMap(t, each[0], each[1]))
	}
	if *update {
		require.NoError(t, os.WriteFile(configMaps, []byte(want.String()), 0o600))
	}
	text, err := os.ReadFile(configMaps)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "run go test ./test/configs -run Kubernetes -update")

	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	for _, each := range inKubernetes {
		var found struct{ Data map[string]string }
		require.NoError(t, decoder.Decode(&found))
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(found.Data["config.yaml"]), 0o600))
		out, err := command(t, environment(t, each[0]), "validate", "--config", path)
		assert.NoError(t, err, "%s: %s", each[0], out)
	}
}

// TestChartConfigs: what each option of the chart merges over embedded:default is valid.
func TestChartConfigs(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join(harness.Root, "test", "kubernetes", "testdata", "*.golden"))
	require.NoError(t, err)
	validated := 0
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		require.NoError(t, err)
		_, config, found := strings.Cut(string(text), "\n  config.yaml: |\n")
		if !found {
			continue
		}
		config, _, _ = strings.Cut(config, "\n---")
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll("\n"+config, "\n    ", "\n")), 0o600))
		out, err := command(t, []string{"LISTEN_HOST=0.0.0.0"}, "validate", "--config", "embedded:default", "--config", path)
		assert.NoError(t, err, "%s: %s\n%s", golden, out, config)
		validated++
	}
	assert.Equal(t, 4, validated)
}

func configMap(t *testing.T, name, config string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root, "config", "scale", config))
	require.NoError(t, err)
	indented := strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n    ")
	return strings.NewReplacer("NAME", name, "TEXT", strings.ReplaceAll(indented, "\n    \n", "\n\n")).Replace(`apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME
  namespace: otelcol-mcp
data:
  config.yaml: |
    TEXT
`)
}

// environment returns what the manifest gives the container, with an address for the pod.
func environment(t *testing.T, workload string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root, "deploy", "kubernetes", workload+".yaml"))
	require.NoError(t, err)
	var manifest struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Env []struct{ Name, Value string }
					}
				}
			}
		}
	}
	require.NoError(t, yaml.NewDecoder(strings.NewReader(string(text))).Decode(&manifest))
	env := []string{"LISTEN_HOST=10.1.2.3"}
	for _, variable := range manifest.Spec.Template.Spec.Containers[0].Env {
		if variable.Value != "" {
			env = append(env, variable.Name+"="+variable.Value)
		}
	}
	require.Greater(t, len(env), 2)
	return env
}
