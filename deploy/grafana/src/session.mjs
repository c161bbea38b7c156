// One session: its traces, and what its agent and its servers logged. Metrics
// know no sessions.
import dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import { counts, note, page, records, traces } from './panels.mjs'

const of = '{service_name=~".+"} | session_id="$session"'

export default page({
  uid: 'otelcol-mcp-session',
  title: 'Agents: one session',
  description: 'The traces and log records of one session. Needs Tempo and Loki.',
  types: ['tempo', 'loki'],
  range: 'now-6h',
  variables: [new dashboard.TextBoxVariableBuilder('session').label('Session id').defaultValue('')],
  rows: [
    ['', [
      note('Enter the id of a session: `session.id` of its spans and log records, the name in the web UI. The table of traces links to the whole trace, with all calls in it.'),
      traces('Traces of the session', '{ span.session.id = "$session" }', {
        height: 7, links: [['Open the trace', '/explore?left={"datasource":"${tempo}","queries":[{"refId":"A","queryType":"traceql","query":"${__value.raw}"}],"range":{"from":"${__from}","to":"${__to}"}}']],
      }),
      traces('Failed and slow calls', '{ span.session.id = "$session" && (span.gen_ai.operation.name =~ "execute_tool|chat" || span.mcp.method.name = "tools/call") && (status = error || duration > 10s) }', { height: 7 }),
      traces('Alarms: stalled, stuck', '{ span.session.id = "$session" && name =~ "mcp.host.stalled|mcp.call.stuck|mcp.host.resumed|mcp.call.returned" }', { height: 6 }),
    ]],
    ['Log records', [
      counts('Records by event', [[`sum by (event_name) (count_over_time(${of} [$__auto]))`, '{{event_name}}']], { width: 24, height: 7 }),
      records('All records', of),
    ]],
  ],
})
