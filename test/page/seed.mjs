// The made-up sessions of the web UI's development server, sent to the real gateway as another collector would: spans and state records.
import { busy, coder, crowd } from '../../exporter/inspectorexporter/ui/dev/data.mjs'
import { Store } from '../../exporter/inspectorexporter/ui/dev/store.mjs'
import { hex, passed, session, states, until } from './gateway.mjs'

const time = (text) => Date.parse(text)

export async function seed() {
  const store = new Store()
  busy(store, Date.now())
  coder(store, Date.now())
  crowd(store, Date.now())
  for (const made of store.sessions.values()) await send(made)
  await passed(streamed(Date.now()))
  await until('the sessions are there', async () => (await session('refactor-billing-7f3a'))?.tool_calls)
}

/** MCP Events, which belong to no session. */
function streamed(now) {
  const event = (ago, name, more) => ({ trace: hex(16), name: 'notifications/events/event', start: now - ago * 1000, end: now - ago * 1000, service: 'build-server', attributes: { 'mcp.event.id': `e-${ago}`, 'mcp.event.name': name, 'mcp.event.data_json': '{"build":4711}' }, ...more })
  return [event(340, 'build.started'), event(65, 'build.finished'), { ...event(12, 'build.started'), name: 'notifications/events/error', error: 'The subscription was refused', attributes: { 'mcp.event.subscription_id': 'sub-1', 'mcp.error.message': 'The subscription was refused' } }]
}

async function send(made) {
  const row = made.row
  const own = (more) => ({ trace: made.trace, parent: made.root, service: made.service, ...more, attributes: { 'session.id': row.id, ...more.attributes } })
  const start = time(row.started_at)
  const about = { 'mcp.session.title': row.title, 'mcp.workflow.type': row.workflow_type }
  await passed([own({ name: 'session.start', start, end: start, attributes: about })])
  await passed(made.body().toString().trim().split('\n').map((line) => fromLine(JSON.parse(line))))
  if (row.ended_at && row.engine !== 'inbound') await passed([own({ name: 'workflow.run', id: made.root, parent: undefined, start, end: time(row.ended_at), error: row.error, attributes: { ...about, 'mcp.session.end_reason': row.end_reason } })])
  const filling = row.tokens_spark.map(({ time: at, used }) => ({ ...row, last_seen: at, tokens: { used, limit: row.tokens.limit } }))
  await states(...filling, row)
}

function fromLine(line) {
  return {
    trace: line.trace_id, id: line.span_id ?? hex(8), parent: line.parent_span_id, name: line.name, kind: line.kind.replace('SpanKind.', ''), start: time(line.start_time),
    end: line.end_time && time(line.end_time), attributes: line.attributes, error: line.status.description, service: line.resource.attributes['service.name'],
    links: line.links.map(({ context }) => ({ trace: context.trace_id.slice(2), span: context.span_id.slice(2) })),
    events: line.events.map((e) => ({ ...e, time: time(e.time) })),
  }
}
