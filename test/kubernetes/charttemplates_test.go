package kubernetes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const chart = "../../deploy/helm/otelcol-mcp"

// edit replaces something in a manifest. It must be there, so that the chart
// cannot fall behind unseen.
type edit struct{ old, new string }

// everywhere is what changes in each manifest of a workload.
var everywhere = []edit{
	{"namespace: otelcol-mcp\n", "namespace: {{ .Release.Namespace }}\n"},
	{"app.kubernetes.io/name: otelcol-mcp\n", "app.kubernetes.io/name: otelcol-mcp\nINSTANCE"},
}

// pods is what changes in the pods of a workload.
func pods(part string, memory, gomemlimit string) []edit {
	values := ".Values." + part
	return []edit{
		{"    metadata:\n      labels:\n", "    metadata:\n      annotations:\n" +
			"        checksum/config: {{ include \"otelcol-mcp.config\" (list . \"" + part + "\") | sha256sum }}\n" +
			"        {{- with " + values + ".podAnnotations }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n      labels:\n"},
		{"      serviceAccountName: otelcol-mcp\n", "      serviceAccountName: {{ .Values.prefix }}otelcol-mcp\n" +
			optional(values+".nodeSelector", "nodeSelector") + optional(values+".tolerations", "tolerations") +
			optional(values+".affinity", "affinity") + optional(".Values.imagePullSecrets", "imagePullSecrets")},
		{"          image: otelcol-mcp\n", "          image: \"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\"\n" +
			"          imagePullPolicy: {{ .Values.image.pullPolicy }}\n"},
		{"value: \"" + memory + "\"", "value: {{ " + values + ".memoryMiB | quote }}"},
		{"value: " + gomemlimit, "value: {{ " + values + ".gomemlimit }}"},
		{"          ports:\n", "            {{- with " + values + ".env }}\n            {{- toYaml . | nindent 12 }}\n            {{- end }}\n          ports:\n"},
		{"            name: " + part + "\n", "            name: {{ .Values.prefix }}" + part + "\n"},
		{"  name: " + part + "\n  namespace", "  name: {{ .Values.prefix }}" + part + "\n  namespace"},
	}
}

func optional(value, key string) string {
	return "      {{- with " + value + " }}\n      " + key + ":\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n"
}

// endpoints is what changes where addresses come from.
var endpoints = edit{"                  name: endpoints\n", "                  name: {{ .Values.prefix }}endpoints\n"}

const kafkaOnly = "{{- if .Values.kafka }}\n"

// templates are the chart's, from the manifests.
func templates(t *testing.T) map[string]string {
	agent := append(pods("agent", "384", "450MiB"),
		edit{"            - name: OTLP_ENDPOINT\n              value: dns:///gateway.otelcol-mcp.svc.cluster.local:4327\n", "" +
			"            - name: OTLP_ENDPOINT\n" +
			"              {{- if .Values.kafka }}\n" +
			"              value: dns:///{{ .Values.prefix }}gateway.{{ .Release.Namespace }}.svc.cluster.local:4327\n" +
			"              {{- else }}\n" +
			"              value: {{ .Values.endpoints.OTLP_ENDPOINT | quote }}\n" +
			"            - name: STITCH\n" +
			"              value: \"true\"\n" +
			"              {{- end }}\n"})
	gateway := append(pods("gateway", "576", "660MiB"), endpoints,
		edit{"minReplicas: 2", "minReplicas: {{ .Values.gateway.minReplicas }}"},
		edit{"maxReplicas: 10", "maxReplicas: {{ .Values.gateway.maxReplicas }}"},
		edit{"averageUtilization: 70", "averageUtilization: {{ .Values.gateway.targetCPU }}"},
		edit{"    name: gateway\n  minReplicas", "    name: {{ .Values.prefix }}gateway\n  minReplicas"})
	stitcher := append(pods("stitcher", "1152", "1320MiB"), endpoints,
		edit{"replicas: 2", "replicas: {{ .Values.stitcher.replicas }}"},
		edit{"serviceName: stitcher", "serviceName: {{ .Values.prefix }}stitcher"},
		edit{"                  name: redis\n", "                  name: {{ .Values.redisSecret }}\n"})
	policies := []edit{
		{"  name: gateway\n  namespace", "  name: {{ .Values.prefix }}gateway\n  namespace"},
		{"  name: stitcher\n  namespace", "  name: {{ .Values.prefix }}stitcher\n  namespace"},
	}
	return map[string]string{
		"agent.yaml":           workload(t, "agent", agent),
		"gateway.yaml":         kafkaOnly + workload(t, "gateway", gateway) + "{{- end }}\n",
		"stitcher.yaml":        kafkaOnly + workload(t, "stitcher", stitcher) + "{{- end }}\n",
		"networkpolicies.yaml": "{{- if and .Values.kafka .Values.networkPolicies }}\n" + apply(t, "networkpolicies.yaml", append(policies, everywhere...)) + "{{- end }}\n",
		"configmaps.yaml":      configMaps,
		"_helpers.tpl":         helpers,
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
	return before + "          resources:\n            {{- toYaml .Values." + part + ".resources | nindent 12 }}\n" + rest[at:]
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

const helpers = `{{- /* Written by go test -run Chart -update, in test/kubernetes. */ -}}
{{- define "otelcol-mcp.config" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- index $root.Values.config $part | default ($root.Files.Get (printf "files/%s.yaml" $part)) -}}
{{- end -}}
`

var configMaps = func() string {
	var b strings.Builder
	b.WriteString(`# Written by go test -run Chart -update, in test/kubernetes.
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Values.prefix }}otelcol-mcp
  namespace: {{ .Release.Namespace }}
automountServiceAccountToken: false
---
`)
	one := `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.prefix }}%[1]s
  namespace: {{ .Release.Namespace }}
data:
  config.yaml: |
    {{- include "otelcol-mcp.config" (list . %[1]q) | trim | nindent 4 }}
`
	fmt.Fprintf(&b, one, "agent")
	b.WriteString("{{- if .Values.kafka }}\n---\n")
	fmt.Fprintf(&b, one, "gateway")
	b.WriteString("---\n")
	fmt.Fprintf(&b, one, "stitcher")
	b.WriteString(`---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.prefix }}endpoints
  namespace: {{ .Release.Namespace }}
data:
  {{- toYaml .Values.endpoints | nindent 2 }}
{{- end }}
`)
	return b.String()
}()
