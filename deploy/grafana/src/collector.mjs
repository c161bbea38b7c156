// The collector itself: what comes in, what leaves, what is refused or lost, and
// what it needs for that.
import { graph, number, page, perRange, rate } from './panels.mjs'

const red = [[null, 'green'], [1, 'red']]
const any = (names, ...by) => names.map((name) => [rate(name, ...by), `${name.replace(/^otelcol_/, '').replace(/\{.*/, '')}${by.map((b) => ` {{${b}}}`).join('')}`])
const job = 'instance=~".+"'
const increases = (...names) => names.map((name) => `(${perRange(name)})`).join(' + ')

export default page({
  uid: 'otelcol-mcp-collector',
  title: 'Agents: the collector',
  description: 'What the collector accepts, refuses, drops and sends, its queues and its memory.',
  rows: [
    ['', [
      number('Up', `sum(otelcol_process_uptime{${job}} > bool 0)`),
      number('Messages a second', rate('otelcol_mcp_receiver_accepted_messages'), { unit: 'reqps' }),
      number('Rejected in range', perRange('otelcol_mcp_receiver_rejected_messages'), { steps: [[null, 'green'], [1, 'orange']] }),
      number('Lost in range', increases('otelcol_mcp_receiver_losses', 'otelcol_mcp_inspector_exporter_lost_lines'), { steps: red }),
      number('Not sent in range', increases('otelcol_exporter_send_failed_spans', 'otelcol_exporter_send_failed_log_records', 'otelcol_exporter_send_failed_metric_points'), { steps: red }),
      number('Memory', 'sum(otelcol_process_memory_rss)', { unit: 'bytes' }),
    ]],
    ['In', [
      graph('Messages accepted', [[rate('otelcol_mcp_receiver_accepted_messages', 'endpoint'), '{{endpoint}}']], { unit: 'reqps', width: 12 }),
      graph('Messages rejected, dropped and invalid', [
        ...any(['otelcol_mcp_receiver_rejected_messages', 'otelcol_mcp_receiver_dropped_messages', 'otelcol_mcp_receiver_invalid_messages']),
        [rate('otelcol_mcp_receiver_rejected_messages', 'reason'), 'rejected: {{reason}}'],
      ], { unit: 'reqps', width: 12 }),
      graph('Accepted by receiver', any(['otelcol_receiver_accepted_spans', 'otelcol_receiver_accepted_log_records', 'otelcol_receiver_accepted_metric_points'], 'receiver'), { width: 12 }),
      graph('Refused by receiver', any(['otelcol_receiver_refused_spans', 'otelcol_receiver_refused_log_records', 'otelcol_receiver_refused_metric_points'], 'receiver'), {
        width: 12, description: 'Senders try again. Memory or a queue is full.',
      }),
    ]],
    ['Held', [
      graph('Open', [['sum(otelcol_mcp_receiver_open_sessions)', 'sessions'], ['sum(otelcol_mcp_receiver_open_calls)', 'calls']], {
        description: 'Lost if the collector is killed, but for what storage keeps.',
      }),
      graph('Payloads of open calls', [['sum(otelcol_mcp_receiver_open_call_bytes)', 'bytes']], { unit: 'bytes' }),
      graph('Evicted and lost', any(['otelcol_mcp_receiver_evictions', 'otelcol_mcp_receiver_losses'])),
      graph('Spans that wait to be stitched', [['sum(otelcol_mcp_processor_stitch_waiting_spans) or vector(0)', 'spans']]),
      graph('Bytes that wait to be stitched', [['sum(otelcol_mcp_processor_stitch_waiting_bytes) or vector(0)', 'bytes']], { unit: 'bytes' }),
      graph('Stitching', any(['otelcol_mcp_processor_stitch_stitched_traces', 'otelcol_mcp_processor_stitch_expired_traces', 'otelcol_mcp_processor_stitch_evicted_spans', 'otelcol_mcp_processor_stitch_index_failures'])),
    ]],
    ['Out', [
      graph('Sent', any(['otelcol_exporter_sent_spans', 'otelcol_exporter_sent_log_records', 'otelcol_exporter_sent_metric_points'], 'exporter'), { width: 12 }),
      graph('Failed', any(['otelcol_exporter_send_failed_spans', 'otelcol_exporter_send_failed_log_records', 'otelcol_exporter_enqueue_failed_spans', 'otelcol_exporter_enqueue_failed_log_records']), { width: 12 }),
      graph('Queues, share in use', [['max by (exporter, data_type) (otelcol_exporter_queue_size / otelcol_exporter_queue_capacity)', '{{exporter}} {{data_type}}']], {
        unit: 'percentunit', width: 12, description: 'When a queue is full, senders are refused.',
      }),
      graph('Session files', [
        ['sum(otelcol_mcp_inspector_exporter_pending_bytes) or vector(0)', 'bytes that wait'],
      ], { unit: 'bytes', width: 12 }),
    ]],
    ['Process', [
      graph('Memory', [['otelcol_process_memory_rss', '{{instance}} resident'], ['otelcol_process_runtime_heap_alloc_bytes', '{{instance}} heap']], { unit: 'bytes', width: 12 }),
      graph('CPU', [['rate(otelcol_process_cpu_seconds[$__rate_interval])', '{{instance}}']], { unit: 'percentunit', width: 12, description: '1 is a whole core.' }),
    ]],
  ],
})
