// The made-up sessions of the web UI's development server, sent to the real gateway as telemetry.
import { busy, coder, crowd } from '../../exporter/inspectorexporter/ui/dev/data.mjs'
import { Store } from '../../exporter/inspectorexporter/ui/dev/store.mjs'
import { hex, session, spans, until } from './gateway.mjs'

const time = (text) => Date.parse(text)

export async function seed() {
  const store = new Store()
  busy(store, Date.now())
  coder(store, Date.now())
  crowd(store, Date.now())
  for (const made of store.sessions.values()) await send(made)
  await spans(streamed(Date.now()))
  await until('the sessions are there', () => session('refactor-billing-7f3a'))
}

/** MCP Events, which belong to no session. */
function streamed(now) {
  const event = (ago, name, more) => ({ trace: hex(16), name: 'notifications/events/event', start: now - ago * 1000, end: now - ago * 1000, service: 'build-server', attributes: { 'mcp.event.id': `e-${ago}`, 'mcp.event.name': name, 'mcp.event.data_json': '{"build":4711}' }, ...more })
  return [event(340, 'build.started'), event(65, 'build.finished'), { ...event(12, 'build.started'), name: 'notifications/events/error', error: 'The subscription was refused', attributes: { 'mcp.event.subscription_id': 'sub-1', 'mcp.error.message': 'The subscription was refused' } }]
}

async function send(made) {
  const row = made.row
  const own = (more) => ({ trace: made.trace, parent: made.root, service: made.service, ...more, attributes: { 'session.id': row.id, ...more.attributes } })
  const now = Date.now()
  const about = { 'mcp.session.title': row.title, 'mcp.workflow.type': row.workflow_type, ...(row.host ? { 'mcp.client.name': row.host } : {}), ...(row.server ? { 'mcp.server.name': row.server } : {}), ...(row.engine ? { 'mcp.workflow.engine': row.engine } : {}), ...(row.sources ? { 'mcp.session.sources': row.sources, 'process.working_directory': row.directory, 'vcs.ref.head.name': row.branch } : {}) }
  const start = time(row.started_at)
  await spans([own({ name: 'session.start', start, end: start, attributes: about })])
  await spans(made.body().toString().trim().split('\n').map((line) => fromLine(JSON.parse(line))))
  for (const { used } of row.tokens_spark) {
    await spans([own({ name: 'notifications/host.heartbeat', start: now, end: now, attributes: { 'mcp.host.tokens.used': used, 'mcp.host.tokens.limit': row.tokens.limit } })])
  }
  const last = []
  if (row.phase) last.push(own({ name: 'notifications/host.heartbeat', start: time(row.phase_since), end: time(row.phase_since), attributes: { 'mcp.host.phase': row.phase, ...(row.current_task ? { 'mcp.host.current_task': row.current_task } : {}) } }))
  if (row.host_error) last.push(own({ name: 'notifications/host.error', start: time(row.host_error.time), end: time(row.host_error.time), error: row.host_error.message, attributes: { 'mcp.host.error.type': row.host_error.type, 'mcp.host.error.retrying': true, 'mcp.host.error.retry_count': row.host_error.retry_count, 'mcp.error.message': row.host_error.message } }))
  if (row.usage && !row.llm_calls) last.push(own({ name: 'llm.generate', kind: 'CLIENT', start: start + 1000, end: start + 9000, attributes: { 'mcp.llm.model': row.model, 'gen_ai.usage.input_tokens': row.usage.input_tokens, 'gen_ai.usage.output_tokens': row.usage.output_tokens, 'gen_ai.usage.cache_read.input_tokens': row.usage.cache_read_input_tokens, ...(row.usage.cost_usd ? { 'mcp.llm.cost_usd': row.usage.cost_usd } : {}) } }))
  if (row.stalled?.reason === 'host_silent') last.push(own({ name: 'mcp.host.stalled', start: time(row.stalled.since), end: time(row.stalled.since), error: 'silent', attributes: { 'mcp.host.phase': row.phase } }))
  if (row.stalled?.reason === 'call_stuck') last.push(own({ name: 'mcp.call.stuck', parent: row.open_calls[0].span_id, start: time(row.stalled.since), end: time(row.stalled.since), error: 'stuck' }))
  if (row.ended_at && row.engine !== 'inbound') last.push(own({ name: 'workflow.run', id: made.root, parent: undefined, start, end: time(row.ended_at), error: row.error, attributes: { ...about, 'mcp.session.end_reason': row.end_reason } }))
  for (const span of last) await spans([span])
}

function fromLine(line) {
  return {
    trace: line.trace_id, id: line.span_id ?? hex(8), parent: line.parent_span_id, name: line.name, kind: line.kind.replace('SpanKind.', ''), start: time(line.start_time),
    end: line.end_time && time(line.end_time), attributes: line.attributes, error: line.status.description, service: line.resource.attributes['service.name'],
    links: line.links.map(({ context }) => ({ trace: context.trace_id.slice(2), span: context.span_id.slice(2) })),
    events: line.events.map((e) => ({ ...e, time: time(e.time) })),
  }
}
