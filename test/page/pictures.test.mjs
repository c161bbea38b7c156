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
      await page.goto(`${address}#/session/refactor-billing-7f3a`)
      await page.locator('.span', { hasText: 'bulk index' }).waitFor()
      if (size === 'wide') {
        await page.locator('.span', { hasText: colorScheme === 'light' ? 'claude-sonnet' : 'render_chart' }).click()
        await page.getByRole('tab', { name: 'Output' }).click()
        await page.locator('.tab-panel .content').first().waitFor()
      }
      await shoot(page, `session-${size}-${colorScheme}`)
      await page.keyboard.press('Escape')
    })
  }
}

test('a recorded session', async () => {
  const { page } = browser
  const recorded = await readFile(new URL('../peers/transcripts/everything.ndjson', import.meta.url), 'utf8')
  await observe(recorded.trim().split('\n').map((line) => JSON.parse(line)))
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${address}#/session/s-everything`)
  await page.locator('.span', { hasText: 'get-sum' }).first().click()
  await page.getByRole('tab', { name: 'Output' }).click()
  await page.locator('.tab-panel .content').first().waitFor()
  await shoot(page, 'trace-wide-light')
})

function shoot(page, name) {
  return page.screenshot({ path: join(folder, `page-${name}.png`), animations: 'disabled' })
}
