import { expect, test } from 'vitest'
import { familyOf, isWait, parseLine } from './span'

test('spans have their family under the Inspector’s names and under those of the semantic conventions', () => {
  const method = (name: string) => ({ 'mcp.method.name': name, 'mcp.rpc.method': name })
  for (const [inspector, semconv, attributes] of [
    ['workflow.run', 'invoke_workflow mcp_session', { 'gen_ai.operation.name': 'invoke_workflow' }],
    ['tool.call', 'tools/call echo', { ...method('tools/call'), 'gen_ai.operation.name': 'execute_tool' }],
    ['tool.call', 'execute_tool Bash', { 'gen_ai.operation.name': 'execute_tool' }],
    ['llm.generate', 'sampling/createMessage', { ...method('sampling/createMessage'), 'gen_ai.operation.name': 'chat' }],
    ['llm.generate', 'generate_content gemini', { 'gen_ai.operation.name': 'generate_content' }],
    ['llm.generate', 'text_completion gpt', { 'gen_ai.operation.name': 'text_completion' }],
    ['agent.call', 'invoke_agent reviewer', { 'gen_ai.operation.name': 'invoke_agent' }],
    ['resource.fetch', 'resources/read', method('resources/read')],
    ['prompt.apply', 'prompts/get review', method('prompts/get')],
    ['signal.wait', 'elicitation/create', method('elicitation/create')],
    ['signal.wait', 'session/request_permission', method('session/request_permission')],
  ] as const) {
    expect(familyOf(semconv, attributes), semconv).toBe(familyOf(inspector, {}))
  }
})

test('what only repeats the tokens of a model call is none', () => {
  const repeats = { 'mcp.dialect.repeats': 'usage' }
  expect(familyOf('generate_content gemini', { ...repeats, 'gen_ai.operation.name': 'generate_content' })).toBe('other')
  expect(familyOf('invoke_agent planner', { ...repeats, 'gen_ai.operation.name': 'invoke_agent' })).toBe('agent')
})

test('a person is waited for, not a rule', () => {
  const wait = (ms?: number) => JSON.stringify({
    trace_id: 't', span_id: 's', name: 'claude_code.tool.blocked_on_user', start_time: '2026-01-01T00:00:00Z',
    ...(ms !== undefined && { end_time: new Date(Date.parse('2026-01-01T00:00:00Z') + ms).toISOString() }),
  })
  const isPersons = (line: string) => (parseLine(line, 'id', 0, 1).span.flags & isWait) !== 0
  expect([wait(3), wait(100), wait()].map(isPersons)).toEqual([false, true, true])
})
