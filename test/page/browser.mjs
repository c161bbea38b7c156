// One Chromium for all tests, with a profile of its own that is thrown away.
import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const args = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--force-color-profile=srgb',
]

/** The browser's program, or undefined if none is installed. */
export function program() {
  return [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path))
}

/** Shows the page in both colour schemes at each width; narrow is the height of the narrowest window, height that of the others. */
export async function* looks(page, { height = 900, narrow = 740 } = {}) {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [360, 1100, 1440, 2560]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: width === 360 ? narrow : height })
      yield { colorScheme, width }
    }
  }
}

/** Fails if the page is wider than its window. */
export const fitsWindow = (page, width, where) => page.waitForFunction((most) => document.documentElement.scrollWidth <= most, width).catch(async () => {
  throw new Error(`${where}: the page is ${await page.evaluate(() => document.documentElement.scrollWidth)} px wide`)
})

/** A browser with one window; `close` ends it and removes its profile. */
export async function open(options = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'page-test-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: program(), args, headless: true, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options,
  })
  const close = async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  return { context, page: context.pages()[0] ?? (await context.newPage()), close }
}
