// The sessions of the development server, in memory. NOT the gateway: it knows just enough of openapi.yaml for
// work on the web UI.
import { randomBytes } from 'node:crypto'

const hex = (bytes) => randomBytes(bytes).toString('hex')
export const iso = (ms) => new Date(ms).toISOString()

/** One session: its lines, its row, and who wants to know of changes. */
export class Session {
  constructor(store, id, row = {}) {
    this.store = store
    this.text = []
    this.bytes = 0
    this.trace = hex(16)
    this.root = hex(8)
    this.service = row.host ?? 'mcp-client'
    const start = row.start ?? Date.now()
    delete row.start
    this.row = {
      id, status: 'running', state: 'running', engine: 'mcp', workflow_type: 'mcp_session', title: `session ${id}`, trace_id: this.trace, root_span_id: this.root,
      started_at: iso(start), last_seen: iso(start), open_calls: [], open_call_count: 0, errors: 0, span_count: 0, trace_bytes: 0, trace_epoch: 1,
      tool_calls: 0, llm_calls: 0, agents: 0, tokens_spark: [], ...row,
    }
  }

  line(span) {
    const ids = { trace_id: span.trace ?? this.trace, span_id: span.id ?? hex(8) }
    const out = {
      ...ids, ...(span.parent === null ? {} : { parent_span_id: span.parent ?? this.root }), name: span.name, start_time: iso(span.start),
      ...(span.end === undefined ? {} : { end_time: iso(span.end) }),
      attributes: { 'session.id': this.row.id, ...span.attributes }, status: span.error ? { status_code: 'ERROR', description: span.error } : { status_code: 'UNSET' },
      events: (span.events ?? []).map((e) => ({ name: e.name, time: iso(e.time), timestamp: iso(e.time), attributes: e.attributes ?? {} })),
      context: { trace_id: '0x' + ids.trace_id, span_id: '0x' + ids.span_id, trace_state: '[]' }, kind: `SpanKind.${span.kind ?? 'INTERNAL'}`,
      parent_id: span.parent === null ? null : '0x' + (span.parent ?? this.root), links: (span.links ?? []).map((link) => ({ context: { trace_id: '0x' + link.trace, span_id: '0x' + link.span }, attributes: {} })),
      resource: { attributes: { 'service.name': span.service ?? this.service }, schema_url: '' },
    }
    const line = Buffer.from(JSON.stringify(out) + '\n')
    this.text.push(line)
    this.bytes += line.length
    this.row.trace_bytes = this.bytes
    this.row.last_seen = iso(Math.max(Date.parse(this.row.last_seen), span.end ?? span.start))
    if (span.end !== undefined) {
      this.row.span_count++
      if (span.error) this.row.errors++
      if (span.name === 'tool.call') this.row.tool_calls++
      if (span.name === 'llm.generate') this.row.llm_calls++
      if (span.name === 'agent.call') this.row.agents++
    }
    return ids.span_id
  }

  open(span) {
    const id = this.line(span)
    this.row.open_calls.push({ span_id: id, trace_id: this.trace, name: span.name, detail: span.detail, about: span.about, started_at: iso(span.start), stuck: span.stuck ?? false })
    this.row.open_call_count = this.row.open_calls.length
    return id
  }

  close(id, span) {
    this.line({ ...span, id })
    this.row.open_calls = this.row.open_calls.filter((c) => c.span_id !== id)
    this.row.open_call_count = this.row.open_calls.length
  }

  set(part) {
    Object.assign(this.row, part)
    this.changed()
  }

  tokens(used, limit, at = Date.now()) {
    this.row.tokens = { used, limit, percent: (100 * used) / limit }
    this.row.tokens_spark = [...this.row.tokens_spark, { time: iso(at), used }].slice(-60)
  }

  changed() {
    this.store.tell({ type: 'SessionChanged', session: this.row })
  }

  body() {
    if (this.text.length > 1) this.text = [Buffer.concat(this.text)]
    return this.text[0] ?? Buffer.alloc(0)
  }
}

export class Store {
  sessions = new Map()
  readers = new Set()

  session(id, row) {
    const session = new Session(this, id, row)
    this.sessions.set(id, session)
    return session
  }

  tell(event) {
    const frame = `data: ${JSON.stringify(event)}\n\n`
    for (const reader of this.readers) reader.write(frame)
  }
}
