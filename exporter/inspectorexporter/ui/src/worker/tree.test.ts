import { expect, test } from 'vitest'
import { Model } from './model'
import { pack, unpack } from './pack'
import { isForeign, isRunning, isStitched, parseLine } from './span'
import { hasChildren, isCollapsed, isHit, layOut, type ViewOptions } from './tree'

const all: ViewOptions = { collapsed: [], query: '', only: 'all', quiet: false, twins: false }
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
}

function line({ id, parent, trace = 't', name = 'tool.call', start = 0, kind = 'INTERNAL', error, service = 's', attributes = {}, ...rest }: Made) {
  const end = 'end' in rest ? rest.end : start + 10
  return parseLine(JSON.stringify({
    trace_id: trace, span_id: id, ...(parent ? { parent_span_id: parent } : {}), name, start_time: t(start), ...(end === undefined ? {} : { end_time: t(end) }),
    attributes, status: { status_code: error ? 'ERROR' : 'UNSET' }, kind: `SpanKind.${kind}`, resource: { attributes: { 'service.name': service } },
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

test('a marker shows the span that it announces until that comes', () => {
  const m = model({ id: 'm', parent: 'root', name: 'session.start', end: 0, attributes: { 'mcp.session.title': 'Title' } }, { id: 'a', parent: 'root', start: 5 })
  expect(rows(m)).toEqual(['root', '  a'])
  expect(m.spans[1]!.label).toBe('Title')
  expect(m.spans[1]!.flags & isRunning).toBeTruthy()
  m.add(line({ id: 'root', name: 'workflow.run', end: 90 }))
  expect(rows(m)).toEqual(['root', '  a'])
  expect(m.spans[1]!.end - m.spans[1]!.start).toBe(90)
})

test('another trace joins the call that has its request id', () => {
  const request = { 'mcp.request_id': 'req-12345678' }
  const m = model({ id: 'root', name: 'workflow.run' }, { id: 'call', parent: 'root', kind: 'CLIENT', attributes: request })
  m.add(line({ id: 'work', parent: 'srv', trace: 'u', start: 3, service: 'other' }), true)
  m.add(line({ id: 'srv', trace: 'u', name: 'workflow.run', kind: 'SERVER', start: 2, service: 'other', attributes: request }), true)
  m.take()
  expect(rows(m)).toEqual(['root', '  call', '    srv', '      work'])
  expect(m.spans[2]!.flags & isStitched).toBeTruthy()
  expect(m.spans[2]!.flags & isForeign).toBeTruthy()
  expect(m.unanswered()).toEqual([])
})

test('short request ids and those of two calls join nothing', () => {
  for (const id of ['1', 'req-12345678']) {
    const request = { 'mcp.request_id': id }
    const m = model({ id: 'root', name: 'workflow.run' }, { id: 'c1', parent: 'root', attributes: request }, { id: 'c2', parent: 'root', start: 1, attributes: request }, { id: 'srv', trace: 'u', name: 'workflow.run', kind: 'SERVER', start: 2, attributes: request })
    expect(rows(m)).toEqual(['root', '  c1', '  c2', 'srv'])
  }
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
  expect(layOut(model(...some), all).hidden).toBe(1)
  expect(rows(model(...some), { ...all, quiet: true })).toContain('  h')
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
