// What a message changes shows in the web UI within a second.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { call, observe, page as address, text } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

// The bound is a second; a build server that does much else gets more.
const bound = 5000

/** How long it takes from here until the selector is there. */
async function shown(page, send, selector) {
  const there = page.waitForSelector(selector, { timeout: 30_000, state: 'attached' })
  const began = performance.now()
  await send()
  await there
  return performance.now() - began
}

test('the empty page tells how to send the first message', async () => {
  const { page } = browser
  await page.goto(address)
  await page.getByRole('heading', { name: 'No session yet' }).waitFor()
  await page.getByLabel('Connect your coding agent').waitFor()
  await page.getByLabel('Or send the first message').waitFor()
  const commands = [await said(page, 'Or send the first message'), await said(page, 'Then answer it')]
  await observe([commands[0]])
  await page.locator('a.title[href="#/session/hello"]').click()
  await page.locator('.call-step', { hasText: /echo.*text: hello.*running/ }).waitFor()
  await observe([commands[1]])
  await page.locator('.call-step pre.out', { hasText: /^hello$/ }).waitFor()
})

/** The record that the command sends; where it sends it to is the default. */
async function said(page, label) {
  const command = await page.getByLabel(label).textContent()
  assert.match(command, /^curl -X POST http:\/\/localhost:4319\/v1\/observations /)
  return JSON.parse(/-d '(.*)'$/s.exec(command)[1])
}

test('sessions appear on the board as their first message comes', async (t) => {
  const { page } = browser
  const figures = []
  await page.goto(`${address}#/`)
  await page.locator('a.title').waitFor()
  for (let i = 0; i < 5; i++) {
    figures.push(await shown(page, () => observe(call(`live-${i}`, 1, 'search', { i })), `a.title[href="#/session/live-${i}"]`))
  }
  report(t, 'a new session on the board', figures)
})

test('the waterfall grows while it is looked at', async (t) => {
  const { page } = browser
  await page.goto(`${address}#/session/live-0?view=timeline`)
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
  const figures = []
  for (let i = 0; i < 5; i++) {
    figures.push(await shown(page, () => observe(call('live-0', `n${i}`, `tool_${i}`, { i }, text('done'))), `.span:has-text("tool_${i}")`))
  }
  report(t, 'a new span in the waterfall', figures)
})

test('an open call ends where it stands', async () => {
  const { page } = browser
  await page.locator('.span.open', { hasText: 'search' }).waitFor()
  const around = { session: 'live-0', client: 'test-agent', server: 'test-server', transport: 'stdio', direction: 'server_to_client' }
  await observe([{ ...around, message: { jsonrpc: '2.0', id: 1, result: text('found') } }])
  await page.locator('.span.tool:not(.open)', { hasText: 'search' }).waitFor()
})

test('a session that is not there is said to be none, until it is', async () => {
  const { page } = browser
  await page.goto(`${address}#/session/live-none?view=timeline`)
  await page.getByRole('heading', { name: 'No such session' }).waitFor()
  await page.getByRole('alert').getByText('live-none').waitFor()
  await page.waitForFunction(() => document.title === 'No such session · otelcol-mcp')
  await observe(call('live-none', 1, 'search', {}))
  await page.locator('.span.open', { hasText: 'search' }).waitFor()
  await page.getByRole('heading', { name: 'test-agent → test-server · live-none' }).waitFor()
  await page.waitForFunction(() => document.title === 'test-agent → test-server · live-none · otelcol-mcp')
  await page.goto(`${address}#/session/live-never?view=timeline`)
  await page.getByRole('alert').getByRole('link', { name: 'All sessions' }).click()
  await page.locator('a.title[href="#/session/live-none"]').waitFor()
})

test('the web UI goes on after the connection was lost', async () => {
  const { page, context } = browser
  await page.goto(`${address}#/`)
  await context.setOffline(true)
  await page.reload().catch(() => {})
  await context.setOffline(false)
  await page.goto(address)
  await page.locator('.link-state.live').waitFor()
  await observe(call('live-after', 1, 'search', {}))
  await page.locator('a.title[href="#/session/live-after"]').waitFor()
})

function report(t, what, figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  t.diagnostic(`${what}: median ${sorted[sorted.length >> 1].toFixed(0)} ms, worst ${sorted.at(-1).toFixed(0)} ms`)
  assert.ok(sorted.at(-1) < bound, `${what} took ${sorted.at(-1)} ms`)
}
