// All agents: what they do now, what they cost, and which of them wait for a person.
import { graph, heat, number, page, perRange, quantile, rate } from './panels.mjs'

const red = [[null, 'green'], [1, 'red']]
const yellow = [[null, 'green'], [1, 'orange']]
const phase = (name) => `sum(mcp_sessions_active{mcp_host_phase="${name}"}) or vector(0)`
const tokens = 'gen_ai_client_inference_usage_{kind}_total'
const usage = (kind) => tokens.replace('{kind}', kind)

export default page({
  uid: 'otelcol-mcp-fleet',
  title: 'Agents: fleet',
  description: 'Sessions of all agents by phase, those that need attention, and tokens and cost by host and model.',
  rows: [
    ['Now', [
      number('Open sessions', 'sum(mcp_sessions_active)'),
      number('Working', `sum(mcp_sessions_active{mcp_host_phase=~"working|thinking|compacting"}) or vector(0)`),
      number('Waiting for approval', phase('waiting_approval'), { steps: yellow }),
      number('Stalled', 'sum(mcp_sessions_stalled)', { steps: red, description: 'Hosts that should be working and are silent.' }),
      number('Stuck calls', 'sum(mcp_calls_stuck)', { steps: red }),
      number('In error', phase('error'), { steps: red }),
    ]],
    ['Sessions', [
      graph('Sessions by phase', [['sum by (mcp_host_phase) (mcp_sessions_active)', '{{mcp_host_phase}}']], {
        stacked: true, width: 12, description: 'A session without a name of a phase sends no host telemetry.',
      }),
      graph('Need attention', [
        ['sum(mcp_sessions_stalled)', 'stalled sessions'],
        ['sum(mcp_calls_stuck)', 'stuck calls'],
        [phase('waiting_approval'), 'waiting for approval'],
        [phase('error'), 'in error'],
      ], { width: 12 }),
      heat('Context window in use', 'sum by (le) (increase(mcp_host_context_utilization_bucket[$__rate_interval]))', {
        unit: 'percentunit', width: 12, description: 'How full the context windows were, each time that a host told.',
      }),
      graph('Calls in flight', [['sum(mcp_calls_in_flight)', 'waiting for a reply']], { width: 12 }),
    ]],
    ['Tokens and cost', [
      number('Cost in range', perRange('mcp_llm_cost_total'), { unit: 'currencyUSD' }),
      number('Tokens in range', perRange('mcp_session_tokens_total')),
      graph('Cost by host and model', [[rate('mcp_llm_cost_total', 'mcp_client_name', 'gen_ai_request_model') + ' * 3600', '{{mcp_client_name}} {{gen_ai_request_model}}']], {
        unit: 'currencyUSD', stacked: true, width: 16, description: 'US dollars an hour, as agents report them or by the configured prices.',
      }),
      graph('Tokens by host', [[rate('mcp_session_tokens_total', 'mcp_client_name') + ' * 60', '{{mcp_client_name}}']], {
        stacked: true, width: 12, description: 'Tokens a minute.',
      }),
      graph('Tokens by model', [
        [rate(usage('input_tokens'), 'gen_ai_request_model') + ' * 60', '{{gen_ai_request_model}} in'],
        [rate(usage('output_tokens'), 'gen_ai_request_model') + ' * 60', '{{gen_ai_request_model}} out'],
      ], { stacked: true, width: 12, description: 'Tokens a minute. Input includes what came from a cache.' }),
      graph('Share of input from the cache', [[
        `sum by (gen_ai_request_model) (rate(${usage('cache_read_input_tokens')}[$__rate_interval])) / sum by (gen_ai_request_model) (rate(${usage('input_tokens')}[$__rate_interval]))`,
        '{{gen_ai_request_model}}',
      ]], { unit: 'percentunit', width: 12 }),
      graph('Duration of model calls', [
        [quantile(0.5, 'gen_ai_client_inference_duration_seconds_bucket', 'gen_ai_request_model'), '{{gen_ai_request_model}} p50'],
        [quantile(0.95, 'gen_ai_client_inference_duration_seconds_bucket', 'gen_ai_request_model'), '{{gen_ai_request_model}} p95'],
      ], { unit: 's', width: 12 }),
    ]],
  ],
})
