package kubernetes

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
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

// inChart are the sources of the chart's files: helm reads nothing outside of the chart.
var inChart = map[string]string{
	"agent": "config/scale/receiver.yaml", "gateway": "config/scale/gateway.yaml", "stitcher": "config/scale/stitcher.yaml",
	"alerts": "deploy/prometheus/alerts.yaml",
}

// TestChartIsWrittenFromTheManifests: what is committed is what the manifests give.
func TestChartIsWrittenFromTheManifests(t *testing.T) {
	want := map[string]string{}
	for name, text := range templates(t) {
		want[filepath.Join("templates", name)] = text
	}
	for part, source := range inChart {
		text, err := os.ReadFile(filepath.Join("..", "..", source))
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

// release is the name in most tests.
const release = "demo"

// files returns what helm install of a release would send to the server, by template, and its notes.
func files(t *testing.T, name string, values map[string]any) (map[string]string, error) {
	t.Helper()
	loaded, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: name, Namespace: "otelcol-mcp", IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, all)
}

// render gives the objects of a release one by one.
func render(t *testing.T, values map[string]any) map[string][]byte {
	t.Helper()
	return objects(t, release, values)
}

func objects(t *testing.T, name string, values map[string]any) map[string][]byte {
	t.Helper()
	rendered, err := files(t, name, values)
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

type values = map[string]any

// part are values of what runs pods.
func part() values {
	return values{
		"podAnnotations": values{"example.com/team": "agents"}, "nodeSelector": values{"disk": "ssd"},
		"env":         []any{values{"name": "OTLP_INSECURE", "value": "false"}},
		"tolerations": []any{values{"operator": "Exists"}}, "affinity": values{"nodeAffinity": values{}},
	}
}

// with is a with the keys of b.
func with[T any](a, b map[string]T) map[string]T {
	maps.Copy(a, b)
	return a
}

var everybody = []any{values{"namespaceSelector": values{}}}

// cases are the options of the chart, each with what it changes.
func cases() map[string]values {
	return map[string]values{
		"default":         {},
		"backend":         {"backend": values{"endpoint": "tempo.observability.svc:4317", "insecure": true, "logs": false}},
		"config":          {"config": values{"receivers": values{"mcp": values{"capture": values{"payloads": false}}}}, "backend": values{"endpoint": "otlp.example.com:4317"}},
		"no-persistence":  {"persistence": values{"enabled": false}},
		"existing-claim":  {"persistence": values{"existingClaim": "mine"}},
		"storage-class":   {"persistence": values{"storageClass": "fast", "size": "1Gi"}},
		"network-policy":  {"networkPolicy": values{"senders": everybody, "readers": everybody}},
		"no-policy":       {"networkPolicy": values{"enabled": false}},
		"service-monitor": {"serviceMonitor": values{"enabled": true, "interval": "15s", "labels": values{"release": "prometheus"}}},
		"rules":           {"rules": values{"enabled": true, "labels": values{"release": "prometheus"}}},
		"pods": with(part(), values{
			"fullnameOverride": "agents", "imagePullSecrets": []any{values{"name": "registry"}}, "image": values{"tag": "1.2.3"},
			"service": values{"type": "NodePort"},
		}),
		"scale": {"scale": values{"enabled": true}},
		"scale-pods": {
			"imagePullSecrets": []any{values{"name": "registry"}}, "image": values{"tag": "1.2.3"},
			"serviceMonitor": values{"enabled": true}, "networkPolicy": values{"enabled": false},
			"scale": values{"enabled": true, "agent": with(part(), values{"config": "receivers: {}\n"}), "gateway": part(), "stitcher": part()},
		},
	}
}

// operators are kinds that the API server does not have; the golden files hold them.
var operators = []string{"ServiceMonitor", "PrometheusRule"}

// TestTheServerTakesTheChart with each option.
func TestTheServerTakesTheChart(t *testing.T) {
	for name, values := range cases() {
		t.Run(name, func(t *testing.T) {
			documents := render(t, values)
			for name, document := range documents {
				if slices.Contains(operators, strings.Fields(name)[1]) {
					continue
				}
				warnings, err := create(document)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, warning := range warnings {
					t.Error("warning:", name, warning)
				}
			}
			pods := podsIn(t, documents)
			if len(pods) != map[bool]int{true: 3, false: 1}[strings.HasPrefix(name, "scale")] {
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

var checksums = regexp.MustCompile(`checksum/config: [0-9a-f]{64}`)

// sections are the objects of a release as text, in order, and its notes. Copies of other files are left out: the
// configurations of scale and the alerts.
func sections(t *testing.T, values values) (all []string) {
	t.Helper()
	rendered, err := files(t, release, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Sorted(maps.Keys(rendered)) {
		base := filepath.Base(file)
		if base == "scale-configmaps.yaml" || strings.HasPrefix(base, "_") {
			continue
		}
		text := checksums.ReplaceAllString(rendered[file], "checksum/config: ...")
		text, _, _ = strings.Cut(text, "\n  # Alerts for agents")
		for _, object := range strings.Split(text, "\n---\n") {
			if object = strings.TrimSpace(object); object != "" {
				all = append(all, "--- # "+base+"\n"+object+"\n")
			}
		}
	}
	return all
}

// TestGolden compares what each option gives with testdata: whole for the two ways to install, else what differs.
func TestGolden(t *testing.T) {
	all := cases()
	for name, values := range all {
		t.Run(name, func(t *testing.T) {
			var same []string
			if strings.HasPrefix(name, "scale-") {
				same = sections(t, all["scale"])
			} else if name != "default" && name != "scale" {
				same = sections(t, all["default"])
			}
			differs := slices.DeleteFunc(sections(t, values), func(section string) bool { return slices.Contains(same, section) })
			got := strings.Join(differs, "")
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%s is not what the chart gives (%v): go test -run Golden -update", golden, err)
			}
		})
	}
}

// TestRules: the operator gets the alerts whole, with what Prometheus fills in itself.
func TestRules(t *testing.T) {
	var rule struct {
		Spec map[string]any `json:"spec"`
	}
	document := render(t, cases()["rules"])["monitoring.yaml PrometheusRule demo-otelcol-mcp"]
	if err := yaml.Unmarshal(document, &rule); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := yaml.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || !reflect.DeepEqual(rule.Spec, want) {
		t.Errorf("got %v\nwant %v", rule.Spec, want)
	}
}

// TestTwoReleases share a namespace: no name is there twice, and no selector of one finds pods of the other.
func TestTwoReleases(t *testing.T) {
	for name, values := range cases() {
		if values["fullnameOverride"] != nil {
			continue
		}
		one, other := objects(t, "one", values), objects(t, "other", values)
		for object := range one {
			if other[object] != nil {
				t.Errorf("%s: both have %s", name, object)
			}
		}
		for object, document := range one {
			text := string(document)
			if n, m := strings.Count(text, "app.kubernetes.io/name: otelcol-mcp"), strings.Count(text, "app.kubernetes.io/instance: one\n"); n != m {
				t.Errorf("%s: %s names %d times what it is, and %d times whose", name, object, n, m)
			}
			if strings.Contains(text, "instance: other") {
				t.Errorf("%s: %s is of the other release", name, object)
			}
		}
	}
}

// TestNames: a release that is called as the chart has its name once.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"otelcol-mcp": "otelcol-mcp", "my-otelcol-mcp": "my-otelcol-mcp", "prod": "prod-otelcol-mcp",
		strings.Repeat("long", 13): strings.Repeat("long", 12) + "lo",
	} {
		if got := objects(t, name, values{}); got["collector.yaml Deployment "+want] == nil {
			t.Errorf("%s: no Deployment %s in %v", name, want, slices.Collect(maps.Keys(got)))
		}
	}
}

// TestValuesAreChecked: the schema refuses what is misspelled or has no sense, and names it.
func TestValuesAreChecked(t *testing.T) {
	for name, test := range map[string]struct {
		values values
		want   string
	}{
		"a key":              {values{"persistance": values{}}, "persistance"},
		"a key in an object": {values{"image": values{"repo": "x"}}, "repo"},
		"a part":             {values{"scale": values{"enabled": true, "gatway": values{}}}, "gatway"},
		"a key of a part":    {values{"scale": values{"stitcher": values{"replica": 3}}}, "replica"},
		"an endpoint":        {values{"scale": values{"endpoints": values{"KAFKA_BROKER": "x"}}}, "KAFKA_BROKER"},
		"the former switch":  {values{"kafka": false}, "kafka"},
		"a type":             {values{"scale": values{"enabled": "yes"}}, "enabled"},
		"an enumeration":     {values{"service": values{"type": "Clusterip"}}, "type"},
		"a size":             {values{"persistence": values{"size": "10"}}, "size"},
		"no replicas":        {values{"scale": values{"stitcher": values{"replicas": 0}}}, "replicas"},
		"an interval":        {values{"serviceMonitor": values{"interval": "30"}}, "interval"},
		"a name":             {values{"fullnameOverride": "Not_A_Name"}, "fullnameOverride"},
	} {
		if _, err := files(t, release, test.values); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q in it", name, err, test.want)
		}
	}
}

// TestTheSchemaIsOfTheValues: each value has its place in the schema, and the schema has no other.
func TestTheSchemaIsOfTheValues(t *testing.T) {
	loaded, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	var schema values
	if err := yaml.Unmarshal(loaded.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	var compare func(path string, value, schema values)
	compare = func(path string, value, schema values) {
		properties, ok := schema["properties"].(values)
		if !ok {
			return
		}
		for key := range properties {
			if value[key] == nil && path+key != "global" {
				t.Errorf("values.yaml has no %s%s", path, key)
			}
		}
		if schema["additionalProperties"] != false {
			t.Errorf("any key may be in %q", path)
		}
		for key, inner := range value {
			if inner, ok := inner.(values); ok {
				compare(path+key+".", inner, properties[key].(values))
			}
		}
	}
	compare("", loaded.Values, schema)
}

// TestTheChartIsTheManifests where they scale, without what only the chart has.
func TestTheChartIsTheManifests(t *testing.T) {
	want := documents(t)
	got := objects(t, "otelcol-mcp", values{"image": values{"repository": "otelcol-mcp"}, "scale": values{"enabled": true}})
	compared := 0
	for name, document := range got {
		kind, object := strings.Fields(name)[1], strings.TrimPrefix(strings.Fields(name)[2], "otelcol-mcp-")
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
		lines = append(lines, strings.NewReplacer("image: \"otelcol-mcp:0.1.0\"", "image: otelcol-mcp",
			": otelcol-mcp-", ": ", "dns:///otelcol-mcp-", "dns:///").Replace(line))
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
	for name, document := range with(render(t, cases()["pods"]), render(t, cases()["scale-pods"])) {
		if strings.Contains(name, "ConfigMap") {
			continue
		}
		if bytes.Contains(bytes.TrimSpace(document), []byte("\n\n")) {
			t.Errorf("%s has blank lines:\n%s", name, document)
		}
	}
}
