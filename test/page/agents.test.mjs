// What a coding agent tells of itself: turns, model calls and what they took, waits, and where all that came from.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { eventually, page as address, passed, session, states, until } from './gateway.mjs'
import { seed } from './seed.mjs'

const id = 'claude-5e1f0b'

let browser
before(async () => {
  browser = await open()
  await seed()
})
after(() => browser.close())

test('the row sums what the model calls took, and counts each call once', async () => {
  await eventually(async () => {
    const row = await session(id)
    assert.deepEqual([row?.turns, row?.llm_calls, row?.refusals, row?.model], [2, 10, 1, 'claude-sonnet-4-5'])
    assert.equal(row.tool_calls, 11, 'not those of the wire and of other sources')
    assert.ok(row.usage.input_tokens > row.usage.cache_read_input_tokens && row.usage.cost_usd > 0)
    assert.deepEqual(row.sources, ['hooks', 'otlp_logs', 'otlp_spans', 'tap'])
    assert.equal(row.host_error.type, 'rate_limit')
  })

  const { page } = browser
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/`)
  const line = page.locator('.sessions .row', { hasText: 'Fix the rounding' })
  await line.waitFor()
  const shows = (selector, pattern) => eventually(async () => assert.match(await line.locator(selector).textContent(), pattern))
  await shows('.c-model', /claude-sonnet-4-5.*89\.8k \/ 200k45%/)
  await shows('.c-took', /\$0\.\d\d540k in · 6\.8k out/)
  await shows('.c-task', /rate limit, retrying \(2\)/)
  await shows('.c-agent', /claude-code → githubshop, fix\/cart/)
  for (const width of [1400, 1240, 1080, 980, 861]) {
    await page.setViewportSize({ width, height: 900 })
    await eventually(async () => {
      const [seen, board] = [await line.locator('.c-since').boundingBox(), await page.locator('.sessions').boundingBox()]
      assert.ok(seen.x + seen.width <= board.x + board.width, `${width} px: the last column is cut off`)
    })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('none')
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('tokens')
  await until('what took most is first', async () => /753k in/.test(await page.locator('.sessions .row').filter({ has: page.locator('a.title[data-index="0"]') }).textContent()))
})

test('turns fold, the wire’s call is in the agent’s, and what repeats is hidden', async () => {
  const { page } = browser
  await page.goto(`${address}#/session/${id}?view=timeline`)
  const tree = page.getByRole('treegrid', { name: 'Spans' })
  await page.locator('.span', { hasText: 'Turn 2' }).waitFor()
  const rows = async () => Number(await tree.getAttribute('aria-rowcount'))
  const wire = page.locator('.span', { hasText: 'get_issue' }).nth(1)
  await eventually(async () => assert.equal(await wire.getAttribute('aria-level'), '4', 'session, turn, the agent’s call, the wire’s'))
  await page.locator('.span', { hasText: 'claude_code.tool' }).waitFor({ state: 'detached' })
  const all = await rows()
  await page.getByRole('button', { name: 'All records' }).click()
  await until('they are there', async () => (await rows()) >= all + 4)
  await page.locator('.span.twin', { hasText: 'Read' }).first().waitFor()
  await page.getByRole('button', { name: 'All records' }).click()
  await until('they are gone', async () => (await rows()) === all)

  await page.getByRole('button', { name: 'Fold 2 turns' }).click()
  await until('only the turns are left of them', async () => (await rows()) < all - 10)
  await page.locator('.span.dim').first().waitFor({ state: 'detached' }) // nothing is searched for
  // By keyboard: the first turn is the row behind the root, and opens with the arrow.
  await tree.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  const turn = (expanded) => page.locator(`.span[aria-selected=true][aria-expanded=${expanded}]`, { hasText: 'Turn 1' })
  await turn(false).waitFor()
  await page.keyboard.press('ArrowRight')
  await turn(true).waitFor()
  await page.keyboard.press('Escape')
})

test('model calls and turns say what they took, and the header what the session did', async () => {
  const { page } = browser
  await page.goto('about:blank')
  await page.goto(`${address}#/session/${id}?view=timeline`)
  await page.locator('.span', { hasText: 'Turn 2' }).waitFor()
  await page.locator('.span.llm .took', { hasText: /18\.2k in, 420 out, \$0\.02/ }).first().waitFor()
  await page.locator('.span.turn .took', { hasText: /165k in, 3\.4k out, \$0\.16/ }).first().waitFor()
  await eventually(async () => {
    const facts = await page.locator('.facts').textContent()
    for (const part of ['Modelclaude-sonnet-4-5 · 10 calls', 'Tokens540k in · 6.8k out · 482k cached', 'Cost$0.42', 'Directory, branchshop, fix/cart', 'SourcesHooks, OTLP logs, OTLP spans, Tap']) assert.ok(facts.includes(part), `${part} in ${facts}`)
  })
})

test('words and bars do not overlap, and phases have words that fit', async () => {
  const { page } = browser
  for (const width of [360, 1100, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('about:blank')
    await page.goto(`${address}#/session/refactor-billing-7f3a?view=timeline`)
    await page.locator('.span', { hasText: 'list_directory · src/billing' }).waitFor()
    const found = () => page.evaluate(() => {
      const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
      const box = (row, part) => row.querySelector(part)?.getBoundingClientRect()
      const rows = [...document.querySelectorAll('.span')].filter((row) => box(row, '.bar') && (over(box(row, '.bar'), box(row, '.length')) || over(box(row, '.bar'), box(row, '.words'))))
      const phases = [...document.querySelectorAll('.phase')].filter((phase) => {
        const inner = phase.querySelector('span')?.getBoundingClientRect(), outer = phase.getBoundingClientRect()
        return inner && inner.top < outer.bottom && inner.right > outer.right + 1
      })
      return { rows: rows.map((row) => row.textContent), phases: phases.map((phase) => phase.textContent), wide: document.documentElement.scrollWidth }
    })
    await eventually(async () => assert.deepEqual(await found(), { rows: [], phases: [], wide: width }, `${width} px`))
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${address}#/session/${id}?view=timeline`)
  await page.locator('.span', { hasText: 'Turn 2' }).waitFor()
})

test('a permission wait is a wait, and a phase', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Waits' }).click()
  await page.locator('.span.wait', { hasText: 'Waits for approval' }).waitFor()
  await page.locator('.phase.p-waiting_approval').waitFor()
  await page.getByRole('button', { name: 'Waits' }).click()
})

test('a host’s error is shown until it goes on', async () => {
  const { page } = browser
  await page.locator('.session-head .notice.waiting', { hasText: 'rate limit, retrying (2): Number of requests' }).waitFor()
  const row = await session(id), now = Date.now()
  await passed([{ trace: row.trace_id, parent: row.root_span_id, name: 'notifications/host.heartbeat', start: now, end: now, service: 'claude-code', attributes: { 'session.id': id, 'mcp.host.phase': 'thinking' } }])
  await states({ ...row, host_error: undefined, phase: 'thinking', phase_since: new Date(now).toISOString(), tool_calls: 40 })
  await page.locator('.session-head .notice', { hasText: 'rate limit' }).waitFor({ state: 'detached' })
  await until('the record’s figure', async () => (await session(id)).tool_calls === 40)
})

test('windows share one stream, and one that goes hands it on', async () => {
  const { context, page } = browser
  const streams = new Map()
  const seen = (request) => request.url().includes('/_inspector/events') && streams.set(request.url(), (streams.get(request.url()) ?? 0) + 1)
  context.on('request', seen)
  const second = await context.newPage()
  await second.goto(`${address}#/`)
  await second.locator('.link-state.live').waitFor()
  assert.equal([...streams.values()].reduce((a, b) => a + b, 0), 0, 'the first window has the stream')
  await page.goto('about:blank')
  const row = await session(id)
  await until('the second window takes over and shows what comes', async () => {
    await states({ ...row, open_calls: [], open_call_count: 0, current_task: 'Told to the second window' })
    return (await second.getByText('Told to the second window').count()) > 0
  })
  context.off('request', seen)
  await second.close()
})

test('an agent that waits for the next prompt is idle, and does not run', async () => {
  const { page } = browser
  await until('it is idle', async () => (await session('codex-019a'))?.state === 'idle')
  await page.goto(`${address}#/`)
  await page.getByRole('button', { name: /^Resting/ }).click()
  await page.locator('.sessions .row.idle', { hasText: 'Write tests for the tax table' }).waitFor()
  await page.waitForURL(/show=resting/)
  await until('only those', async () => (await page.locator('.sessions .row:not(.group, .idle)').count()) === 0)
})
