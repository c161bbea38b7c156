// How a span or a session came out is what people read first, so it must be right whoever sent it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { hex, page as address, session, spans, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

test('a failure that only mcp.status.code tells of is one', async () => {
  const trace = hex(16), root = hex(8), now = Date.now()
  const failed = { 'session.id': 'failed-otlp', 'mcp.status.code': 'error', 'mcp.error.code': 'SERVER_ERROR', 'mcp.error.message': 'The disk is full' }
  await spans([{ trace, parent: root, name: 'tool.call', kind: 'CLIENT', start: now - 2000, end: now - 1000, attributes: { ...failed, 'mcp.tool.name': 'write_file' } },
    { trace, id: root, name: 'workflow.run', start: now - 3000, end: now, attributes: { ...failed, 'mcp.session.title': 'Write a file' } }])
  const row = await until('the session failed', async () => (await session('failed-otlp'))?.state === 'failed' && session('failed-otlp'))
  assert.equal(row.errors, 2)
  const { page } = browser
  await page.goto(`${address}#/session/failed-otlp`)
  await page.locator('.span.bad', { hasText: 'write_file' }).click()
  await page.locator('.panel .notice.failed', { hasText: 'SERVER_ERROR The disk is full' }).waitFor()
  await page.locator('.facts-table', { hasText: 'Error OpenTelemetry: unset, mcp.status.code: error' }).waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/outcome-failed.png` })
})
