// Sends to the collector under test, whose addresses the Go test gives, and asks its gateway.
import { randomBytes } from 'node:crypto'

export const page = process.env.PAGE // http://…/_inspector/ui
const mcp = process.env.MCP
const otlp = process.env.OTLP // of the mcp receiver, which makes sessions
const behind = process.env.BEHIND // of the gateway, for what another collector's receiver has made

export const hex = (bytes) => randomBytes(bytes).toString('hex')

async function post(url, type, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body })
  const text = await response.text()
  if (!response.ok || text.includes('rejected')) throw new Error(`${url} answers ${response.status}: ${text}`)
}

/** Observation records, as mcptap sends them. */
export function observe(records) {
  return post(`${mcp}/v1/observations`, 'application/x-ndjson', records.map((r) => JSON.stringify(r)).join('\n'))
}

export function inspectorEvents(events) {
  return post(`${mcp}/v1/inspector/events`, 'application/json', JSON.stringify(events))
}

/** An event of an agent's hooks, as mcptap passes it on. */
export function hook(agent, event, query = '') {
  return post(`${mcp}/v1/hooks/${agent}${query}`, 'application/json', JSON.stringify(event))
}

/** Traces as an agent sent them, in OTLP's JSON. */
export const otlpTraces = (json) => post(`${otlp}/v1/traces`, 'application/json', json)

/** Log records that an agent's own telemetry sends: of that service and scope, with a body and attributes. */
export function logs(service, scope, records) {
  const logRecords = records.map(({ body, time, attributes: said }) => ({
    timeUnixNano: nano(time), body: { stringValue: body }, attributes: attributes(said),
  }))
  const resource = { attributes: [attribute('service.name', service)] }
  return post(`${otlp}/v1/logs`, 'application/json', JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: scope }, logRecords }] }] }))
}

/** A tool call, and its answer if there is one. */
export function call(session, id, name, args, result) {
  const around = { session, client: 'test-agent', server: 'test-server', transport: 'stdio' }
  const request = { ...around, direction: 'client_to_server', message: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } } }
  return result === undefined ? [request] : [request, { ...around, direction: 'server_to_client', message: { jsonrpc: '2.0', id, result } }]
}

export const text = (t) => ({ content: [{ type: 'text', text: t }] })

/** Spans in the form of trace lines, sent as any SDK would. */
export const spans = (lines) => send(lines, otlp)

/** The same from another collector, which says of their sessions in state records what there is to know. */
export const passed = (lines) => send(lines, behind)

async function send(lines, to) {
  const byService = Map.groupBy ? Map.groupBy(lines, (l) => l.service ?? 'agent') : group(lines)
  const resourceSpans = [...byService].map(([service, of]) => ({
    resource: { attributes: [attribute('service.name', service)] }, scopeSpans: [{ scope: { name: 'test' }, spans: of.map(span) }],
  }))
  await post(`${to}/v1/traces`, 'application/json', JSON.stringify({ resourceSpans }))
}

const unix = (text) => Date.parse(text) * 1e6
let sequence = 0

/** State records of a session, by the rows that they make (docs/spans.md, "The state of a session"). */
export function states(...rows) {
  const resource = { attributes: attributes({ 'service.name': rows[0].host ?? 'mcp-client' }) }
  return post(`${behind}/v1/logs`, 'application/json', JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: rows.map(stateRecord) }] }] }))
}

function stateRecord(row) {
  const { waiting: asked, host_error: failed, stalled, tokens, usage = {} } = row
  const known = {
    'session.id': row.id, 'mcp.session.epoch': 1, 'mcp.session.state.name': row.state, 'mcp.session.state.sequence': ++sequence, 'mcp.session.state.writer': 'test',
    'mcp.session.start_time_unix_nano': unix(row.started_at), 'mcp.session.end_time_unix_nano': row.ended_at && unix(row.ended_at), 'mcp.session.end_reason': row.end_reason,
    'mcp.status.code': row.ended_at && (row.state === 'failed' ? 'error' : 'ok'), 'mcp.error.message': row.ended_at && row.error,
    'mcp.workflow.type': row.workflow_type, 'mcp.workflow.engine': row.engine === 'mcp' ? undefined : row.engine, 'mcp.session.title': row.title,
    'process.working_directory': row.directory, 'vcs.ref.head.name': row.branch, 'mcp.client.name': row.host, 'mcp.server.name': row.server, 'mcp.llm.model': row.model, 'mcp.session.sources': row.sources,
    'mcp.host.phase': row.phase, 'mcp.host.phase_since_unix_nano': row.phase && unix(row.phase_since), 'mcp.host.current_task': row.current_task,
    ...(asked ? { 'mcp.wait.kind': asked.kind ?? 'signal', 'mcp.wait.name': asked.name, 'mcp.wait.tool': asked.tool, 'mcp.wait.detail': asked.detail, 'mcp.wait.prompt': asked.prompt, 'mcp.wait.span_id': asked.span_id, 'mcp.wait.since_unix_nano': unix(asked.since) } : {}),
    ...(failed ? { 'mcp.host.error.time_unix_nano': unix(failed.time), 'mcp.host.error.type': failed.type, 'mcp.host.error.message': failed.message, 'mcp.host.error.retrying': failed.retrying, 'mcp.host.error.retry_count': failed.retry_count } : {}),
    ...(stalled ? { 'mcp.session.stalled.reason': stalled.reason, 'mcp.session.stalled.detail': stalled.detail, 'mcp.session.stalled.since_unix_nano': unix(stalled.since) } : {}),
    ...(tokens ? { 'mcp.host.tokens.used': tokens.used, 'mcp.host.tokens.limit': tokens.limit } : {}),
    'mcp.session.open_calls.count': row.open_call_count, 'mcp.session.open_calls': row.open_calls.map((c) => ({ span_id: c.span_id, trace_id: c.trace_id, name: c.name, target: c.detail, detail: c.about, start_time_unix_nano: unix(c.started_at), stuck: c.stuck })),
    'mcp.summary.llm_calls': row.llm_calls, 'mcp.summary.tool_calls': row.tool_calls, 'mcp.summary.agents': row.agents, 'mcp.summary.turns': row.turns, 'mcp.summary.errors': row.errors, 'mcp.summary.refusals': row.refusals,
    'mcp.summary.input_tokens': usage.input_tokens, 'mcp.summary.output_tokens': usage.output_tokens, 'mcp.summary.cache_read_tokens': usage.cache_read_input_tokens, 'mcp.summary.cost_usd': usage.cost_usd, 'mcp.summary.cost_estimated_usd': usage.cost_estimated_usd, 'mcp.summary.cost_source': usage.cost_source,
  }
  return { eventName: 'mcp.session.state', traceId: row.trace_id, spanId: row.root_span_id, timeUnixNano: nano(Date.parse(row.last_seen)), attributes: attributes(known) }
}

function group(lines) {
  const groups = new Map()
  for (const line of lines) {
    const service = line.service ?? 'agent'
    groups.set(service, [...(groups.get(service) ?? []), line])
  }
  return groups
}

const kinds = { INTERNAL: 1, SERVER: 2, CLIENT: 3 }
const nano = (ms) => `${BigInt(Math.round(ms * 1000)) * 1000n}`

function span(l) {
  return {
    traceId: l.trace, spanId: l.id ?? hex(8), ...(l.parent ? { parentSpanId: l.parent } : {}), name: l.name, kind: kinds[l.kind ?? 'INTERNAL'],
    startTimeUnixNano: nano(l.start), ...(l.end === undefined ? {} : { endTimeUnixNano: nano(l.end) }),
    attributes: attributes(l.attributes ?? {}), status: l.error ? { code: 2, message: l.error } : {},
    links: (l.links ?? []).map((link) => ({ traceId: link.trace, spanId: link.span })),
    events: (l.events ?? []).map((e) => ({ name: e.name, timeUnixNano: nano(e.time), attributes: attributes(e.attributes ?? {}) })),
  }
}

const attributes = (all) => Object.entries(all).filter(([, v]) => v !== undefined).map(([k, v]) => attribute(k, v))
const attribute = (key, v) => ({ key, value: value(v) })

function value(v) {
  if (typeof v === 'boolean') return { boolValue: v }
  if (typeof v === 'number') return Number.isInteger(v) ? { intValue: `${BigInt(v)}` } : { doubleValue: v }
  if (Array.isArray(v)) return { arrayValue: { values: v.map(value) } }
  if (typeof v === 'object') return { kvlistValue: { values: attributes(v) } }
  return { stringValue: v }
}

export async function session(id) {
  const response = await fetch(new URL(`/_inspector/sessions/${id}`, page))
  return response.ok ? response.json() : undefined
}

/** Asks until it holds, so that nothing is left to chance. */
export async function until(what, holds, patience = 30_000) {
  const end = Date.now() + patience
  while (Date.now() < end) {
    const answer = await holds()
    if (answer) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${what}: not within ${patience} ms`)
}

/** Checks until nothing is thrown: what is shown follows what comes. The last error counts. */
export async function eventually(check, patience = 30_000) {
  const end = Date.now() + patience
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A client of the collector's own MCP server, as agent hosts are. */
export async function mcpClient(name) {
  let session
  const send = async (message) => {
    const response = await fetch(`${mcp}/mcp`, {
      method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...(session ? { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-06-18' } : {}) },
    })
    if (!response.ok) throw new Error(`/mcp answers ${response.status}: ${await response.text()}`)
    session ??= response.headers.get('Mcp-Session-Id')
    await response.text()
  }
  await send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1.0' } } })
  await send({ method: 'notifications/initialized' })
  return { session, notify: (method, params) => send({ method, params }), request: (id, method, params) => send({ id, method, params }) }
}
