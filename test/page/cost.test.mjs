// What was spent, and how sure that is: reported by the agent, estimated by list prices, or unknown.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, hex, hook, logs, page as address, session, spans, until } from './gateway.mjs'

let browser
const began = Date.now() - 60_000

/** A conversation of a framework, which reports tokens and no cost. */
async function framework(id, model) {
  const trace = hex(16), root = hex(8), own = { 'gen_ai.conversation.id': id, 'gen_ai.agent.name': 'shop' }
  await spans([
    { trace, id: root, name: `invoke_agent ${id}`, start: began, end: began + 9000, attributes: { ...own, 'gen_ai.operation.name': 'invoke_agent' } },
    { trace, parent: root, name: `chat ${model}`, kind: 'CLIENT', start: began + 100, end: began + 8000, attributes: { ...own, 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': model, 'gen_ai.usage.input_tokens': 100_000, 'gen_ai.usage.output_tokens': 1000 } },
  ])
}

before(async () => {
  browser = await open()
  await framework('estimated-1', 'gpt-4o')
  await framework('unknown-1', 'house-model-7')
  await hook('claude-code', { session_id: 'reported-1', cwd: '/home/me/shop', prompt_id: 'p', hook_event_name: 'UserPromptSubmit', prompt: 'Fix it' })
  await logs('claude-code', 'com.anthropic.claude_code.events', [{ body: 'claude_code.api_request', time: Date.now(), attributes: { 'session.id': 'reported-1', 'prompt.id': 'p', 'event.name': 'api_request', model: 'claude-sonnet-4-5', input_tokens: '2000', output_tokens: '100', cost_usd: 0.5, duration_ms: '20', request_id: 'r1' } }])
  for (const id of ['estimated-1', 'unknown-1', 'reported-1']) await until(`tokens of ${id}`, async () => (await session(id))?.usage?.input_tokens > 0)
})
after(() => browser.close())

const estimate = /Estimated by .*\d{4}-\d\d-\d\d.*: agents did not report the cost/

test('a row says how its cost is known', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/`)
  const cost = (id) => page.locator('.sessions .row', { has: page.locator(`a.title[data-id="${id}"]`) }).locator('.c-took')
  await eventually(async () => {
    assert.match(await cost('estimated-1').textContent(), /^≈\s\$0\.26/)
    assert.match(await cost('estimated-1').getAttribute('title'), estimate)
    assert.match(await cost('reported-1').textContent(), /^\$0\.50/)
    assert.match(await cost('reported-1').getAttribute('title'), /Cost as the agent reported it$/)
    assert.match(await cost('unknown-1').textContent(), /^cost unknown100k in/)
    assert.match(await cost('unknown-1').getAttribute('title'), /no cost, and its model has no list price$/)
  })
})

test('a session says the same, with its model calls', async () => {
  const { page } = browser
  const fact = page.locator('.fact', { has: page.locator('dt', { hasText: /^Cost$/ }) })
  const edge = page.locator('.model-step .edge').first()
  await page.goto(`${address}#/session/estimated-1`)
  await eventually(async () => {
    assert.match(await fact.locator('dd').textContent(), /^≈\s\$0\.26 · estimated$/)
    assert.match(await fact.locator('[title]').getAttribute('title'), estimate)
    assert.match(await edge.textContent(), /100k in, 1\.0k out, ≈\s\$0\.26/)
  })
  await page.goto(`${address}#/session/unknown-1`)
  await eventually(async () => {
    assert.equal(await fact.locator('dd').textContent(), 'unknown')
    assert.match(await edge.textContent(), /100k in, 1\.0k out [^$]*$/)
  })
  await page.goto(`${address}#/session/reported-1`)
  await eventually(async () => assert.equal(await fact.locator('dd').textContent(), '$0.50'))
})

test('totals say which part is estimated, and which sessions are not in them', async () => {
  const { page } = browser
  await page.goto(`${address}#/`)
  const totals = page.getByRole('group', { name: 'Totals' })
  for (const period of ['Today', '7 days']) {
    const summary = totals.locator('summary', { hasText: period })
    await summary.waitFor()
    await eventually(async () => assert.match(await summary.textContent(), /≈\s\$0\.76 3 sessions/))
    assert.match(await summary.locator('[title]').getAttribute('title'), /^\$0\.26 of it is estimated by .*\d{4}-\d\d-\d\d/)
    await summary.click()
    const open = totals.locator('details[open]')
    await open.getByRole('row', { name: /gpt-4o 1 100k 1\.0k ≈\s\$0\.26/ }).waitFor()
    await open.getByRole('row', { name: /house-model-7 1 100k 1\.0k cost unknown/ }).waitFor()
    await open.getByRole('row', { name: /claude-sonnet-4-5 1 2\.0k 100 \$0\.50/ }).waitFor()
    await open.getByText('1 session with tokens whose cost is not known.').waitFor()
    await open.locator('.table-box p', { hasText: /^≈ \$0\.26 of it is estimated/ }).waitFor()
  }
})
