// What may be one agent, and cannot be joined for certain, is shown together; and what a host failed at is said.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { open } from './browser.mjs'
import { call, mcpClient, observe, page as address, session, text, until } from './gateway.mjs'

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
  assert.equal(await line.locator('.phase-name').count(), 0)
  assert.equal(await line.locator('.c-task').textContent(), 'rate limit, retrying (4): 429 from the API')
  await line.locator('a.title').click()
  await page.locator('.session-head .notice.waiting', { hasText: 'rate limit, retrying (4): 429 from the API' }).waitFor()
  await shoot(page, 'host-error')
})

test('sessions that may be of one agent are a group, which folds by keys', async () => {
  // Two taps of one process of goose, one of another; and heartbeats of a client at /mcp, beside the only tap of it.
  const tapped = (id, client, host, server, result) => call(id, 1, 'search', {}, result).map((record) => ({ ...record, client, host, server }))
  await observe([
    ...tapped('tap-files', 'goose', 'h-01', 'files', text('found')), ...tapped('tap-github', 'goose', 'h-01', 'github'), ...tapped('tap-other', 'goose', 'h-02', 'files', text('found')),
    ...tapped('tap-cline', 'roo', 'h-03', 'files', { ...text('no'), isError: true }),
    notice('heartbeat', { phase: 'thinking' }, { session: 'tap-files', client: 'goose', host: 'h-01' }),
  ])
  const client = await mcpClient('roo')
  await client.notify('notifications/host.heartbeat', { phase: 'waiting_approval', current_task: 'Delete the branch' })
  await until('all are there', async () => (await session('tap-github')) && (await session('h-01')) && (await session(client.session))?.phase)
  for (const id of ['tap-files', 'tap-github']) assert.equal((await session(id)).host_id, 'h-01', id)

  const { page } = browser
  await page.goto('about:blank')
  await page.goto(`${address}#/`)
  const heads = page.locator('.sessions .group')
  await heads.nth(1).waitFor()
  const goose = page.locator('.group', { hasText: 'goose' }), roo = page.locator('.group', { hasText: 'roo' })
  assert.match(await goose.textContent(), /Running ?goose3 sessions: 2 running, 1 idle/)
  assert.match(await roo.textContent(), /Waiting ?roo2 sessions: 1 waiting, 1 idle1 error/)
  assert.equal(await heads.count(), 2, 'not the other process of goose')
  const rows = () => page.locator('.sessions .row:not(.group)').count()
  const all = await rows()
  assert.equal(await page.locator('.row.in-group').count(), 5)
  await shoot(page, 'hosts')

  // By keys: arrows go over heads and sessions, and fold.
  const head = goose.getByRole('button')
  await head.focus()
  await page.keyboard.press('ArrowLeft')
  await until('it is folded', async () => (await rows()) === all - 3)
  assert.equal(await head.getAttribute('aria-expanded'), 'false')
  await shoot(page, 'hosts-folded')
  await page.keyboard.press('ArrowRight')
  await until('it is open', async () => (await rows()) === all)
  await page.keyboard.press('ArrowDown')
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^(goose → |goose · h-01)/)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await until('Enter folds, too', async () => (await rows()) === all - 3)
  await page.keyboard.press('Enter')

  // The choice is remembered.
  await page.getByRole('button', { name: 'Group by host' }).click()
  await heads.first().waitFor({ state: 'detached' })
  await page.goto('about:blank')
  await page.goto(`${address}#/`)
  await page.locator('a.title').nth(4).waitFor()
  assert.equal(await heads.count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Group by host' }).getAttribute('aria-pressed'), 'false')
  await page.getByRole('button', { name: 'Group by host' }).click()
  await heads.nth(1).waitFor()

  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('.sessions.cards').waitFor()
    await shoot(page, `hosts-narrow-${colorScheme}`)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' ')}`), [], `${colorScheme}, ${width} px`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1440, height: 900 })
})
