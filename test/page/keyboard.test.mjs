// All that the web UI does can be done without a pointer.
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

  const titles = page.locator('a.title')
  const at = (index) => titles.nth(index).and(page.locator(':focus')).waitFor()
  await keyboard.press('ArrowDown')
  await at(0)
  await keyboard.press('ArrowDown')
  await at(1)
  await keyboard.press('k')
  await at(0)

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

/** The selected row is such a one, and the one that the tree says is active. */
async function active(page, which, options) {
  await page.locator(`.span[aria-selected=true]${which}`, options).waitFor()
  await page.waitForFunction(() => document.querySelector('.span[aria-selected=true]')?.id === document.querySelector('.tree').getAttribute('aria-activedescendant'))
}

async function walkTree(page) {
  const { keyboard } = page
  await keyboard.press('Home')
  await active(page, '[aria-level="1"]')
  const rows = async () => Number(await page.locator('.tree').getAttribute('aria-rowcount'))
  const all = await rows()
  await keyboard.press('ArrowLeft')
  await page.waitForFunction((n) => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) < n, all)
  await keyboard.press('ArrowRight')
  await page.waitForFunction((n) => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) >= n, all)
  await keyboard.press('ArrowDown')
  await keyboard.press('n')
  await active(page, '', { hasText: 'error' })
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
