// Serves what openapi.yaml describes, from memory. NOT the gateway: no limits, no checks, no files.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const order = ['stalled', 'waiting', 'running', 'idle', 'failed', 'done']

export function serve(store, port, dist) {
  const server = createServer((request, response) => {
    route(store, dist, request, response).catch((error) => json(response, 500, { error: String(error) }))
  })
  server.listen(port, 'localhost')
  return server
}

async function route(store, dist, request, response) {
  const url = new URL(request.url, 'http://localhost')
  const path = url.pathname.replace('/_inspector/', '')
  if (path.startsWith('ui')) return file(dist, path, response)
  if (path === 'health') return json(response, 200, health(store))
  if (path === 'events') return events(store, request, response)
  if (path === 'streams') return json(response, 200, { streams: [] })
  if (path === 'sessions') return json(response, 200, list(store, url.searchParams))
  const session = store.sessions.get(path.split('/')[1])
  if (!session) return json(response, 404, { error: 'no such session' })
  if (path.startsWith('sessions/')) return json(response, 200, session.row)
  trace(session, url.searchParams, request, response)
}

async function file(dist, path, response) {
  const name = path === 'ui' || path === 'ui/' ? 'index.html' : path.slice(3).replaceAll('..', '')
  const body = await readFile(new URL(name, dist)).catch(() => undefined)
  if (!body) return json(response, 404, { error: 'no such file' })
  response.writeHead(200, { 'Content-Type': types[name.split('.').pop()], 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' })
  response.end(body)
}

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' })
  response.end(JSON.stringify(body))
}

const health = (store) => ({
  name: 'otelcol-mcp', version: 'dev', writer_id: 'dev', started_at: new Date().toISOString(), trace_url: 'http://localhost:16686/trace/{trace_id}?uiFind={span_id}',
  storage: { ok: true, restoring: false }, sessions: store.sessions.size,
})

function list(store, parameters) {
  const q = (parameters.get('q') ?? '').toLowerCase()
  const wanted = parameters.get('state')?.split(',')
  const limit = Number(parameters.get('limit') ?? 100)
  const from = Number(parameters.get('cursor') ?? 0)
  const matching = [...store.sessions.values()].map((s) => s.row).filter((r) => [r.id, r.title, r.host, r.server, r.current_task, r.trace_id].some((f) => f?.toLowerCase().includes(q)))
  const counts = Object.fromEntries(order.map((state) => [state, matching.filter((r) => r.state === state).length]))
  const rows = matching.filter((r) => !wanted || wanted.includes(r.state))
  const newest = (a, b) => (a.started_at < b.started_at ? 1 : -1)
  rows.sort((a, b) => (parameters.get('order') === 'attention' && order.indexOf(a.state) - order.indexOf(b.state)) || newest(a, b))
  const next = from + limit < rows.length ? { next_cursor: String(from + limit) } : {}
  return { sessions: rows.slice(from, from + limit), ...next, total: rows.length, counts }
}

function events(store, request, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  response.write('data: {"type":"Connected","message":"Connected to the development server","writer_id":"dev","replay":"none"}\nretry: 2000\n\n')
  store.readers.add(response)
  request.on('close', () => store.readers.delete(response))
}

function trace(session, parameters, request, response) {
  const body = session.body()
  const head = { 'Content-Type': 'application/x-ndjson', 'X-Trace-Epoch': String(session.row.trace_epoch), ETag: `W/"${body.length}"`, 'Accept-Ranges': 'bytes' }
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  if (parameters.get('download')) {
    response.writeHead(200, { ...head, 'Content-Type': 'application/gzip', 'Content-Disposition': `attachment; filename="${session.row.id}.jsonl.gz"` })
    return response.end(gzipSync(body))
  }
  if (!range) {
    response.writeHead(200, { ...head, 'Content-Encoding': 'gzip' })
    return response.end(gzipSync(body, { level: 1 }))
  }
  const from = Number(range[1])
  if (from >= body.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${body.length}` })
    return response.end()
  }
  const to = range[2] ? Math.min(Number(range[2]), body.length - 1) : body.length - 1
  response.writeHead(206, { ...head, 'Content-Range': `bytes ${from}-${to}/${body.length}` })
  response.end(body.subarray(from, to + 1))
}
