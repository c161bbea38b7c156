// How a span or a session came out is what people read first, so it must be right whoever sent it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, hex, hook, observe, page as address, passed, session, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

test('a failure that only mcp.status.code tells of is one', async () => {
  const trace = hex(16), root = hex(8), now = Date.now()
  const failed = { 'session.id': 'failed-otlp', 'mcp.status.code': 'error', 'mcp.error.code': 'SERVER_ERROR', 'mcp.error.message': 'The disk is full' }
  await passed([{ trace, parent: root, name: 'tool.call', kind: 'CLIENT', start: now - 2000, end: now - 1000, attributes: { ...failed, 'mcp.tool.name': 'write_file' } },
    { trace, id: root, name: 'workflow.run', start: now - 3000, end: now, attributes: { ...failed, 'mcp.session.title': 'Write a file' } }])
  await until('the session failed', async () => (await session('failed-otlp'))?.state === 'failed')
  const { page } = browser
  await page.goto(`${address}#/session/failed-otlp?view=timeline`)
  await page.locator('.span.bad', { hasText: 'write_file' }).click()
  await page.locator('.panel .notice.failed', { hasText: 'SERVER_ERROR The disk is full' }).waitFor()
  await page.getByRole('tab', { name: 'Details' }).click()
  await page.locator('.facts-table', { hasText: 'Error OpenTelemetry: unset, mcp.status.code: error' }).waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/outcome-failed.png` })
})

test('a root ends its session whatever its name, and a pause is shown', async () => {
  const trace = hex(16), root = hex(8), now = Date.now()
  const own = { 'session.id': 'otlp-app' }
  await passed([{ trace, parent: root, name: 'agent.call', start: now - 9000, end: now - 8000, attributes: { ...own, 'mcp.session.paused': true } }])
  await until('it is paused', async () => (await session('otlp-app'))?.status === 'paused')
  const { page } = browser
  await page.goto(`${address}#/session/otlp-app?view=timeline`)
  await page.locator('.session-head .notice.waiting', { hasText: 'Paused' }).waitFor()
  await passed([{ trace, id: root, name: 'MyApp', start: now - 9500, end: now, attributes: own }])
  await page.locator('.session-head .state.done').waitFor()
})

test('a session says when the collector could not be reached', async () => {
  await hook('claude-code', { hook_event_name: 'SessionStart', session_id: 'away' }, `?otel=logs&time=${Date.now() - 60_000}000000`)
  await hook('claude-code', { hook_event_name: 'UserPromptSubmit', session_id: 'away', prompt: 'Mend the pump' }, `?otel=logs&time=${Date.now() - 30_000}000000&waited_ms=30000`)
  await until('what it may lack', async () => (await session('away'))?.unknown_until)
  const { page } = browser
  await page.goto(`${address}#/session/away`)
  await page.locator('.fact', { hasText: /May lack\s*what happened between .*\d\d:\d\d:\d\d and .*\d\d:\d\d:\d\d/ }).waitFor()
})

test('what has no session is a stream', async () => {
  const now = Date.now()
  const event = (name, at, more = {}) => ({ trace: hex(16), name: 'notifications/events/event', start: at, end: at, service: 'deploy-server', attributes: { 'mcp.event.id': `e-${at}`, 'mcp.event.name': name, 'mcp.event.data_json': '{"ok":true}' }, ...more })
  const { page } = browser
  await page.goto(`${address}#/`)
  await passed([event('deploy.started', now - 3000), event('deploy.done', now - 1000), { ...event('', now - 500), name: 'notifications/events/error', error: 'subscription refused' }])
  await observe([{ message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } }])
  await page.getByRole('navigation', { name: 'Streams' }).getByRole('link', { name: /MCP Events 3 1 error/ }).click()
  const rows = page.getByRole('table', { name: 'Items' }).locator('.item:not(.columns)')
  await rows.nth(2).waitFor()
  await eventually(async () => assert.match(await rows.nth(1).textContent(), /deploy\.done/, 'the newest first'))
  await passed([event('deploy.checked', now)])
  await rows.nth(0).getByText('deploy.checked').click()
  await page.getByRole('tab', { name: 'Content' }).click()
  await page.locator('.tab-panel', { hasText: 'ok' }).waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/stream.png` })
  await page.keyboard.press('Escape')
  await page.locator('.panel').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: /Messages without a session 1/ }).waitFor()
  await page.locator('a.title', { hasText: /deploy|notifications/ }).first().waitFor({ state: 'detached' }) // none is a session
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/board-streams.png` })
})
