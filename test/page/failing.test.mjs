// What a host failed at is said.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, observe, page as address, session, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

const notice = (method, params, around) => ({ ...around, direction: 'client_to_server', message: { jsonrpc: '2.0', method: `notifications/host.${method}`, params } })
const shoot = (page, name) => process.env.PICTURES && page.screenshot({ path: `${process.env.PICTURES}/${name}.png`, animations: 'disabled' })

test('a host that tries again has no phase of an error, and says what failed', async () => {
  await observe([notice('error', { error_type: 'rate_limit', message: '429 from the API', retrying: true, retry_count: 4 }, { session: 'limited', client: 'cline' })])
  const row = await until('the error', async () => (await session('limited'))?.host_error && session('limited'))
  assert.equal(row.phase, undefined)
  assert.deepEqual({ ...row.host_error, time: undefined }, { type: 'rate_limit', message: '429 from the API', retrying: true, retry_count: 4, time: undefined })
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/`)
  const line = page.locator('.sessions .row', { has: page.locator('a[href="#/session/limited"]') })
  await line.waitFor()
  await eventually(async () => assert.equal(await line.locator('.c-task').textContent(), 'rate limit, retrying (4): 429 from the API'))
  await line.locator('a.title').click()
  await page.locator('.session-head .notice.waiting', { hasText: 'rate limit, retrying (4): 429 from the API' }).waitFor()
  await shoot(page, 'host-error')
})
