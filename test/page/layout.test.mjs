// What is shown is shown whole and in line, at every width.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fitsWindow, looks, open } from './browser.mjs'
import { eventually, otlpTraces, page as address, session, until } from './gateway.mjs'
import { readFile } from 'node:fs/promises'
import { seed } from './seed.mjs'

let browser
before(async () => {
  browser = await open()
  await seed()
  await otlpTraces(await readFile(new URL('../../internal/agent/copilot/testdata/session.traces.json', import.meta.url), 'utf8'))
  await until('the recorded session', async () => (await session('session-1'))?.tool_calls >= 5)
})
after(() => browser.close())

/** Runs a check at each width, in both colour schemes. */
async function everywhere(path, ready, check) {
  const { page } = browser
  for await (const { colorScheme, width } of looks(page)) {
    await page.goto('about:blank')
    await page.goto(`${address}${path}`)
    await ready(page)
    await check(page, `${width} px, ${colorScheme}`, width)
    await fitsWindow(page, width, path)
  }
}

/** No text is cut off or out of the window. */
const whole = (page, selectors, where) => eventually(async () => assert.deepEqual(await cut(page, selectors), [], where))

const cut = (page, selectors) => page.evaluate((selectors) => {
  const measure = document.createElement('canvas').getContext('2d')
  const wide = (element, text) => { measure.font = getComputedStyle(element).font; return measure.measureText(text).width }
  const room = (element, more) => { const style = getComputedStyle(element); return element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - more }
  return [...document.querySelectorAll(selectors)].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect()
    if (!width || getComputedStyle(element).clipPath !== 'none') return false
    if (element.matches('input')) return wide(element, element.placeholder) > room(element, 0)
    if (element.matches('select')) return wide(element, element.selectedOptions[0].text) > room(element, 20)
    return element.scrollWidth > element.clientWidth + 1 || (getComputedStyle(element).overflow !== 'visible' && element.scrollHeight > element.clientHeight + 1) || left < -1 || right > innerWidth + 1
  }).map((element) => element.placeholder ?? element.selectedOptions?.[0].text ?? element.textContent)
}, selectors)

test('the board’s filters, totals and counts are whole', async () => {
  await everywhere('#/', (page) => page.locator('.totals summary').first().waitFor(), async (page, where) => {
    await whole(page, '.search input, .selects select, .chip, .totals summary, .sessions:not(.cards) .columns span, .group h2, .streams a', where)
    await page.locator('.totals summary', { hasText: 'Today' }).click()
    await page.locator('.totals tfoot').first().waitFor()
    await whole(page, '.totals[role] details[open] td', where)
  })
})

for (const [id, ready] of [['claude-5e1f0b', 'Turn 2'], ['session-1', 'Turn 1']]) {
  test(`the head of ${id} is whole, and stands in line`, async () => {
    await everywhere(`#/session/${id}`, (page) => page.locator('.call-step').first().waitFor(), async (page, where) => {
      await whole(page, '.headline h1, .fact, .fact dd, .notice span, .views a', where)
      await eventually(async () => {
        const boxes = await page.locator('.actions .button').evaluateAll((all) => all.map((one) => { const { top, height } = one.getBoundingClientRect(); return `${Math.round(top)} ${Math.round(height)}` }))
        assert.equal(new Set(boxes).size, 1, `${where}: ${boxes}`)
      })
    })
  })

  test(`times of ${id} stand above their bars`, async () => {
    await everywhere(`#/session/${id}?view=timeline`, (page) => page.locator('.span', { hasText: ready }).waitFor(), async (page, where) => {
      const edges = (selector) => page.locator(selector).first().evaluate((box) => { const { left, right } = box.getBoundingClientRect(); return [Math.round(left), Math.round(right)] })
      await eventually(async () => assert.deepEqual(await edges('.ruler'), await edges('.span .line'), where))
      await whole(page, '.session .search input, .session .chip, .zoom button', where)
      await page.getByRole('button', { name: 'Fold idle time' }).click()
      await page.getByRole('button', { name: 'Fold idle time', pressed: true }).waitFor()
      const over = () => page.locator('.ruler').evaluate((ruler) => {
        const boxes = (selector) => [...ruler.querySelectorAll(selector)].map((one) => { const range = document.createRange(); range.selectNodeContents(one); return one.matches('.gap') ? one.getBoundingClientRect() : range.getBoundingClientRect() })
        return boxes('span').filter((words) => boxes('.gap').some((gap) => words.left < gap.right && gap.left < words.right && words.top < gap.bottom - 1 && gap.top < words.bottom - 1)).length
      })
      await eventually(async () => assert.equal(await over(), 0, `${where}: marks of folded time stand over words`))
    })
  })
}

test('the session is above its own spans, and a service is named where it begins', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/session/session-1?view=timeline`)
  await page.locator('.span', { hasText: 'Turn 1' }).waitFor()
  const spans = () => page.locator('.span').evaluateAll((all) => all.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => [row.ariaLevel, row.querySelector('.words b').textContent, row.querySelector('.service')?.textContent ?? '']))
  await eventually(async () => {
    const rows = await spans()
    assert.deepEqual(rows[0], ['1', 'Session', ''])
    assert.deepEqual(rows.filter(([, , service]) => service), [['2', 'Turn 1', 'github-copilot']])
  })
})
