// What axe-core finds wrong for people who see, hear or move otherwise: nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { fitsWindow, open } from './browser.mjs'
import { eventually, page as address, until } from './gateway.mjs'
import { seed } from './seed.mjs'

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

const rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }

async function check(what) {
  const { page } = browser
  await page.evaluate(axe.source)
  await eventually(() => noViolations(what), 10_000)
}

async function noViolations(what) {
  const { violations } = await browser.page.evaluate((options) => globalThis.axe.run(document, options), rules)
  const said = violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 4).map((n) => `    ${n.html.slice(0, 160)}\n      ${n.failureSummary?.replaceAll('\n', ' ')}`).join('\n')}`)
  assert.equal(said.join('\n'), '', what)
}

test('the empty page', () => inBoth('empty', () => browser.page.getByRole('heading', { name: 'No session yet' }).waitFor(), '#/'))

test('a session that is not there', () => inBoth('none', () => browser.page.getByRole('heading', { name: 'No such session' }).waitFor(), '#/session/never-there'))

test('the board', async () => {
  await seed()
  await inBoth('board', () => browser.page.locator('a.title').nth(5).waitFor(), '#/')
})

test('each cell of the board names its column, also where others are left out', async () => {
  const { page } = browser
  for (const width of [1440, 1000, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`${address}#/`)
    await page.locator('a.title').nth(2).waitFor()
    const cells = () => page.locator('.sessions .row:not(.group)').first().locator('[role=cell]').evaluateAll((cells) => cells.filter((c) => getComputedStyle(c).display !== 'none').map((c) => [c.ariaColIndex, c.className.split(' ')[0]]))
    const headers = await page.locator('[role=columnheader]').evaluateAll((all) => all.map((h) => [h.ariaColIndex, h.textContent]))
    const shown = await until('the cells', async () => { const all = await cells(); return all.length >= 3 && all })
    assert.equal(headers.length, 5)
    const names = { 'c-session': 'Session', 'c-agent': 'Agent, project', 'c-model': 'Model, context', 'c-took': 'Cost, tokens', 'c-since': 'Since' }
    for (const [index, cell] of shown) assert.equal(new Map(headers).get(index), names[cell], `${width} px, ${cell}`)
  }
})

test('a stream', async () => {
  const day = new Date().toISOString().slice(0, 10)
  await inBoth('stream', () => browser.page.getByRole('table', { name: 'Items' }).locator('.item').nth(3).waitFor(), `#/stream/events_${day}`)
  await browser.page.goto(`${address}#/`)
})

test('the shortcuts', async () => {
  await browser.page.keyboard.press('?')
  await browser.page.getByRole('dialog').waitFor()
  await check('shortcuts')
  await browser.page.keyboard.press('Escape')
})

test('a session, each tab of a span', { timeout: 480_000 }, () => inBoth('session', async (what) => {
  const { page } = browser
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
  await check(`${what}, no span chosen`)
  const all = what.includes('light, 1440')
  for (const name of ['render_chart', 'claude-sonnet', 'fetch']) {
    const search = page.getByRole('searchbox', { name: 'Search in the timeline' })
    await search.fill(name) // it may be far down
    await page.locator('.span', { hasText: name }).first().click()
    for (const tab of all ? ['Content', 'Details', 'JSON'] : ['Content']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.locator('.tab-panel :text("Reading…")').waitFor({ state: 'detached' })
      await check(`${what}, ${name}, ${tab}`)
    }
    await page.keyboard.press('Escape')
    await search.fill('')
  }
}, '#/session/refactor-billing-7f3a?view=timeline'))

test('an agent’s session', { timeout: 240_000 }, () => inBoth('agent', async (what) => {
  const { page } = browser
  await page.locator('.span', { hasText: 'Turn 1' }).waitFor()
  await check(what)
  await page.getByRole('button', { name: 'All records' }).click()
  await page.getByRole('button', { name: /^Fold (?!idle)/ }).click()
  await check(`${what}, folded`)
}, '#/session/claude-5e1f0b?view=timeline'))

test('a conversation', { timeout: 240_000 }, () => inBoth('story', async () => {
  const { page } = browser
  await page.locator('.call-step').nth(3).waitFor()
  await page.locator('.agent-fold').first().click()
}, '#/session/refactor-billing-7f3a'))

/** Light and dark, wide and narrow. */
async function inBoth(what, look, fragment) {
  const { page } = browser
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await page.goto('about:blank')
      await page.goto(address + fragment)
      const where = `${what}, ${colorScheme}, ${width} px`
      await look(where)
      await check(where)
      await fitsWindow(page, width, where)
    }
  }
}
