// What was said and done, of sessions that real agents made.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { fitsWindow, looks, open } from './browser.mjs'
import { eventually, hook, otlpTraces, page as address, session, until } from './gateway.mjs'
import { seed } from './seed.mjs'

let browser
before(async () => {
  browser = await open()
  await seed()
})
after(() => browser.close())

const recorded = (file) => readFile(new URL(`../../internal/agent/${file}`, import.meta.url), 'utf8')
const own = (text, id) => text.replaceAll('session-1', id)

async function hooks(agent, file, id) {
  for (const line of own(await recorded(file), id).trim().split('\n')) await hook(agent, JSON.parse(line))
}

const agents = [
  ['claude-code', 'claude', () => hooks('claude-code', 'claudecode/testdata/session.hooks.jsonl', 'claude')],
  ['codex', '01a202b9-d0d3-7170-ba22-dfb151569adb', () => hooks('codex', 'codex/testdata/session.hooks.jsonl')],
  ['gemini-cli', '649dd2ad-29a3-4e8e-b51c-13cfc0e6379e', () => hooks('gemini-cli', 'geminicli/testdata/session.hooks.jsonl')],
  ['opencode', 'ses_dfd3afcb3ffeNXjFp9dPvJhMjE', () => hooks('opencode', 'opencode/testdata/session.hooks.jsonl')],
  ['copilot', 'copilot', async () => otlpTraces(own(await recorded('copilot/testdata/session.traces.json'), 'copilot'))],
]

/** Nothing is wider than the window, and no element's words stand over another's. */
async function fits(page, width, where) {
  const over = () => page.evaluate(() => [...document.querySelectorAll('.step')].flatMap((step) => {
    const body = step.querySelector('.step-body').getBoundingClientRect(), edge = step.querySelector('.edge')?.getBoundingClientRect()
    return edge?.width && body.right > edge.left + 1 && edge.top < body.bottom && !step.matches('.turn-step') ? [step.textContent.slice(0, 60)] : []
  }))
  await fitsWindow(page, width, where)
  await eventually(async () => assert.deepEqual(await over(), [], where))
}

for (const [agent, id, send] of agents) {
  test(`the conversation of ${agent}`, { timeout: 120_000 }, async () => {
    await send()
    await until('its calls', async () => (await session(id))?.tool_calls >= 5)
    const { page } = browser
    for await (const { colorScheme, width } of looks(page)) {
      await page.goto('about:blank')
      await page.goto(`${address}#/session/${id}`)
      await page.locator('.call-step', { hasText: 'echo hello' }).first().waitFor()
      await eventually(async () => {
        const first = await page.locator('.step').first().boundingBox()
        assert.ok(first.y < 320, `the first step begins at ${first.y} px`)
      })
      await fits(page, width, `${agent}, ${colorScheme}, ${width} px`)
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/story-${agent}-${width}-${colorScheme}.png`, animations: 'disabled' })
      if (width < 2560) continue
      await page.evaluate(axe.source)
      await eventually(async () => {
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' ')}`), [], `${agent}, ${colorScheme}`)
      }, 10_000)
    }
    await eventually(async () => {
      const said = await page.locator('.steps').textContent()
      for (const part of ['scripted-main-task', 'scripted trouble', 'a: 1, b: 2']) assert.ok(said.includes(part), `${part} in the conversation of ${agent}`)
    })
    await eventually(async () => {
      const once = await page.locator('.said-box').evaluateAll((all) => all.map((one) => one.textContent))
      assert.deepEqual(once.filter((text, i) => text === once[i - 1]), [], 'an answer that is shown twice')
    })
    const failures = () => page.locator('.call-step').evaluateAll((all) => all.filter((step) => { const why = step.querySelector('.why')?.textContent.trim(); return why && why === step.querySelector('pre.out')?.textContent.trim() }).length)
    await eventually(async () => assert.equal(await failures(), 0, 'an error that is its own output'))
  })
}

test('prompt, answer, command, difference, file, MCP call, refusal and cost', async () => {
  const { page } = browser
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1440, height: 3000 })
  await page.goto(`${address}#/session/claude-5e1f0b`)
  await page.locator('.said-box.you', { hasText: 'Fix the rounding of the cart total.' }).waitFor()
  await page.locator('.said-box.agent pre.code .hljs-keyword', { hasText: 'const' }).first().waitFor()
  await page.locator('.said-box.agent th', { hasText: 'file' }).waitFor()
  const diff = page.getByRole('group', { name: /^Changes of .*cart\.ts$/ }).first()
  const shows = (locator, pattern) => eventually(async () => assert.match(await locator.textContent(), pattern))
  await shows(diff.locator('.d-add').first(), /\+.*const cents =/)
  await shows(diff.locator('.d-del').first(), /−.*Math\.round/)
  const tests = page.locator('.call-step', { hasText: 'npm test' }).filter({ has: page.locator('details') }).first()
  assert.equal(await tests.locator('pre.out').isVisible(), false, 'the output is folded')
  await tests.locator('summary', { hasText: 'Output · 41 lines' }).click()
  await tests.locator('pre.out', { hasText: '214 passed' }).waitFor()
  await page.locator('.call-step', { hasText: 'Read' }).locator('summary', { hasText: /^Content · \d+ lines/ }).first().waitFor()
  await shows(page.locator('.call-step', { hasText: 'get_issue' }).first(), /github.*owner: shop, repo: shop, issue: 1182.*Cart total is off by one cent/s)
  await shows(page.locator('.call-step', { hasText: 'git push origin main' }), /Refused by you after 44\.0 s/)
  await shows(page.locator('.model-step .edge').first(), /18\.2k in \(15\.1k cached\), 420 out, \$0\.02/)
  await page.locator('.call-step .why', { hasText: 'expected 1001 to be 1000' }).waitFor()
  const rail = page.getByRole('navigation', { name: 'Turns' })
  await shows(rail.getByRole('button').nth(0), /1Fix the rounding.*\$0\.\d\d.*error/)
  assert.doesNotMatch(await rail.getByRole('button').nth(1).textContent(), /error/)
  await page.setViewportSize({ width: 1440, height: 700 })
  await rail.getByRole('button').nth(1).click()
  await until('the turn is in view', async () => { const box = await page.locator('.turn-step', { hasText: 'Turn 2' }).boundingBox(); return box && box.y > 0 && box.y < 400 })
})

test('a sub-agent is a story of its own, folded; a payload that was cut says so', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 3000 })
  await page.goto(`${address}#/session/refactor-billing-7f3a`)
  const fold = page.locator('.agent-fold', { hasText: 'Collect the rate limits' })
  await fold.waitFor()
  assert.equal(await page.locator('.call-step', { hasText: 'payments api rate limits' }).count(), 0)
  await fold.click()
  await page.locator('.call-step', { hasText: 'payments api rate limits' }).waitFor()
  await page.locator('.step', { hasText: 'Request timed out' }).first().waitFor()
  await page.locator('a.edge').nth(2).click()
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
  await page.goBack()
  await page.getByRole('region', { name: 'Conversation' }).waitFor()
})

test('a session is followed while it runs, and left alone once the reader scrolls', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 1100, height: 500 })
  const said = (event, more) => hook('claude-code', { session_id: 'follow-1', cwd: '/home/me/shop', prompt_id: 'p', hook_event_name: event, ...more })
  const run = async (i) => {
    const call = { tool_name: 'Bash', tool_input: { command: `make step-${i}` }, tool_use_id: `toolu_${i}` }
    await said('PreToolUse', call)
    await said('PostToolUse', { ...call, tool_response: { stdout: 'ok' } })
  }
  await said('SessionStart', { source: 'startup' })
  await said('UserPromptSubmit', { prompt: 'Run the steps' })
  for (let i = 0; i < 12; i++) await run(i)
  await page.goto(`${address}#/session/follow-1`)
  await page.locator('.call-step', { hasText: 'step-11' }).waitFor()
  await run(12)
  const last = page.locator('.call-step', { hasText: 'step-12' })
  await last.waitFor()
  const inView = async (item) => { const box = await item.boundingBox(); return box && box.y > 0 && box.y + 20 < 500 }
  await until('the newest is in view', () => inView(last))
  await page.getByRole('region', { name: 'Conversation' }).evaluate((box) => (box.scrollTop = 0))
  await page.getByRole('button', { name: 'Follow' }).waitFor()
  await run(13)
  await page.locator('.call-step', { hasText: 'step-13' }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Conversation' }).evaluate((box) => box.scrollTop < 50), true)
  await page.getByRole('button', { name: 'Follow' }).click()
  await until('the newest is in view again', () => inView(page.locator('.call-step', { hasText: 'step-13' })))
})
