// Sends to the collector under test, whose addresses the Go test gives, and asks its gateway.
import { randomBytes } from 'node:crypto'

export const page = process.env.PAGE // http://…/_inspector/ui
const mcp = process.env.MCP
const otlp = process.env.OTLP

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
export function hook(agent, event) {
  return post(`${mcp}/v1/hooks/${agent}`, 'application/json', JSON.stringify(event))
}

/** Traces as an agent sent them, in OTLP's JSON. */
export const otlpTraces = (json) => post(`${otlp}/v1/traces`, 'application/json', json)

/** Log records that an agent's own telemetry sends: of that service and scope, with a body and attributes. */
export function logs(service, scope, records) {
  const logRecords = records.map(({ body, time, attributes }) => ({
    timeUnixNano: nano(time), body: { stringValue: body }, attributes: Object.entries(attributes).map(([k, v]) => attribute(k, v)),
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
export async function spans(lines) {
  const byService = Map.groupBy ? Map.groupBy(lines, (l) => l.service ?? 'agent') : group(lines)
  const resourceSpans = [...byService].map(([service, of]) => ({
    resource: { attributes: [attribute('service.name', service)] }, scopeSpans: [{ scope: { name: 'test' }, spans: of.map(span) }],
  }))
  await post(`${otlp}/v1/traces`, 'application/json', JSON.stringify({ resourceSpans }))
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
    attributes: Object.entries(l.attributes ?? {}).map(([k, v]) => attribute(k, v)), status: l.error ? { code: 2, message: l.error } : {},
    links: (l.links ?? []).map((link) => ({ traceId: link.trace, spanId: link.span })),
    events: (l.events ?? []).map((e) => ({ name: e.name, timeUnixNano: nano(e.time), attributes: Object.entries(e.attributes ?? {}).map(([k, v]) => attribute(k, v)) })),
  }
}

function attribute(key, value) {
  if (typeof value === 'boolean') return { key, value: { boolValue: value } }
  if (typeof value === 'number') return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }
  if (Array.isArray(value)) return { key, value: { arrayValue: { values: value.map((v) => attribute('', v).value) } } }
  return { key, value: { stringValue: value } }
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
