package kubernetes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const chart = "../../deploy/helm/otelcol-mcp"

// fullname is before each name.
const fullname = `{{ include "otelcol-mcp.fullname" . }}`

// edit replaces something in a manifest. It must be there, so that the chart
// cannot fall behind unseen.
type edit struct{ old, new string }

// everywhere lists the changes to each manifest of a workload.
var everywhere = []edit{
	{"namespace: otelcol-mcp\n", "namespace: {{ .Release.Namespace }}\n"},
	{"app.kubernetes.io/name: otelcol-mcp\n", "app.kubernetes.io/name: otelcol-mcp\nINSTANCE"},
}

// pods returns what changes in the pods of a workload.
func pods(part string, memory, gomemlimit string) []edit {
	values := ".Values.scale." + part
	return []edit{
		{"    metadata:\n      labels:\n", "    metadata:\n      annotations:\n" +
			"        checksum/config: {{ include \"otelcol-mcp.config\" (list . \"" + part + "\") | sha256sum }}\n" +
			"        {{- with " + values + ".podAnnotations }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n      labels:\n"},
		{"      serviceAccountName: otelcol-mcp\n", "      serviceAccountName: " + fullname + "\n" +
			optional(values+".nodeSelector", "nodeSelector") + optional(values+".tolerations", "tolerations") +
			optional(values+".affinity", "affinity") + optional(".Values.imagePullSecrets", "imagePullSecrets")},
		{"          image: otelcol-mcp\n", "          image: \"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\"\n" +
			"          imagePullPolicy: {{ .Values.image.pullPolicy }}\n"},
		{"value: \"" + memory + "\"", "value: {{ " + values + ".memoryMiB | quote }}"},
		{"value: " + gomemlimit, "value: {{ " + values + ".gomemlimit }}"},
		{"          ports:\n", "            {{- with " + values + ".env }}\n            {{- toYaml . | nindent 12 }}\n            {{- end }}\n          ports:\n"},
		{"            name: " + part + "\n", "            name: " + fullname + "-" + part + "\n"},
		{"  name: " + part + "\n  namespace", "  name: " + fullname + "-" + part + "\n  namespace"},
	}
}

func optional(value, key string) string {
	return "      {{- with " + value + " }}\n      " + key + ":\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n"
}

// endpoints changes where addresses come from.
var endpoints = edit{"                  name: endpoints\n", "                  name: " + fullname + "-endpoints\n"}

const scaleOnly = "{{- if .Values.scale.enabled }}\n"

// templates returns those of scale, from the manifests. The others are written by hand.
func templates(t *testing.T) map[string]string {
	agent := append(pods("agent", "384", "450MiB"),
		edit{"            - name: OTLP_ENDPOINT\n              value: dns:///gateway.otelcol-mcp.svc.cluster.local:4327\n", "" +
			"            - name: OTLP_ENDPOINT\n" +
			"              value: dns:///" + fullname + "-gateway.{{ .Release.Namespace }}.svc.cluster.local:4327\n"})
	gateway := append(pods("gateway", "576", "660MiB"), endpoints,
		edit{"minReplicas: 2", "minReplicas: {{ .Values.scale.gateway.minReplicas }}"},
		edit{"maxReplicas: 10", "maxReplicas: {{ .Values.scale.gateway.maxReplicas }}"},
		edit{"averageUtilization: 70", "averageUtilization: {{ .Values.scale.gateway.targetCPU }}"},
		edit{"    name: gateway\n  minReplicas", "    name: " + fullname + "-gateway\n  minReplicas"})
	stitcher := append(pods("stitcher", "1152", "1320MiB"), endpoints,
		edit{"replicas: 2", "replicas: {{ .Values.scale.stitcher.replicas }}"},
		edit{"serviceName: stitcher", "serviceName: " + fullname + "-stitcher"},
		edit{"                  name: redis\n", "                  name: {{ .Values.scale.redisSecret }}\n"})
	policies := []edit{
		{"  name: gateway\n  namespace", "  name: " + fullname + "-gateway\n  namespace"},
		{"  name: stitcher\n  namespace", "  name: " + fullname + "-stitcher\n  namespace"},
	}
	return map[string]string{
		"agent.yaml":           scaleOnly + workload(t, "agent", agent) + "{{- end }}\n",
		"gateway.yaml":         scaleOnly + workload(t, "gateway", gateway) + "{{- end }}\n",
		"stitcher.yaml":        scaleOnly + workload(t, "stitcher", stitcher) + "{{- end }}\n",
		"networkpolicies.yaml": "{{- if and .Values.scale.enabled .Values.networkPolicy.enabled }}\n" + apply(t, "networkpolicies.yaml", append(policies, everywhere...)) + "{{- end }}\n",
	}
}

// workload is the template of one, with its resources.
func workload(t *testing.T, part string, edits []edit) string {
	t.Helper()
	text := apply(t, part+".yaml", append(edits, everywhere...))
	before, rest, found := strings.Cut(text, "          resources:\n")
	at := strings.Index(rest, "          securityContext:\n")
	if !found || at < 0 {
		t.Fatal(part, "has no resources")
	}
	return before + "          resources:\n            {{- toYaml .Values.scale." + part + ".resources | nindent 12 }}\n" + rest[at:]
}

// apply makes a template of a manifest.
func apply(t *testing.T, file string, edits []edit) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, file))
	if err != nil {
		t.Fatal(err)
	}
	all := string(text)
	for _, e := range edits {
		if !strings.Contains(all, e.old) {
			t.Fatalf("%s has no %q, which the chart changes", file, e.old)
		}
		all = strings.ReplaceAll(all, e.old, e.new)
	}
	// Several releases may be in one namespace: the label is where its neighbour is.
	lines := strings.Split(all, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "INSTANCE") {
			indent := lines[i-1][:len(lines[i-1])-len(strings.TrimLeft(lines[i-1], " "))]
			lines[i] = indent + "app.kubernetes.io/instance: {{ .Release.Name }}\n" + strings.TrimPrefix(line, "INSTANCE")
		}
	}
	return "# Written from deploy/kubernetes/" + file + ": go test -run Chart -update, in test/kubernetes.\n" + strings.Join(lines, "\n")
}
