// A session as one file: it opens without a server, and shows what the page shows.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { fitsWindow, open } from './browser.mjs'
import { eventually, page as address, observe, call, text, until, session } from './gateway.mjs'
import { seed } from './seed.mjs'

const id = 'claude-5e1f0b'
const hostile = '</script><!--<script>window.hacked=1</script>\u2028<img src=x onerror="window.hacked=1">'
let folder, browser

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-export-'))
  await seed()
  await observe(call('hostile', 1, 'fetch', { url: hostile, password: 'canary-0123456789' }, text(hostile)))
  await until('the hostile session', () => session('hostile'))
  await until('all of what the agent said', async () => (await (await fetch(exported(id, 'json', ''))).text()).includes('rounding of the cart'))
})
after(() => rm(folder, { recursive: true, force: true }))

const exported = (of, format, query) => new URL(`/_inspector/sessions/${of}/export?format=${format}${query}`, address)

async function save(of, query) {
  const response = await fetch(exported(of, 'html', query))
  assert.equal(response.status, 200)
  const file = join(folder, `${of}${query.replace(/\W/g, '-')}.html`)
  await writeFile(file, await response.text())
  return file
}

/** Opens a file in a browser that has no network, and fails if it asks for one. */
async function look(file, size, see) {
  browser = await open({ viewport: size, offline: true })
  const { page } = browser
  const asked = [], wrong = []
  page.on('request', (request) => /^(file|blob|data):/.test(request.url()) || asked.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(String(error)))
  try {
    await page.goto(`file://${file}`)
    await see(page)
    assert.deepEqual([asked, wrong], [[], []])
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
  } finally {
    await browser.close()
  }
}

async function sound(page, what, width) {
  await page.evaluate(axe.source)
  await eventually(async () => {
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
    assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0]?.html}`), [], what)
  }, 10_000)
  await fitsWindow(page, width, what)
}

for (const width of [360, 1440]) {
  test(`the file shows the conversation and the timeline offline at ${width} px`, { timeout: 120_000 }, async () => {
    const file = await save(id, '')
    await look(file, { width, height: 844 }, async (page) => {
      await page.locator('.call-step').first().waitFor()
      await page.locator('.link-state', { hasText: 'Exported' }).waitFor()
      await page.locator('.back').waitFor({ state: 'detached' })
      await page.locator('.steps', { hasText: 'rounding of the cart' }).waitFor()
      await sound(page, 'conversation', width)
      await page.getByRole('link', { name: 'Timeline' }).click()
      await page.locator('.span', { hasText: 'Turn 1' }).waitFor()
      await page.locator('.span', { hasText: 'Bash' }).first().click()
      await page.locator('.tab-panel .field, .tab-panel .notice').first().waitFor()
      await sound(page, 'timeline', width)
      await page.keyboard.press('Escape')
      await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
    })
  })
}

test('hostile texts stay text, and what is masked is not in the file', { timeout: 120_000 }, async () => {
  const file = await save('hostile', '')
  const lines = gunzipSync(Buffer.from(/id="exported"[^>]*>([^<]*)</.exec(await readFile(file, 'utf8'))[1], 'base64')).toString()
  assert.ok(lines.includes('onerror') && lines.includes('[masked:') && !lines.includes('canary'))
  await look(file, { width: 1440, height: 900 }, async (page) => {
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.span', { hasText: 'fetch' }).first().click()
    await page.locator('.tab-panel', { hasText: '<img src=x onerror=' }).waitFor()
  })
})

test('without payloads it has names, times and figures only', { timeout: 120_000 }, async () => {
  const file = await save(id, '&payloads=false')
  await look(file, { width: 1440, height: 900 }, async (page) => {
    await page.locator('.link-state', { hasText: 'without payloads' }).waitFor()
    await page.locator('.call-step').first().waitFor()
    assert.ok(!(await page.locator('body').innerText()).includes('rounding of the cart'))
  })
})

test('the page offers the files', { timeout: 120_000 }, async () => {
  browser = await open({ acceptDownloads: true })
  const { page } = browser
  try {
    await page.goto(`${address}#/session/${id}`)
    await page.locator('.menu summary').click()
    await sound(page, 'menu', 1440)
    for (const [name, ending] of [['Web page', `${id}.html`], ['JSON', `${id}.json`], ['OTLP', `${id}.otlp.jsonl`], ['Session file', `${id}.jsonl.gz`]]) {
      if (!(await page.locator('.menu[open]').count())) await page.locator('.menu summary').click()
      const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.menu-items a', { hasText: name }).first().click()])
      assert.equal(file.suggestedFilename(), ending)
      assert.equal(await file.failure(), null)
    }
  } finally {
    await browser.close()
  }
})
