package kubernetes

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"k8s.io/apimachinery/pkg/util/yaml"
)

var update = flag.Bool("update", false, "write the chart's templates and files from the manifests")

// inChart says which configuration in config/scale each part of the chart runs.
var inChart = map[string]string{"agent": "receiver", "gateway": "gateway", "stitcher": "stitcher"}

// TestChartIsWrittenFromTheManifests: what is committed is what the manifests give.
func TestChartIsWrittenFromTheManifests(t *testing.T) {
	want := map[string]string{}
	for name, text := range templates(t) {
		want[filepath.Join("templates", name)] = text
	}
	for part, config := range inChart {
		text, err := os.ReadFile(filepath.Join("..", "..", "config", "scale", config+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		want[filepath.Join("files", part+".yaml")] = string(text)
	}
	for name, text := range want {
		path := filepath.Join(chart, name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("%s is not what the manifests give (%v): go test -run Chart -update", path, err)
		}
	}
}

func TestChartLints(t *testing.T) {
	linter := lint.All(chart, nil, "otelcol-mcp", true)
	for _, message := range linter.Messages {
		if message.Severity >= support.WarningSev {
			t.Error(message)
		}
	}
}

// render is what helm install would send to the server.
func render(t *testing.T, values map[string]any) map[string][]byte {
	t.Helper()
	loaded, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: "release", Namespace: "otelcol-mcp", IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := engine.Render(loaded, all)
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string][]byte{}
	for file, text := range rendered {
		if strings.HasSuffix(file, ".yaml") {
			each(t, filepath.Base(file), text, documents)
		}
	}
	return documents
}

// each splits a rendered file; an empty one has no documents.
func each(t *testing.T, file, text string, into map[string][]byte) {
	t.Helper()
	reader := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(text)))
	for {
		document := make([]byte, len(text)+1)
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(file, err)
		}
		if strings.TrimSpace(string(document[:n])) != "" {
			named(t, file, document[:n], into)
		}
	}
}

// custom are values that change all that can be changed.
func custom() map[string]any {
	part := map[string]any{
		"podAnnotations": map[string]any{"prometheus.io/scrape": "true"}, "nodeSelector": map[string]any{"disk": "ssd"},
		"env":         []any{map[string]any{"name": "OTLP_INSECURE", "value": "false"}},
		"tolerations": []any{map[string]any{"operator": "Exists"}}, "affinity": map[string]any{"nodeAffinity": map[string]any{}},
	}
	return map[string]any{
		"prefix": "", "agent": part, "gateway": part, "stitcher": part, "imagePullSecrets": []any{map[string]any{"name": "registry"}},
		"image": map[string]any{"tag": "1.2.3"}, "config": map[string]any{"agent": "receivers: {}\n"},
	}
}

// TestTheServerTakesTheChart: with its defaults, with everything changed, and without Kafka.
func TestTheServerTakesTheChart(t *testing.T) {
	for name, values := range map[string]map[string]any{
		"default": {}, "custom": custom(), "without Kafka": {"kafka": false},
	} {
		t.Run(name, func(t *testing.T) {
			documents := render(t, values)
			for name, document := range documents {
				warnings, err := create(document)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, warning := range warnings {
					t.Error("warning:", name, warning)
				}
			}
			pods := podsIn(t, documents)
			if len(pods) != map[bool]int{true: 1, false: 3}[values["kafka"] == false] {
				t.Error("workloads:", len(pods))
			}
			for name, pod := range pods {
				for _, violation := range violations(t, pod) {
					t.Errorf("%s: %s", name, violation)
				}
				for _, container := range pod.Spec.Containers {
					assertHardened(t, container)
					assertProbed(t, container)
					assertLimited(t, container)
				}
			}
		})
	}
}

// TestTheChartIsTheManifests: without what only the chart has, and with their names.
func TestTheChartIsTheManifests(t *testing.T) {
	want := documents(t)
	got := render(t, map[string]any{"prefix": "", "image": map[string]any{"repository": "otelcol-mcp"}})
	compared := 0
	for name, document := range got {
		kind, object := strings.Fields(name)[1], strings.Fields(name)[2]
		for manifest, text := range want {
			if strings.HasSuffix(manifest, " "+kind+" "+object) {
				compared++
				if a, b := plain(t, document), plain(t, text); !reflect.DeepEqual(a, b) {
					t.Errorf("%s differs:\n%v\n%v", name, a, b)
				}
			}
		}
	}
	// All but the namespace, which is helm's to make.
	if compared != len(got) || compared != len(want)-1 {
		t.Errorf("compared %d of %d objects of the chart with %d manifests", compared, len(got), len(want))
	}
}

// plain is an object without what only the chart has.
func plain(t *testing.T, document []byte) (object map[string]any) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(string(document)) {
		if strings.Contains(line, "app.kubernetes.io/instance:") || strings.Contains(line, "checksum/config:") ||
			strings.Contains(line, "imagePullPolicy:") {
			continue
		}
		lines = append(lines, strings.Replace(line, "image: \"otelcol-mcp:0.1.0\"", "image: otelcol-mcp", 1))
	}
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "")), &object); err != nil {
		t.Fatal(err)
	}
	withoutNull(object)
	if data, ok := object["data"].(map[string]any); ok && data["config.yaml"] != nil {
		// The end of a document that is split off is not that of its text.
		data["config.yaml"] = strings.TrimSpace(data["config.yaml"].(string))
	}
	return object
}

// withoutNull drops the keys whose only value was dropped.
func withoutNull(object map[string]any) {
	for key, value := range object {
		if value == nil {
			delete(object, key)
		}
		if inner, ok := value.(map[string]any); ok {
			withoutNull(inner)
		}
	}
}

// TestChartHasNoBlankLines that templates leave behind where a list goes on.
func TestChartHasNoBlankLines(t *testing.T) {
	for name, document := range render(t, custom()) {
		if strings.Contains(name, "ConfigMap") {
			continue
		}
		if bytes.Contains(bytes.TrimSpace(document), []byte("\n\n")) {
			t.Errorf("%s has blank lines:\n%s", name, document)
		}
	}
}
