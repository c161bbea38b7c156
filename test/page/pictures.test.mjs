// Pictures of both views for people to look at: into PICTURES, else nowhere that stays.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { observe, page as address } from './gateway.mjs'
import { seed } from './seed.mjs'

let browser, folder
before(async () => {
  folder = process.env.PICTURES || (await mkdtemp(join(tmpdir(), 'pictures-')))
  await seed()
  browser = await open()
})
after(async () => {
  await browser.close()
  if (!process.env.PICTURES) await rm(folder, { recursive: true })
})

for (const colorScheme of ['light', 'dark']) {
  for (const [size, viewport] of [['wide', { width: 1280, height: 800 }], ['narrow', { width: 390, height: 844 }]]) {
    test(`${colorScheme}, ${size}`, async () => {
      const { page } = browser
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize(viewport)
      await page.goto(`${address}#/`)
      await page.locator('a.title').nth(4).waitFor()
      await shoot(page, `sessions-${size}-${colorScheme}`)
      await page.goto(`${address}#/session/refactor-billing-7f3a?view=timeline`)
      await page.locator('.span', { hasText: 'bulk index' }).waitFor()
      if (size === 'wide') {
        await page.locator('.span', { hasText: colorScheme === 'light' ? 'claude-sonnet' : 'render_chart' }).click()
        await page.getByRole('tab', { name: 'Content' }).click()
        await page.locator('.tab-panel .content').first().waitFor()
      }
      await shoot(page, `session-${size}-${colorScheme}`)
      await page.keyboard.press('Escape')
      await page.goto(`${address}#/session/claude-5e1f0b`)
      await page.locator('.call-step').nth(3).waitFor()
      await page.getByRole('region', { name: 'Conversation' }).evaluate((box) => (box.scrollTop = 0))
      await page.locator('.said-box.you', { hasText: 'Fix the rounding' }).waitFor()
      await page.waitForTimeout(300) // what is near is read
      await shoot(page, `agent-${size}-${colorScheme}`)
      if (process.env.PICTURES_MORE) await more(page, `${size}-${colorScheme}`)
    })
  }
}

/** What no document shows, but people should look at after a change. */
async function more(page, name) {
  await page.getByRole('link', { name: 'Timeline' }).click()
  await page.locator('.span.llm').nth(1).click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await page.locator('.facts-table', { hasText: 'Tokens' }).waitFor()
  await shoot(page, `agent-call-${name}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'All records' }).click()
  await page.locator('.span.twin').first().waitFor()
  await page.getByRole('button', { name: /^Fold/ }).click()
  await page.locator('.span.twin').first().waitFor({ state: 'detached' })
  await shoot(page, `agent-folded-${name}`)
  if (!name.startsWith('wide')) return
  for (const width of [1600, 1100, 900]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${address}#/`)
    await page.locator('a.title').nth(4).waitFor()
    await shoot(page, `sessions-${width}-${name}`)
  }
}

test('a recorded session', async () => {
  const { page } = browser
  const recorded = await readFile(new URL('../peers/transcripts/everything.ndjson', import.meta.url), 'utf8')
  await observe(recorded.trim().split('\n').map((line) => JSON.parse(line)))
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${address}#/session/s-everything?view=timeline`)
  await page.locator('.span', { hasText: 'get-sum' }).first().click()
  await page.getByRole('tab', { name: 'Content' }).click()
  await page.locator('.tab-panel .content').first().waitFor()
  await shoot(page, 'trace-wide-light')
})

function shoot(page, name) {
  return page.screenshot({ path: join(folder, `page-${name}.png`), animations: 'disabled' })
}
