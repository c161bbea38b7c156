// What several sources report of one agent counts once, as what it is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, hook, logs, mcpClient, page as address, session, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

const id = 'counts-1'
const said = (event, more) => hook('claude-code', { session_id: id, cwd: '/home/me/src/shop', prompt_id: 'prompt-1', hook_event_name: event, ...more })
const own = (name, attributes) => logs('claude-code', 'com.anthropic.claude_code.events', [{
  body: `claude_code.${name}`, time: Date.now(), attributes: { 'session.id': id, 'prompt.id': 'prompt-1', 'event.name': name, ...attributes },
}])

/** One call of a tool, as hooks and the agent's log report it. */
async function tool(use, name, input, meanwhile) {
  const call = { tool_name: name, tool_input: input, tool_use_id: use }
  await said('PreToolUse', call)
  await own('tool_decision', { decision: 'accept', source: 'config', tool_name: name, tool_use_id: use })
  await meanwhile?.()
  await said('PostToolUse', { ...call, tool_response: { ok: true } })
  await own('tool_result', { tool_name: name, tool_use_id: use, success: 'true', duration_ms: '5', tool_input: JSON.stringify(input) })
}

const model = (request, source, input, output) => own('api_request', {
  model: 'claude-sonnet-4-5', input_tokens: String(input), output_tokens: String(output), cost_usd: 0.01, duration_ms: '20', request_id: request, query_source: source,
})

test('a sub-agent, a call that fails validation, a heartbeat and a title count once each', { timeout: 90_000 }, async () => {
  await said('SessionStart', { source: 'startup' })
  await said('UserPromptSubmit', { prompt: 'Find the bug' })
  await own('user_prompt', { prompt: 'Find the bug', prompt_length: '12', 'message.uuid': 'm-1' })
  await model('req_0', 'generate_session_title', 100, 10)
  await model('req_1', 'sdk', 1000, 50)
  await tool('toolu_a', 'Agent', { description: 'Look', prompt: 'Look for it', subagent_type: 'general-purpose' }, async () => {
    await said('SubagentStart', { agent_id: 'child-1', agent_type: 'general-purpose' })
    await model('req_2', 'agent:builtin:general-purpose', 500, 20)
    await said('SubagentStop', { agent_id: 'child-1', agent_type: 'general-purpose', stop_hook_active: false })
  })
  // The input is not valid, so that no hook runs.
  await own('tool_result', { tool_name: 'Edit', tool_use_id: 'toolu_v', success: 'false', duration_ms: '1', error_type: 'InputValidationError', error: 'file_path is missing' })
  await tool('toolu_h', 'mcp__otelcol__host_heartbeat', { phase: 'working' }, async () => {
    const client = await mcpClient('claude-code')
    await client.request(2, 'tools/call', { name: 'host_heartbeat', arguments: { phase: 'working', detail: 'Reads the tests' }, _meta: { 'claudecode/toolUseId': 'toolu_h' } })
  })
  await eventually(async () => {
    const { tool_calls: tools, llm_calls: models, agents, turns = 0, errors, refusals = 0, usage, current_task: task, sources } = await session(id)
    assert.deepEqual({ tools, models, agents, errors, refusals, input: usage?.input_tokens, output: usage?.output_tokens }, { tools: 3, models: 3, agents: 1, errors: 1, refusals: 0, input: 1600, output: 80 })
    assert.ok(turns <= 1)
    assert.equal(task, 'Reads the tests', 'the heartbeat is of this session')
    for (const source of ['hooks', 'otlp_logs']) assert.ok(sources.includes(source), source)
    const { sessions } = await (await fetch(new URL('/_inspector/sessions', address))).json()
    assert.deepEqual(sessions.map((s) => s.id), [id], 'its connection to /mcp has no row')
  })

  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await said('Stop', { stop_hook_active: false })
  await until('the turn', async () => (await session(id)).turns === 1)
  await page.goto(`${address}#/`)
  await page.locator(`a.title[href="#/session/${id}"]`).waitFor()
  await page.goto(`${address}#/session/${id}?view=timeline`)
  const spans = (text, name) => page.locator('.span', { has: page.locator(name ? `.words[title="${name}"] b` : '.words b', { hasText: text }) })
  await spans('Turn 1').waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/counts.png`, animations: 'disabled' })
  for (const [text, n, name] of [['Agent', 1, 'tool.call'], ['Edit', 1, 'tool.call'], ['host_heartbeat', 1, 'tool.call'], ['general-purpose', 1, 'agent.call'], ['claude-sonnet-4-5', 3]]) {
    await until(`${n} of ${text}`, async () => (await spans(text, name).count()) === n, 10_000)
  }
  await page.locator('.span.bad', { hasText: 'Edit' }).waitFor()
  await eventually(async () => {
    const facts = await page.locator('.facts').textContent()
    for (const part of ['Turns1', 'Tools3', 'Agents1', '3 calls', '1.6k in · 80 out', 'Hooks, OTLP logs']) assert.ok(facts.includes(part), `${part} in ${facts}`)
  })
})
