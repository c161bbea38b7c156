package main

const metricsHead = `[comment]: <> (Written by go run ./test/docgen. DO NOT EDIT.)

# Metrics

` + "`embedded:default`, `embedded:tempo`" + ` and the receivers of [config/scale](../config/scale) serve metrics of sessions
and tools at <http://localhost:8899/metrics>, and the collector's own at <http://localhost:8898/metrics>.
[deploy/prometheus](../deploy/prometheus) has a configuration and alerts for Prometheus, [deploy/grafana](../deploy/grafana)
dashboards. No label has the id of a session, a request or a trace. Client-supplied names are capped at
` + "`limits::label_values`" + `; the rest become ` + "`_other`" + `.

## Sessions

The [receiver](../receiver/mcpreceiver/README.md) reports these every ` + "`metrics::interval`" + ` (15s) while something changes, and every four
minutes while nothing does. A new series of a counter or histogram is 0 in its first report, so that ` + "`increase()`" + ` sees its
first value in the next. Points have only the attributes that are known; ` + "`mcp.resource.uri`" + ` needs ` + "`metrics::resource_uris`" + `. Attributes and buckets of
` + "`gen_ai.*`" + ` and of the durations of ` + "`mcp.*`" + ` are those of the semantic conventions.

| Metric | In Prometheus | Kind, unit | Attributes | Meaning |
| ---- | ---- | ---- | ---- | ---- |
`

const tools = `
## Calls of tools

Calls of MCP servers' tools are operations of MCP: ` + "`mcp_client_operation_duration_seconds`" + ` with
` + "`gen_ai_operation_name=\"execute_tool\"`" + `. Agents' own tools have no server, and are in
` + "`gen_ai_execute_tool_duration_seconds`" + ` with ` + "`gen_ai_tool_type=\"function\"`" + `. Exemplars link the buckets to traces.

- ` + "`mcp_client_name`" + `: the agent or program that called.
- ` + "`mcp_server_name`" + `: the MCP server, as records or its spans name it.
- ` + "`gen_ai_tool_name`" + `: the tool.
- ` + "`error_type`" + `: why the call failed; absent if it did not. A refusal by a person or a rule does not count as a call.
- ` + "`mcp_tool_seen_by`" + `: ` + "`wire`" + ` if the message of MCP was seen, ` + "`agent`" + ` if only an agent reported the call. A call that
  both reported counts once.

## The collector itself
`

const own = `
The collector's own metrics have names that start with ` + "`otelcol_`" + `. A counter appears with the first event that
it counts.
`

const upstream = `
### From the collector's own parts

| In Prometheus | Kind, unit | Labels | Meaning |
| ---- | ---- | ---- | ---- |
| ` + "`otelcol_receiver_accepted_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`receiver`, `transport`" + ` | Accepted by a receiver. |
| ` + "`otelcol_receiver_refused_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`receiver`, `transport`" + ` | Refused by a pipeline; senders try again. |
| ` + "`otelcol_receiver_failed_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`receiver`, `transport`" + ` | Failed in a receiver itself. |
| ` + "`otelcol_processor_incoming_items`, `otelcol_processor_outgoing_items`" + ` | counter | ` + "`processor`, `otel_signal`" + ` | Into and out of a processor. |
| ` + "`otelcol_processor_memory_limiter_accepted_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`processor`" + ` | Accepted by the memory limiter. |
| ` + "`otelcol_processor_filter_logs_filtered`" + ` | counter | ` + "`filter`" + ` | State records kept from backends. |
| ` + "`otelcol_processor_batch_batch_send_size`, `otelcol_processor_batch_batch_size_trigger_send`, `otelcol_processor_batch_metadata_cardinality`" + ` | histogram, counters | ` + "`processor`" + ` | What leaves ` + "`batch/apart`" + `. |
| ` + "`otelcol_exporter_in_flight_requests`" + ` | gauge | ` + "`exporter`" + ` | Requests that wait for an answer. |
| ` + "`otelcol_exporter_sent_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`exporter`" + ` | Sent to a backend. |
| ` + "`otelcol_exporter_send_failed_spans`" + `, ` + "`…_log_records`, `…_metric_points`" + ` | counter | ` + "`exporter`" + ` | Given up. |
| ` + "`otelcol_exporter_queue_size`, `otelcol_exporter_queue_capacity`" + ` | gauge | ` + "`exporter`, `data_type`" + ` | The queue of an exporter, in its own unit. |
| ` + "`otelcol_process_memory_rss`, `otelcol_process_runtime_heap_alloc_bytes`, `otelcol_process_runtime_total_sys_memory_bytes`" + ` | gauge, By | | Memory. |
| ` + "`otelcol_process_runtime_total_alloc_bytes`" + ` | counter, By | | Memory allocated in all. |
| ` + "`otelcol_process_uptime`" + ` | counter, s | | Since the start. |
| ` + "`otelcol_process_cpu_seconds`" + ` | counter, s | | CPU time. |
`
