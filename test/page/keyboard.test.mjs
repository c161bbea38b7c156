// All that the web UI does can be done without a pointer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { page as address } from './gateway.mjs'
import { seed } from './seed.mjs'

let browser
before(async () => {
  await seed()
  browser = await open()
})
after(() => browser.close())

const focused = (page) => page.evaluate(() => {
  const e = document.activeElement
  return e?.getAttribute('aria-label') ?? e?.textContent?.trim() ?? ''
})

const onceFocused = (page, name) => page.waitForFunction((of) => {
  const e = document.activeElement
  return (e?.getAttribute('aria-label') ?? e?.textContent?.trim()) === of
}, name)

test('from the board to a payload and back, by keys', { timeout: 120_000 }, async () => {
  const { page } = browser
  await page.goto(address)
  await page.locator('a.title').first().waitFor()
  const { keyboard } = page

  await keyboard.press('Tab')
  await onceFocused(page, 'Skip to content')
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await keyboard.press('/')
  await onceFocused(page, 'Search titles, prompts, commands, errors')
  await keyboard.type('billing')
  await page.locator('a.title').nth(1).waitFor({ state: 'detached' })
  await keyboard.press('Escape')
  await page.locator('a.title').nth(1).waitFor()
  await keyboard.press('Escape')

  await keyboard.press('ArrowDown')
  const first = await focused(page)
  await keyboard.press('ArrowDown')
  assert.notEqual(await focused(page), first)
  await keyboard.press('k')
  await onceFocused(page, first)

  await keyboard.press('/')
  await keyboard.type('billing importer')
  await page.locator('a.title').nth(1).waitFor({ state: 'detached' })
  await keyboard.press('Tab')
  for (let i = 0; i < 20 && !(await focused(page)).startsWith('Refactor'); i++) await keyboard.press('Tab')
  await onceFocused(page, 'Refactor the billing importer')
  await keyboard.press('Enter')

  await page.getByRole('region', { name: 'Conversation' }).waitFor()
  for (let i = 0; i < 20 && (await focused(page)) !== 'Timeline'; i++) await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
  for (let i = 0; i < 20 && (await focused(page)) !== 'Spans'; i++) await keyboard.press('Tab')
  await onceFocused(page, 'Spans')
  await walkTree(page)
  await walkPanel(page)
  await keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Chosen span' }).waitFor({ state: 'detached' })
  await onceFocused(page, 'Spans')
  await keyboard.press('Escape')
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
})

/** The selected row is the one that the tree says is active. */
async function active(page) {
  const row = page.locator('.span[aria-selected=true]')
  await row.waitFor()
  const id = await row.getAttribute('id')
  await page.waitForFunction((of) => document.querySelector('.tree').getAttribute('aria-activedescendant') === of, id)
  return row
}

async function walkTree(page) {
  const { keyboard } = page
  await keyboard.press('Home')
  const root = await active(page)
  assert.equal(await root.getAttribute('aria-level'), '1')
  const rows = async () => Number(await page.locator('.tree').getAttribute('aria-rowcount'))
  const all = await rows()
  await keyboard.press('ArrowLeft')
  await page.waitForFunction((n) => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) < n, all)
  await keyboard.press('ArrowRight')
  await page.waitForFunction((n) => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) >= n, all)
  await keyboard.press('ArrowDown')
  await keyboard.press('n')
  assert.match(await (await active(page)).textContent(), /error/)
  await keyboard.press('z')
  await page.locator('.overview .mark').waitFor()
  await keyboard.press('0')
  await page.locator('.overview .mark').waitFor({ state: 'detached' })
  await keyboard.press('+')
  await page.locator('.overview .mark').waitFor()
  await keyboard.press('-')
  await keyboard.press('End')
  await keyboard.press('Home')
}

async function walkPanel(page) {
  const { keyboard } = page
  await keyboard.press('n')
  await keyboard.press('Enter')
  for (const tab of ['Content', 'Details', 'JSON']) {
    await onceFocused(page, tab)
    await page.getByRole('tab', { name: tab, selected: true }).waitFor()
    await keyboard.press('ArrowRight')
  }
  await onceFocused(page, 'Content')
  await page.getByRole('tabpanel').getByText(/Tool input/i).first().waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Tab')
  await onceFocused(page, 'Copy')
}
