import { expect, test } from 'vitest'
import { Model } from './model'
import { isWait, parseLine } from './span'
import { layOut, type ViewOptions } from './tree'
import { series } from './usage'

const all: ViewOptions = { collapsed: [], query: '', only: 'all', quiet: false, twins: false }
const t = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()

function line(id: string, name: string, parent: string, start: number, attributes: Record<string, unknown> = {}, trace = 't') {
  return parseLine(JSON.stringify({
    trace_id: trace, span_id: id, ...(parent ? { parent_span_id: parent } : {}), name, start_time: t(start), end_time: t(start + 10), attributes, kind: 'SpanKind.INTERNAL',
  }), 'session', 0, 1)
}

function running(id: string, name: string, parent: string, start: number, attributes: Record<string, unknown> = {}) {
  const json = { trace_id: 't', span_id: id, parent_span_id: parent, name, start_time: t(start), attributes, kind: 'SpanKind.INTERNAL' }
  return parseLine(JSON.stringify(json), 'session', 0, 1)
}

function rows(model: Model, options = all): string[] {
  const view = layOut(model, options)
  return [...view.order].map((at, i) => '  '.repeat(view.depth[i]!) + model.spans[at]!.id)
}

function model(...made: ReturnType<typeof line>[]): Model {
  const m = new Model()
  made.forEach((one) => m.add(one))
  return m
}

test('what an agent tells in a trace for each turn stands under the session', () => {
  const m = model(line('root', 'workflow.run', '', 0), line('turn', 'claude_code.interaction', '', 5, {}, 'other'), line('tool', 'claude_code.tool', 'turn', 6, {}, 'other'), line('lost', 'claude_code.tool', 'gone', 7, {}, 'third'))
  expect(rows(m)).toEqual(['root', '  turn', '    tool', '  lost'])
})

test('each epoch has its own', () => {
  const m = model(line('root1', 'workflow.run', '', 0), line('root2', 'workflow.run', '', 100, {}, 'u'), line('a', 'agent.turn', '', 5, {}, 'x'), line('b', 'agent.turn', '', 105, {}, 'y'))
  expect(rows(m)).toEqual(['root1', '  a', 'root2', '  b'])
})

test('the wire’s call stands under the agent’s with the same id', () => {
  const wire = line('wire', 'tool.call', 'root', 6, { 'gen_ai.tool.call.id': 'toolu_1', 'mcp.rpc.id': '4' })
  const agent = line('agent', 'tool.call', 'turn', 5, { 'gen_ai.tool.call.id': 'toolu_1' })
  const rest = [line('root', 'workflow.run', '', 0), line('turn', 'agent.turn', 'root', 1), line('other', 'tool.call', 'root', 8, { 'gen_ai.tool.call.id': 'toolu_2', 'mcp.rpc.id': '5' })]
  const want = ['root', '  turn', '    agent', '      wire', '  other']
  expect(rows(model(wire, agent, ...rest))).toEqual(want)
  expect(rows(model(...rest, agent, wire))).toEqual(want)
})

test('what tells the same is folded, and what stands under it is not lost', () => {
  const m = model(line('root', 'workflow.run', '', 0), line('hook', 'tool.call', 'root', 5), line('native', 'claude_code.tool', 'root', 5, { 'mcp.duplicate_of': 'hook', 'mcp.status.code': 'error' }), line('wire', 'tool.call', 'native', 6, { 'mcp.rpc.id': '1' }))
  expect(rows(m)).toEqual(['root', '  hook', '    wire'])
  expect(rows(m, { ...all, twins: true })).toEqual(['root', '  hook', '    native', '    wire'])
  const view = layOut(m, all)
  expect([view.twins, view.errors]).toEqual([1, 0])
  expect(rows(model(line('root', 'workflow.run', '', 0), line('a', 'tool.call', 'root', 1, { 'mcp.duplicate_of': 'b' }), line('b', 'tool.call', 'root', 2, { 'mcp.duplicate_of': 'a' })), { ...all, twins: true })).toHaveLength(3)
})

test('what was announced as another span ends with its own, and what stands under it is not lost', () => {
  const root = line('root', 'workflow.run', '', 0)
  const start = running('hook', 'tool.call', 'root', 5, { 'gen_ai.tool.call.id': 'toolu_1' })
  const child = line('wire', 'tool.call', 'hook', 6, { 'mcp.rpc.id': '1' })
  const end = line('native', 'claude_code.tool', 'turn', 5, { 'mcp.announced_as': 'hook', 'gen_ai.tool.call.id': 'toolu_1' }, 'other')
  const want = ['root', '  native', '    wire']
  expect(rows(model(root, start))).toEqual(['root', '  hook'])
  expect(rows(model(root, start, child, end))).toEqual(want)
  expect(rows(model(root, end, start, child))).toEqual(want)
})

test('a phase that waits for approval is a wait and still a phase', () => {
  const m = model(line('root', 'workflow.run', '', 0), line('p', 'host.phase', 'root', 5, { 'mcp.host.phase': 'waiting_approval' }), line('q', 'host.phase', 'root', 15, { 'mcp.host.phase': 'working' }))
  expect(rows(m)).toEqual(['root', '  p'])
  expect(m.spans[1]!.flags & isWait).toBeTruthy()
  expect(layOut(m, all).phases).toEqual([1, 2])
})

test('turns are groups', () => {
  const m = model(line('root', 'workflow.run', '', 0), line('turn', 'agent.turn', 'root', 1, { 'mcp.turn.index': 3, 'gen_ai.usage.input_tokens': 10 }), line('tool', 'tool.call', 'turn', 2))
  const { turns } = layOut(m, all)
  expect(turns).toEqual(['tturn'])
  expect(m.spans[1]!.label).toBe('Turn 3')
  expect(rows(m, { ...all, collapsed: turns })).toEqual(['root', '  turn'])
})

test('tokens and cost are summed over time, of model calls only', () => {
  const took = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 5, 'mcp.llm.cost_usd': 0.5 }
  const m = model(line('root', 'workflow.run', '', 0), line('turn', 'agent.turn', 'root', 1, took), line('b', 'chat', 'turn', 20, { ...took, 'gen_ai.operation.name': 'chat' }), line('a', 'llm.generate', 'turn', 2, took), line('same', 'llm.generate', 'turn', 2, { ...took, 'mcp.duplicate_of': 'a' }))
  expect(layOut(m, all).usage.map(({ tokens, cost }) => [tokens, cost])).toEqual([[105, 0.5], [210, 1]])
})

test('hostile amounts are none, and a long series is thinned to its end', () => {
  const hostile = { 'gen_ai.usage.input_tokens': -5, 'gen_ai.usage.output_tokens': 'many', 'mcp.llm.cost_usd': 'Infinity' }
  expect(layOut(model(line('a', 'llm.generate', '', 1, hostile)), all).usage).toEqual([])
  const long = series(Array.from({ length: 5000 }, (_, i) => ({ time: 5000 - i, took: { input: 1, output: 0, cached: 0, cost: 0 } })))
  expect(long.length).toBeLessThanOrEqual(401)
  expect(long[long.length - 1]).toEqual({ time: 5000, tokens: 5000, cost: 0 })
})

test('a turn is there while it runs', () => {
  const start = parseLine(JSON.stringify({ trace_id: 't', span_id: 'start', parent_span_id: 'root', name: 'session.start', start_time: t(0), end_time: t(0), kind: 'SpanKind.INTERNAL' }), 'session', 0, 1)
  const open = parseLine(JSON.stringify({ trace_id: 't', span_id: 'bash', parent_span_id: 'root', name: 'tool.call', start_time: t(40), attributes: { 'gen_ai.tool.call.id': 'c' } }), 'session', 0, 1)
  const took = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 5, 'mcp.llm.cost_usd': 0.5 }
  const m = model(start, line('tool', 'tool.call', 'turn', 20), line('llm', 'llm.generate', 'turn', 10, took), open, line('wire', 'tools/list', 'root', 12, { 'mcp.rpc.id': '1' }))
  expect(rows(m)).toEqual(['root', '  turn', '    llm', '    tool', '    bash', '  wire'])
  const turn = () => m.spans.find((s) => s.id === 'turn' && s.family === 'turn')!
  expect([turn().label, turn().start, turn().end, turn().input, turn().cost]).toEqual(['Turn', Date.parse(t(10)), NaN, 100, 0.5])
  expect(layOut(m, all).turns).toEqual(['tturn'])

  m.add(line('turn', 'agent.turn', 'root', 5, { 'mcp.turn.index': 1 }))
  expect(turn().label).toBe('Turn 1')
  expect(rows(m)).toEqual(['root', '  turn', '    llm', '    tool', '  wire', '  bash'])
})

test('a turn of which no line comes ends with the next one, or with the session', () => {
  const start = (id: string) => parseLine(JSON.stringify({ trace_id: 't', span_id: 's' + id, parent_span_id: id, name: 'session.start', start_time: t(0), end_time: t(0), kind: 'SpanKind.INTERNAL' }), 'session', 0, 1)
  const m = model(start('root'), line('a', 'tool.call', 'one', 10), line('b', 'tool.call', 'two', 20), line('late', 'tool.call', 'one', 11))
  expect(rows(m)).toEqual(['root', '  a', '  late', '  two', '    b'])
  m.add(line('root', 'workflow.run', '', 0))
  expect(rows(m)).toEqual(['root', '  a', '  late', '  b'])
  expect(layOut(m, all).turns).toEqual([])
  expect(rows(model(line('root', 'workflow.run', '', 0), line('a', 'tool.call', 'gone', 2)))).toEqual(['root', '  a'])
})

test('an agent’s own span of a turn is one', () => {
  const m = model(line('root', 'workflow.run', '', 0), line('turn', 'invoke_agent', 'root', 1, { 'gen_ai.operation.name': 'invoke_agent', 'mcp.turn.index': 2 }))
  expect([m.spans[1]!.family, m.spans[1]!.label]).toEqual(['turn', 'Turn 2'])
})
