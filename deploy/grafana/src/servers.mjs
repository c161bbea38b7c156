// MCP servers and their tools, as their callers see them.
import { graph, heat, number, page, perRange, rate, rows, variable } from './panels.mjs'

const filter = 'mcp_server_name=~"$server", gen_ai_tool_name=~"$tool", mcp_client_name=~"$client"'

// A call that an agent reports and whose messages were seen, too, counts twice: once a layer. What was seen on the wire
// comes first, and what only agents report fills the gaps.
const calls = (metric, labels, by, around) => {
  const of = (layer) => around(`${metric}{${filter}, mcp_tool_seen_by="${layer}"${labels}}`, by)
  return `${of('wire')} or ${of('agent')}`
}
const bySum = (fn, window) => (selector, by) => `sum by (${by.join(', ')}) (${fn}(${selector}[${window}]))`
const each = bySum('rate', '$__rate_interval')
const total = bySum('increase', '$__range')
const quantile = (q) => (selector, by) => `histogram_quantile(${q}, ${each(selector, ['le', ...by])})`
const tool = ['mcp_server_name', 'gen_ai_tool_name']
const server = ['mcp_server_name']
const named = '{{mcp_server_name}} {{gen_ai_tool_name}}'
const failed = ', status_code="STATUS_CODE_ERROR"'
const late = ', error_type=~"timeout|-32001"'
// A failure rate of what never failed is 0, not nothing.
const share = (labels, by, over) =>
  `((${calls('mcp_tool_calls_total', labels, by, over)}) or 0 * (${calls('mcp_tool_calls_total', '', by, over)})) / (${calls('mcp_tool_calls_total', '', by, over)})`

export default page({
  uid: 'otelcol-mcp-servers',
  title: 'Agents: MCP servers',
  description: 'Calls, latency, errors and time-outs by MCP server and tool. Tools of agents themselves have no server.',
  variables: [
    variable('server', 'Server', 'label_values(mcp_tool_calls_total, mcp_server_name)'),
    variable('tool', 'Tool', 'label_values(mcp_tool_calls_total{mcp_server_name=~"$server"}, gen_ai_tool_name)'),
    variable('client', 'Agent', 'label_values(mcp_tool_calls_total, mcp_client_name)'),
  ],
  rows: [
    ['', [
      number('Calls in range', perRange(`mcp_tool_calls_total{${filter}}`)),
      number('Failed in range', perRange(`mcp_tool_calls_total{${filter}${failed}}`), { steps: [[null, 'green'], [1, 'orange']] }),
      number('Timed out in range', perRange(`mcp_tool_calls_total{${filter}${late}}`), { steps: [[null, 'green'], [1, 'red']] }),
      number('In flight', 'sum(mcp_calls_in_flight)'),
      number('Stuck', 'sum(mcp_calls_stuck)', { steps: [[null, 'green'], [1, 'red']] }),
      number('Series beyond the limit', 'sum(mcp_tool_calls_total{otel_metric_overflow="true"}) or vector(0)', {
        steps: [[null, 'green'], [1, 'orange']], description: 'Calls that are in no series of their own, because there are too many names.',
      }),
    ]],
    ['Calls', [
      graph('Calls by server', [[calls('mcp_tool_calls_total', '', server, each), '{{mcp_server_name}}']], { unit: 'reqps', stacked: true, width: 12 }),
      graph('Calls by tool', [[calls('mcp_tool_calls_total', '', tool, each), named]], { unit: 'reqps', stacked: true, width: 12 }),
    ]],
    ['Latency', [
      heat('Duration of calls', `sum by (le) (increase(mcp_tool_duration_seconds_bucket{${filter}}[$__rate_interval]))`, {
        width: 12, description: 'Exemplars lead to traces, if Prometheus stores them and the data source names your Tempo.',
      }),
      graph('95th percentile by tool', [[calls('mcp_tool_duration_seconds_bucket', '', tool, quantile(0.95)), named]], { unit: 's', width: 12 }),
    ]],
    ['Errors', [
      graph('Share of failed calls by tool', [[share(failed, tool, each), named]], { unit: 'percentunit', width: 12 }),
      graph('Share of time-outs by server', [[share(late, server, each), '{{mcp_server_name}}']], { unit: 'percentunit', width: 12 }),
      graph('Failed calls by type of error', [[rate(`mcp_tool_calls_total{${filter}${failed}}`, 'error_type'), '{{error_type}}']], { unit: 'reqps', width: 12 }),
      graph('All MCP operations by method', [[rate('mcp_client_operation_duration_seconds_count', 'mcp_method_name'), '{{mcp_method_name}}']], { unit: 'reqps', width: 12 }),
    ]],
    ['Tools', [
      rows('Tools in range', [
        [calls('mcp_tool_calls_total', '', tool, total), 'short'],
        [share(failed, tool, total), 'percentunit'],
        [calls('mcp_tool_duration_seconds_bucket', '', tool, (s, by) => `histogram_quantile(0.5, ${total(s, ['le', ...by])})`), 's'],
        [calls('mcp_tool_duration_seconds_bucket', '', tool, (s, by) => `histogram_quantile(0.95, ${total(s, ['le', ...by])})`), 's'],
      ], {
        columns: {
          mcp_server_name: 'Server', gen_ai_tool_name: 'Tool', 'Value #A': 'Calls', 'Value #B': 'Failed', 'Value #C': 'p50', 'Value #D': 'p95',
        },
      }),
    ]],
  ],
})
