// Time in which nothing happens: the waterfall folds it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fitsWindow, looks, open } from './browser.mjs'
import { eventually, hex, page as address, session, passed, until } from './gateway.mjs'

let browser
before(async () => {
  browser = await open()
  await send()
})
after(() => browser.close())

const minute = 60_000

/** Two turns of a minute, with an hour between them; the last ends before its session. */
async function send() {
  const trace = hex(16), root = hex(8), start = Date.now() - 70 * minute
  const own = { 'session.id': 'paused' }
  const turn = (index, at) => ({ trace, id: hex(8), parent: root, name: 'agent.turn', start: at, end: at + minute, attributes: { ...own, 'mcp.turn.index': index } })
  const first = turn(1, start), second = turn(2, start + 61 * minute)
  await passed([
    { trace, id: root, name: 'workflow.run', start, end: start + 62 * minute, attributes: { ...own, 'mcp.session.title': 'Paused' } }, first, second,
    ...[first, second].map((of) => ({ trace, id: hex(8), parent: of.id, name: 'tool.call', start: of.start + 1000, end: of.start + 31_000, attributes: { ...own, 'mcp.tool.name': 'Bash' } })),
  ])
  await until('all spans are taken', async () => (await session('paused'))?.span_count === 5)
}

/** The widths of the bars of the two turns, as shares of their column, and the column's. */
const bars = (page) => page.locator('.span.turn').evaluateAll((rows) => rows.map((row) => row.querySelector('.bar').getBoundingClientRect().width / row.querySelector('.line').getBoundingClientRect().width))

test('idle time is folded and shown again', async () => {
  const { page } = browser
  for await (const { colorScheme, width } of looks(page, { narrow: 900 })) {
    await page.goto('about:blank')
    await page.goto(`${address}#/session/paused?view=timeline`)
    await page.locator('.span.turn').nth(1).waitFor()
    const each = (check) => eventually(async () => (await bars(page)).forEach(check))
    await each((share) => assert.ok(share < 0.03, `a turn of a minute in an hour is ${share} wide at ${width}`))
    await page.getByRole('button', { name: 'Fold idle time' }).click()
    await page.locator('.ruler .gap[title^="1h 00m"]').waitFor({ state: 'attached' })
    await each((share) => assert.ok(share > 0.4, `a turn is ${share} wide at ${width} where the hour is folded`))
    await eventually(async () => assert.deepEqual(await page.locator('.span.turn .length').allTextContents(), ['1m 00s', '1m 00s'], 'lengths are those of the clock'))
    await fitsWindow(page, width, 'the timeline')
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/waterfall-${width}-${colorScheme}.png` })
  }
})

test('a turn that ended says so, by a link to it too', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.locator('.span.turn').first().click()
  const panel = page.getByRole('complementary', { name: 'Chosen span' })
  await panel.waitFor()
  const link = page.url()
  await page.goto('about:blank')
  await page.goto(link)
  await panel.getByText('agent.turn · 1m 00s').waitFor()
  await eventually(async () => assert.doesNotMatch(await panel.innerText(), /no end|running/i))
})
