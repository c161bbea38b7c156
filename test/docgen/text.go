package main

const metricsHead = `[comment]: <> (Written by go run ./test/docgen. DO NOT EDIT.)

# Metrics

` + "`embedded:default`, `embedded:tempo`" + ` and the receivers of [config/scale](../config/scale) serve metrics of sessions
and tools at <http://localhost:8899/metrics>, and the collector's own at <http://localhost:8898/metrics>.
[deploy/prometheus](../deploy/prometheus) has a configuration and alerts for Prometheus, [deploy/grafana](../deploy/grafana)
dashboards. No label has the id of a session, a request or a trace. Names that clients make up are bounded by
` + "`limits::label_values`" + `: all beyond are ` + "`_other`" + `.

## Sessions

The [receiver](../receiver/mcpreceiver/README.md) reports these every ` + "`metrics::interval`" + ` (15s) while something changes, and every four minutes while nothing does. A
new series of a counter or histogram is 0 in its first report, so that ` + "`increase()`" + ` sees its first value in the next. A point has
those of the attributes that are known; ` + "`mcp.resource.uri`" + ` only with ` + "`metrics::resource_uris`" + `. Attributes and buckets of
` + "`gen_ai.*`" + ` and of the durations of ` + "`mcp.*`" + ` are those of the semantic conventions.

| Metric | In Prometheus | Kind, unit | Attributes | Meaning |
| ---- | ---- | ---- | ---- | ---- |
`

const tools = `
## Calls of tools

The span metrics connector counts the spans of tool calls. It has 2,000 series at most; all beyond are one, with
` + "`otel_metric_overflow=\"true\"`" + `.

| In Prometheus | Kind, unit | Meaning |
| ---- | ---- | ---- |
| ` + "`mcp_tool_calls_total`" + ` | counter, {call} | Calls of tools that have ended. |
| ` + "`mcp_tool_duration_seconds`" + ` | histogram, s | Their durations, with trace ids as exemplars. |

- ` + "`mcp_client_name`" + `: the agent or program that called.
- ` + "`mcp_server_name`" + `: the MCP server, as records or its spans name it; absent for an agent's own tools.
- ` + "`gen_ai_tool_name`" + `: the tool.
- ` + "`error_type`" + `: why the call failed; absent if it did not.
- ` + "`status_code`" + `: ` + "`STATUS_CODE_ERROR`" + ` if it failed.
- ` + "`mcp_tool_seen_by`" + `: ` + "`wire`" + ` if the message of MCP was seen, ` + "`agent`" + ` if an agent reported the call. If both happened, the call
  counts once for each: choose one, or use ` + "`wire`" + ` and fill the gaps with ` + "`agent`" + `, as the dashboards do.

## The collector itself
`

const own = `
The collector's own metrics have names that start with ` + "`otelcol_`" + `.
`

const upstream = `
### From the collector's own parts

| In Prometheus | Kind, unit | Labels | Meaning |
| ---- | ---- | ---- | ---- |
| ` + "`otelcol_receiver_accepted_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`receiver`, `transport`" + ` | Accepted by a receiver. |
| ` + "`otelcol_receiver_refused_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`receiver`, `transport`" + ` | Refused by a pipeline; senders try again. |
| ` + "`otelcol_exporter_sent_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`exporter`" + ` | Sent to a back end. |
| ` + "`otelcol_exporter_send_failed_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`exporter`" + ` | Given up. |
| ` + "`otelcol_exporter_queue_size`, `otelcol_exporter_queue_capacity`" + ` | gauge | ` + "`exporter`, `data_type`" + ` | The queue of an exporter, in its own unit. |
| ` + "`otelcol_process_memory_rss`, `otelcol_process_runtime_heap_alloc_bytes`" + ` | gauge, By | | Memory. |
| ` + "`otelcol_process_cpu_seconds`" + ` | counter, s | | CPU time. |
`
