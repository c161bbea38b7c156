// MCP servers and their tools, as their callers see them.
import { graph, heat, number, page, rate, rows, variable } from './panels.mjs'

const filter = 'mcp_server_name=~"$server", gen_ai_tool_name=~"$tool", mcp_client_name=~"$client"'

// Calls of MCP servers' tools are operations of MCP; agents' own tools have a metric of their own, and no server.
const operation = 'mcp_client_operation_duration_seconds'
const ofServers = (suffix, labels = '') => `${operation}_${suffix}{gen_ai_operation_name="execute_tool", ${filter}${labels}}`
const ofAgents = (suffix, labels = '') => `gen_ai_execute_tool_duration_seconds_${suffix}{gen_ai_tool_type="function", ${filter}${labels}}`
const calls = (suffix, labels, by, around) => `${around(ofServers(suffix, labels), by)} or ${around(ofAgents(suffix, labels), by)}`
const both = (labels) => `(sum(increase(${ofServers('count', labels)}[$__range])) or vector(0)) + (sum(increase(${ofAgents('count', labels)}[$__range])) or vector(0))`
const bySum = (fn, window) => (selector, by) => `sum by (${by.join(', ')}) (${fn}(${selector}[${window}]))`
const each = bySum('rate', '$__rate_interval')
const total = bySum('increase', '$__range')
const quantile = (q) => (selector, by) => `histogram_quantile(${q}, ${each(selector, ['le', ...by])})`
const tool = ['mcp_server_name', 'gen_ai_tool_name']
const server = ['mcp_server_name']
const named = '{{mcp_server_name}} {{gen_ai_tool_name}}'
const failed = ', error_type!=""'
const late = ', error_type=~"timeout|-32001"'
// A failure rate of what never failed is 0, not nothing.
const share = (labels, by, over) =>
  `((${calls('count', labels, by, over)}) or 0 * (${calls('count', '', by, over)})) / (${calls('count', '', by, over)})`

export default page({
  uid: 'otelcol-mcp-servers',
  title: 'Agents: MCP servers',
  description: 'Calls, latency, errors and time-outs by MCP server and tool. Tools of agents themselves have no server.',
  variables: [
    variable('server', 'Server', `label_values(${operation}_count, mcp_server_name)`),
    variable('tool', 'Tool', `label_values(${operation}_count{mcp_server_name=~"$server"}, gen_ai_tool_name)`),
    variable('client', 'Agent', `label_values(${operation}_count, mcp_client_name)`),
  ],
  rows: [
    ['', [
      number('Calls in range', both('')),
      number('Failed in range', both(failed), { steps: [[null, 'green'], [1, 'orange']] }),
      number('Timed out in range', both(late), { steps: [[null, 'green'], [1, 'red']] }),
      number('In flight', 'sum(mcp_calls_in_flight)'),
      number('Stuck', 'sum(mcp_calls_stuck)', { steps: [[null, 'green'], [1, 'red']] }),
      number('Series beyond the limit', `sum(${operation}_count{mcp_method_name="_other"}) or vector(0)`, {
        steps: [[null, 'green'], [1, 'orange']], description: 'Calls that are in no series of their own, because there are too many names.',
      }),
    ]],
    ['Calls', [
      graph('Calls by server', [[calls('count', '', server, each), '{{mcp_server_name}}']], { unit: 'reqps', stacked: true, width: 12 }),
      graph('Calls by tool', [[calls('count', '', tool, each), named]], { unit: 'reqps', stacked: true, width: 12 }),
    ]],
    ['Latency', [
      heat('Duration of calls of servers', `sum by (le) (increase(${ofServers('bucket')}[$__rate_interval]))`, {
        width: 12, description: 'Exemplars lead to traces, if Prometheus stores them and the data source names your Tempo.',
      }),
      graph('95th percentile by tool', [[calls('bucket', '', tool, quantile(0.95)), named]], { unit: 's', width: 12 }),
    ]],
    ['Errors', [
      graph('Share of failed calls by tool', [[share(failed, tool, each), named]], { unit: 'percentunit', width: 12 }),
      graph('Share of time-outs by server', [[share(late, server, each), '{{mcp_server_name}}']], { unit: 'percentunit', width: 12 }),
      graph('Failed calls by type of error', [[rate(ofServers('count', failed), 'error_type'), '{{error_type}}']], { unit: 'reqps', width: 12 }),
      graph('All MCP operations by method', [[rate(`${operation}_count`, 'mcp_method_name'), '{{mcp_method_name}}']], { unit: 'reqps', width: 12 }),
    ]],
    ['Tools', [
      rows('Tools in range', [
        [calls('count', '', tool, total), 'short'],
        [share(failed, tool, total), 'percentunit'],
        [calls('bucket', '', tool, (s, by) => `histogram_quantile(0.5, ${total(s, ['le', ...by])})`), 's'],
        [calls('bucket', '', tool, (s, by) => `histogram_quantile(0.95, ${total(s, ['le', ...by])})`), 's'],
      ], {
        columns: {
          mcp_server_name: 'Server', gen_ai_tool_name: 'Tool', 'Value #A': 'Calls', 'Value #B': 'Failed', 'Value #C': 'p50', 'Value #D': 'p95',
        },
      }),
    ]],
  ],
})
