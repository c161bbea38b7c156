import { expect, test } from 'vitest'
import { Model } from '../worker/model'
import { parseLine } from '../worker/span'
import { layOut } from '../worker/tree'
import { keyOf, stepsOf, turnsOf } from './story'

const t = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()

function line(id: string, name: string, parent: string, start: number, attributes: Record<string, unknown> = {}, more: object = {}) {
  return parseLine(JSON.stringify({ trace_id: 't', span_id: id, ...(parent ? { parent_span_id: parent } : {}), name, start_time: t(start), end_time: t(start + 10), attributes, kind: 'SpanKind.INTERNAL', ...more }), 's', 0, 1)
}

function story(open: string[], ...lines: ReturnType<typeof line>[]) {
  const model = new Model()
  lines.forEach((one) => model.add(one))
  const steps = stepsOf(model.spans, layOut(model, { collapsed: [], query: '', only: 'all', records: true }), new Set(open))
  return { steps, said: steps.map(({ kind, at, level }) => '  '.repeat(level) + `${kind} ${model.spans[at]!.id}`), spans: model.spans }
}

const root = line('root', 'workflow.run', '', 0)

test('a turn begins with its prompt and ends with its answer', () => {
  const { said } = story([], root, line('turn', 'agent.turn', 'root', 1, { 'mcp.turn.prompt': 'Do it' }), line('llm', 'llm.generate', 'turn', 2), line('tool', 'tool.call', 'turn', 3), line('next', 'agent.turn', 'root', 20))
  expect(said).toEqual(['turn turn', 'model llm', 'call tool', 'answer turn', 'turn next', 'answer next'])
})

test('the prompt that a hook reports is that of the turn which it begins', () => {
  const { said, steps, spans } = story([], root, line('hook', 'hook.UserPromptSubmit', 'root', 1, { 'mcp.workflow.input_json': '"Do it"' }, { end_time: t(1) }), line('turn', 'agent.turn', 'root', 1))
  expect(said).toEqual(['turn turn', 'answer turn'])
  expect(spans[steps[0]!.prompt]!.id).toBe('hook')
  expect(story([], root, line('hook', 'hook.UserPromptSubmit', 'root', 1, { 'mcp.workflow.input_json': '"Do it"' }, { end_time: t(1) })).said).toEqual(['prompt hook'])
})

test('what the server saw of a call, and who was asked, are parts of the call', () => {
  const { said, steps } = story([], root, line('call', 'tool.call', 'root', 1), line('wait', 'claude_code.tool.blocked_on_user', 'call', 1), line('wire', 'tool.call', 'call', 2), line('deep', 'tool.call', 'wire', 3))
  expect(said).toEqual(['call call'])
  expect([steps[0]!.asked, steps[0]!.wire]).toEqual([2, 3])
})

test('a sub-agent is folded, and opens to a story of its own', () => {
  const lines = [root, line('call', 'tool.call', 'root', 1), line('sub', 'agent.call', 'call', 2), line('inner', 'tool.call', 'sub', 3), line('deep', 'agent.call', 'sub', 4), line('last', 'tool.call', 'deep', 5)]
  expect(story([], ...lines).said).toEqual(['call call', 'agent sub'])
  expect(story(['tsub'], ...lines).said).toEqual(['call call', 'agent sub', '  call inner', '  agent deep'])
  expect(story(['tsub', 'tdeep'], ...lines).said).toEqual(['call call', 'agent sub', '  call inner', '  agent deep', '    call last'])
})

test('what repeats another span is said once; compactions and errors of the host are events', () => {
  const { said } = story([], root, line('a', 'tool.call', 'root', 1), line('b', 'tool.call', 'root', 1, { 'mcp.duplicate_of': 'a' }), line('p', 'host.phase', 'root', 2, { 'mcp.host.phase': 'compacting' }), line('q', 'host.phase', 'root', 3, { 'mcp.host.phase': 'working' }), line('e', 'notifications/host.error', 'root', 4, {}, { end_time: t(4) }))
  expect(said).toEqual(['call a', 'event p', 'event e'])
})

test('the rail has the turns, with those marked in which something failed', () => {
  const { steps, spans } = story([], root, line('one', 'agent.turn', 'root', 1), line('bad', 'tool.call', 'one', 2, {}, { status: { status_code: 'ERROR' } }), line('two', 'agent.turn', 'root', 20))
  expect(turnsOf(steps).map((turn) => [keyOf(spans[turn.at]!), turn.failed])).toEqual([['tone', true], ['ttwo', false]])
})
