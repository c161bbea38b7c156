{{- /* Before each name, so that several releases share a namespace. */ -}}
{{- define "otelcol-mcp.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* (list . "component"): which objects belong together. */ -}}
{{- define "otelcol-mcp.labels" -}}
app.kubernetes.io/name: otelcol-mcp
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- /* (list . "part"): the configuration of a part of scale. */ -}}
{{- define "otelcol-mcp.config" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- (index $root.Values.scale $part).config | default ($root.Files.Get (printf "files/%s.yaml" $part)) -}}
{{- end -}}

{{- /* What is merged over embedded:default: the backend first, so that config has the last word. */ -}}
{{- define "otelcol-mcp.overlay" -}}
{{- $overlay := dict -}}
{{- with .Values.backend -}}
{{- if .endpoint -}}
{{- $exporters := dict "exporters" (list "otlp_grpc/backend") -}}
{{- $pipelines := dict "traces/export" $exporters -}}
{{- if .logs -}}
{{- $_ := set $pipelines "logs/export" $exporters -}}
{{- end -}}
{{- $_ := set $overlay "exporters" (dict "otlp_grpc/backend" (dict "endpoint" .endpoint "tls" (dict "insecure" .insecure))) -}}
{{- $_ := set $overlay "service" (dict "pipelines" $pipelines) -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite $overlay (deepCopy .Values.config)) -}}
{{- end -}}
