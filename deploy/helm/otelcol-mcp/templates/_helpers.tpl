{{- /* Written by go test -run Chart -update, in test/kubernetes. */ -}}
{{- define "otelcol-mcp.config" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- index $root.Values.config $part | default ($root.Files.Get (printf "files/%s.yaml" $part)) -}}
{{- end -}}
