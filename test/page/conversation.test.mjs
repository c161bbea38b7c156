// Frameworks make a trace a turn. One conversation is one row, with all its traces in one time line.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, hex, page as address, session, spans, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

const shoot = (page, name) => process.env.PICTURES && page.screenshot({ path: `${process.env.PICTURES}/${name}.png`, animations: 'disabled' })
const began = Date.now() - 60_000

/** A turn as a framework reports it: a trace of an agent's span, with a call of a model and one of a tool, whose MCP client has a span, too. */
function turn(conversation, index, named) {
  const trace = hex(16), root = hex(8), tool = hex(8), start = began + index * 20_000
  const own = named ? { 'gen_ai.conversation.id': conversation } : {}
  const inner = [
    { trace, parent: root, name: 'chat gpt-4o', kind: 'CLIENT', start: start + 100, end: start + 2000, attributes: { ...own, 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 50 } },
    { trace, parent: tool, name: 'tools/call search', kind: 'CLIENT', start: start + 2200, end: start + 3900, attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' } },
    { trace, id: tool, parent: root, name: 'execute_tool search', start: start + 2100, end: start + 4000, attributes: { ...own, 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' } },
  ].map((span) => ({ ...span, service: 'shop-agent' }))
  const outer = { trace, id: root, name: `invoke_agent turn ${index + 1}`, start, end: start + 5000, service: 'shop-agent', attributes: { 'gen_ai.conversation.id': conversation, 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'shop' } }
  return { trace, inner, outer }
}

async function looksWhole(id, turns) {
  await eventually(async () => {
    const row = await session(id)
    assert.deepEqual([row?.turns, row?.llm_calls, row?.usage?.input_tokens], [turns.length, turns.length, turns.length * 1000])
    assert.equal(row.tool_calls, turns.length, 'the framework’s span and the one of its MCP client are one call')
    assert.ok(row.span_count >= turns.length * 4, 'those that were sent, and the session’s own')
    for (const { trace } of turns) assert.equal(await session(trace), undefined, 'the trace has no row of its own')
  })
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/session/${id}?view=timeline`)
  for (let i = 1; i <= turns.length; i++) await page.locator(`.words[title="invoke_agent turn ${i}"]`).waitFor()
  await until('all spans are there', async () => (await page.locator('.span').count()) >= turns.length * 4)
  await shoot(page, id)
  await page.goto(`${address}#/`)
  await page.locator(`a.title[href="#/session/${id}"]`).waitFor()
  const gone = async ({ trace }) => (await page.locator(`a.title[href="#/session/${trace}"]`).count()) === 0
  for (const one of turns) await until('the list has no row of the trace', () => gone(one))
}

test('the traces of one conversation are one row and one time line', async () => {
  const turns = [turn('talk-1', 0, true), turn('talk-1', 1, true)]
  for (const { inner, outer } of turns) await spans([...inner, outer])
  await looksWhole('talk-1', turns)
})

test('what came before the span that names the conversation is part of it', async () => {
  const turns = [turn('talk-2', 0, false), turn('talk-2', 1, false)]
  const { page } = browser
  for (const { inner, outer, trace } of turns) {
    await spans(inner)
    await until('nothing says whose it is', () => session(trace))
    await page.goto(`${address}#/session/${trace}?view=timeline`)
    await page.locator('.words[title="chat gpt-4o"]').waitFor()
    await spans([outer])
  }
  await looksWhole('talk-2', turns)
})

test('a server’s trace is drawn under the call that a link ties it to, also when its root comes last', async () => {
  const { page } = browser
  const now = Date.now() - 30_000
  const client = { trace: hex(16), id: hex(8), call: hex(8), session: `client-${hex(4)}` }
  const server = { trace: hex(16), id: hex(8), session: `server-${hex(4)}` }
  const request = `req-${hex(8)}`
  await spans([{ trace: client.trace, id: client.call, parent: client.id, name: 'tools/call deploy', kind: 'CLIENT', start: now, end: now + 4000, service: 'app', attributes: { 'session.id': client.session, 'mcp.request_id': request, 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'deploy' } },
    { trace: client.trace, id: client.id, name: 'client work', start: now - 100, end: now + 5000, service: 'app', attributes: { 'session.id': client.session } }])
  await until('the call', () => session(client.session))
  await page.goto(`${address}#/session/${client.session}?view=timeline`)
  const row = (name) => page.locator('.span', { has: page.locator(`.words[title="${name}"]`) })
  await row('tools/call deploy').waitFor()
  await spans([{ trace: server.trace, parent: server.id, name: 'write files', start: now + 1000, end: now + 2000, service: 'server', attributes: { 'session.id': server.session } }])
  await spans([{ trace: server.trace, id: server.id, name: 'serve deploy', kind: 'SERVER', start: now + 500, end: now + 3000, service: 'server', attributes: { 'session.id': server.session, 'mcp.request_id': request }, links: [{ trace: client.trace, span: client.call }] }])
  await row('serve deploy').waitFor()
  await row('write files').waitFor()
  const level = async (name) => Number(await row(name).getAttribute('aria-level'))
  await eventually(async () => assert.deepEqual([await level('serve deploy') - await level('tools/call deploy'), await level('write files') - await level('tools/call deploy')], [1, 2]))
})
