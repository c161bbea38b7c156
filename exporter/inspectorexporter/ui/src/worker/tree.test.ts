import { expect, test } from 'vitest'
import { Model } from './model'
import { pack, unpack } from './pack'
import { isRunning, isStitched, parseLine } from './span'
import { hasChildren, isCollapsed, isElsewhere, isHit, layOut, type ViewOptions } from './tree'

const all: ViewOptions = { collapsed: [], query: '', only: 'all', records: false }
const t = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()

interface Made {
  id: string
  parent?: string
  trace?: string
  name?: string
  start?: number
  end?: number | undefined
  kind?: string
  error?: boolean
  service?: string
  attributes?: Record<string, unknown>
  link?: string // trace and span id
}

function line({ id, parent, trace = 't', name = 'tool.call', start = 0, kind = 'INTERNAL', error, service = 's', attributes = {}, link, ...rest }: Made) {
  const end = 'end' in rest ? rest.end : start + 10
  return parseLine(JSON.stringify({
    trace_id: trace, span_id: id, ...(parent ? { parent_span_id: parent } : {}), name, start_time: t(start), ...(end === undefined ? {} : { end_time: t(end) }),
    attributes, ...(link ? { links: [{ context: { trace_id: `0x${link[0]}`, span_id: `0x${link.slice(1)}` } }] } : {}), status: { status_code: error ? 'ERROR' : 'UNSET' }, kind: `SpanKind.${kind}`, resource: { attributes: { 'service.name': service } },
  }), 'session', 0, 1)
}

function rows(model: Model, options = all): string[] {
  const view = layOut(model, options)
  return [...view.order].map((at, i) => '  '.repeat(view.depth[i]!) + model.spans[at]!.id)
}

function model(...made: Made[]): Model {
  const m = new Model()
  made.forEach((one) => m.add(line(one)))
  m.take()
  return m
}

test('spans stand under their parents, the earliest first', () => {
  const m = model({ id: 'b', parent: 'root', start: 5 }, { id: 'c', parent: 'a', start: 3 }, { id: 'a', parent: 'root', start: 1 }, { id: 'root', name: 'workflow.run', end: 100 })
  expect(rows(m)).toEqual(['root', '  a', '    c', '  b'])
})

test('a span whose parent is not there stands under the root of its trace', () => {
  expect(rows(model({ id: 'root', name: 'workflow.run' }, { id: 'a', parent: 'gone', start: 2 }))).toEqual(['root', '  a'])
  expect(rows(model({ id: 'a', parent: 'gone' }))).toEqual(['a'])
})

test('parents in a circle lose no span', () => {
  expect(rows(model({ id: 'a', parent: 'b' }, { id: 'b', parent: 'a', start: 1 }, { id: 'c', parent: 'c', start: 2 })).map((r) => r.trim()).sort()).toEqual(['a', 'b', 'c'])
})

test('ten thousand levels are no trouble', () => {
  const m = new Model()
  for (let i = 0; i < 10_000; i++) m.add(line({ id: `${i}`, ...(i ? { parent: `${i - 1}` } : {}), start: i }))
  expect(layOut(m, all).order).toHaveLength(10_000)
  expect(layOut(m, { ...all, query: '9999' }).hits).toBe(1)
})

test('the later line of a span takes the place of the earlier', () => {
  const m = model({ id: 'a', end: undefined })
  expect(m.spans[0]!.flags & isRunning).toBeTruthy()
  m.add(line({ id: 'a', end: 50 }))
  expect(m.spans).toHaveLength(1)
  expect(m.spans[0]!.flags & isRunning).toBe(0)
})

test('a marker has no row', () => {
  expect(rows(model({ id: 'root', name: 'workflow.run', end: undefined }, { id: 'm', parent: 'root', name: 'session.start', end: 0 }, { id: 'a', parent: 'root', start: 5 }))).toEqual(['root', '  a'])
})

/** All orders of some things. */
function orders<T>(of: T[]): T[][] {
  return of.length < 2 ? [of] : of.flatMap((one, i) => orders([...of.slice(0, i), ...of.slice(i + 1)]).map((rest) => [one, ...rest]))
}

const client: Made[] = [{ id: 'root', name: 'workflow.run' }, { id: 'call', parent: 'root', kind: 'CLIENT', start: 1 }]
const server: Made[] = [{ id: 'work', parent: 'srv', trace: 'u', start: 3, service: 'other' }, { id: 'srv', trace: 'u', name: 'workflow.run', kind: 'SERVER', start: 2, service: 'other' }]

test('a trace stands under the call that a link ties it to, whichever side has the link, in each order', () => {
  for (const side of ['call', 'srv']) {
    const made = [...client, ...server].map((one) => (one.id === side ? { ...one, link: side === 'call' ? 'usrv' : 'tcall' } : one))
    for (const order of orders(made)) expect(rows(model(...order))).toEqual(['root', '  call', '    srv', '      work'])
  }
})

test('a call without a parent claims the trace that it links to', () => {
  for (const order of orders([{ id: 'call', kind: 'CLIENT', link: 'usrv' }, ...server])) expect(rows(model(...order))).toEqual(['call', '  srv', '    work'])
})

test('what has its parent elsewhere, or a trace of its own, stands under the session that it links to', () => {
  const made: Made[] = [{ id: 'root', name: 'workflow.run' }, { id: 'turn', name: 'agent.turn', trace: 'u', link: 'troot', start: 1 }, { id: 'far', parent: 'gone', trace: 'v', kind: 'CLIENT', link: 'troot', start: 2 }]
  for (const order of orders(made)) expect(rows(model(...order))).toEqual(['root', '  turn', '  far'])
})

test('a session does not stand under its own spans, all of which link to it', () => {
  const made: Made[] = [{ id: 'root', name: 'workflow.run', start: 2 }, { id: 'turn', name: 'agent.turn', trace: 'u', link: 'troot', start: 1 }, { id: 'tool', parent: 'turn', trace: 'u', link: 'troot', start: 2 }]
  for (const order of orders(made)) expect(rows(model(...order))).toEqual(['root', '  turn', '    tool'])
})

test('a session that goes on in another trace stands beside itself', () => {
  expect(rows(model({ id: 'root', name: 'workflow.run' }, { id: 'next', trace: 'u', name: 'workflow.run', link: 'troot', start: 5 }))).toEqual(['root', 'next'])
})

test('a joined trace is marked, and those that links name are looked for', () => {
  const m = model({ id: 'root', name: 'workflow.run' }, { id: 'call', parent: 'root', kind: 'CLIENT', link: 'usrv' })
  expect(m.missing()).toEqual(['u'])
  expect(m.ties(line(server[0]!))).toBe(true)
  for (const one of server) m.add(line(one), true)
  m.take()
  expect(m.missing()).toEqual([])
  expect(m.spans[2]!.flags & isStitched).toBeTruthy()
  const { marks } = layOut(m, all)
  expect([...marks].map((mark) => (mark & isElsewhere) !== 0)).toEqual([false, false, true, false])
})

test('a request id finds sessions to look at, and ties nothing', () => {
  const request = { 'mcp.request_id': 'req-12345678' }
  const m = model({ id: 'root', name: 'workflow.run' }, { id: 'call', parent: 'root', kind: 'CLIENT', attributes: request }, { id: 'short', parent: 'root', kind: 'CLIENT', attributes: { 'mcp.request_id': '1' } })
  expect(m.missing()).toEqual(['req-12345678'])
  expect(m.ties(line({ ...server[1]!, attributes: request }))).toBe(false)
  const root = line({ ...server[1]!, attributes: request, link: 'tcall' })
  expect(m.ties(root)).toBe(true)
  m.add(root, true)
  expect(m.missing()).toEqual([])
})

test('what repeats another span has no row, and what stands under it is not lost', () => {
  const m = model({ id: 'root', name: 'workflow.run' }, { id: 'hook', parent: 'root', start: 5 }, { id: 'native', parent: 'root', start: 6, attributes: { 'mcp.duplicate_of': 'hook' } }, { id: 'wire', parent: 'native', start: 7 })
  expect(rows(m)).toEqual(['root', '  hook', '    wire'])
  expect(rows(m, { ...all, records: true })).toEqual(['root', '  hook', '  native', '    wire'])
  const both = model({ id: 'root', name: 'workflow.run' }, { id: 'a', parent: 'root', attributes: { 'mcp.duplicate_of': 'b' } }, { id: 'b', parent: 'root', attributes: { 'mcp.duplicate_of': 'a' } })
  expect(rows(both, { ...all, records: true })).toHaveLength(3)
})

test('what was announced under another id ends with its own, in each order', () => {
  const made: Made[] = [{ id: 'root', name: 'workflow.run' }, { id: 'hook', parent: 'root', start: 5, end: undefined }, { id: 'wire', parent: 'hook', start: 6 }, { id: 'native', parent: 'root', start: 5, attributes: { 'mcp.announced_as': 'hook' } }]
  for (const order of orders(made)) expect(rows(model(...order))).toEqual(['root', '  native', '    wire'])
})

test('a phase that waits for approval is a wait and still a phase; turns fold', () => {
  const m = model({ id: 'root', name: 'workflow.run' }, { id: 'p', parent: 'root', name: 'host.phase', start: 5, attributes: { 'mcp.host.phase': 'waiting_approval' } }, { id: 'q', parent: 'root', name: 'host.phase', start: 15, attributes: { 'mcp.host.phase': 'working' } },
    { id: 'turn', parent: 'root', name: 'agent.turn', start: 20, attributes: { 'mcp.turn.index': 3 } }, { id: 'tool', parent: 'turn', start: 21 })
  expect(rows(m)).toEqual(['root', '  p', '  turn', '    tool'])
  const view = layOut(m, all)
  expect([view.phases, view.turns, view.story]).toEqual([[1, 2], ['tturn'], true])
  expect(m.spans[3]!.label).toBe('Turn 3')
})

const some: Made[] = [
  { id: 'root', name: 'workflow.run' }, { id: 'a', parent: 'root', name: 'agent.call', start: 1 }, { id: 'b', parent: 'a', start: 2, error: true, attributes: { 'mcp.tool.input_json': '{"path":"Needle.py"}' } },
  { id: 'c', parent: 'root', start: 3 }, { id: 'h', parent: 'root', name: 'notifications/host.heartbeat', start: 4, end: 4 },
]

test('what is searched for stays with what is above it', () => {
  const view = layOut(model(...some), { ...all, query: 'needle' })
  expect(rows(model(...some), { ...all, query: 'needle' })).toEqual(['root', '  a', '    b'])
  expect([...view.marks].map((m) => m & isHit)).toEqual([0, 0, isHit])
  expect(rows(model(...some), { ...all, only: 'errors' })).toEqual(['root', '  a', '    b'])
  expect(rows(model(...some), { ...all, query: '(' })).toEqual([])
})

test('folding hides what is below', () => {
  const view = layOut(model(...some), { ...all, collapsed: ['ta'] })
  expect(view.order).toHaveLength(3)
  expect(view.marks[1]).toBe(hasChildren | isCollapsed)
})

test('heartbeats have rows only when wanted', () => {
  expect(rows(model(...some))).not.toContain('  h')
  expect(rows(model(...some), { ...all, records: true })).toContain('  h')
})

test('spans are the same after they were handed over', () => {
  const { spans } = model(...some, { id: 'open', end: undefined, attributes: { 'mcp.request_id': 'r' } })
  const got: typeof spans = []
  unpack(structuredClone(pack([...spans.keys()], spans)), got)
  expect(got).toEqual(spans)
})

test('lines that are no spans are refused', () => {
  expect(() => parseLine('{"a":1}', 's', 0, 1)).toThrow()
  expect(() => parseLine('nonsense', 's', 0, 1)).toThrow()
})
