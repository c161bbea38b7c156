// Long sessions and many events.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { call, hex, observe, page as address, passed, session, text, until } from './gateway.mjs'

const count = 100_000
let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

// A build server that does much else gets more than what is aimed at.
const slack = 6

test(`a session of ${count} spans opens and scrolls`, { timeout: 480_000 }, async (t) => {
  await sendBig()
  const { page } = browser
  await page.goto(address)
  await page.locator('a.title[href="#/session/big"]').waitFor()
  await watchTasks(page)
  const began = performance.now()
  await page.locator('a.title[href="#/session/big"]').click()
  await page.locator('.agent-step').first().waitFor()
  t.diagnostic(`the conversation shown after ${(performance.now() - began).toFixed(0)} ms`)
  await page.getByRole('link', { name: 'Timeline' }).click()
  await page.waitForSelector(`.tree[aria-rowcount="${count}"]`, { timeout: 120_000 })
  await page.locator('.tree .span').first().waitFor()
  const opened = performance.now() - began
  t.diagnostic(`${count} spans shown after ${opened.toFixed(0)} ms (aimed at: 4000)`)
  t.diagnostic(`longest task while opening: ${(await longest(page)).toFixed(0)} ms`)
  await watchTasks(page)
  await scroll(page)
  const task = await longest(page)
  t.diagnostic(`while scrolling ${(await frames(page)).toFixed(0)} frames a second are drawn (aimed at: 50)`)
  const heap = await heaps(browser.context, page)
  t.diagnostic(`JavaScript of page and worker holds ${heap.toFixed(0)} MB (aimed at: 150)`)
  assert.ok(heap < 150, `the tab holds ${heap} MB`)
  t.diagnostic(`longest task while scrolling: ${task.toFixed(0)} ms (aimed at: 100; 0: none of 50 ms or more)`)
  assert.ok(opened < 4000 * slack, `opening took ${opened} ms`)
  assert.ok(task < 100 * slack, `a task took ${task} ms`)
})

test('a search in it finds what payloads say', { timeout: 120_000 }, async (t) => {
  const { page } = browser
  const began = performance.now()
  await page.getByRole('searchbox', { name: 'Search in the timeline' }).fill('file_49002.py')
  await page.locator('.found', { hasText: /^1 found$/ }).waitFor()
  t.diagnostic(`found after ${(performance.now() - began).toFixed(0)} ms`)
  await page.getByRole('searchbox', { name: 'Search in the timeline' }).fill('')
})

test('1,000 events a second leave the web UI responsive', { timeout: 180_000 }, async (t) => {
  const { page } = browser
  await page.goto(`${address}#/`)
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
  await flood(t, page, 'board', (i) => `flood-${i % 40}`)
  await observe(call('flood-one', 'first', 'search', {}))
  await page.goto(`${address}#/session/flood-one?view=timeline`)
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor()
  await flood(t, page, 'session', () => 'flood-one')
})

test('a board of 1,000 sessions shows its first row at once', { timeout: 120_000 }, async (t) => {
  for (let from = 0; from < 1000; from += 100) {
    await observe(Array.from({ length: 100 }, (_, i) => call(`many-${from + i}`, 'c', 'search', {}, text('ok'))).flat())
  }
  const { page } = browser
  await page.goto('about:blank')
  const began = performance.now()
  await page.goto(address)
  await page.locator('.sessions a.title').first().waitFor()
  const shown = performance.now() - began
  t.diagnostic(`first row after ${shown.toFixed(0)} ms, with the start of the page (aimed at: 500)`)
  assert.ok(shown < 500 * slack, `the first row took ${shown} ms`)
})

async function flood(t, page, what, sessionOf) {
  await watchTasks(page)
  const answers = []
  const sending = send(what, sessionOf)
  let sent
  sending.then((n) => (sent = n))
  while (sent === undefined) {
    const began = performance.now()
    await page.getByRole('button', { name: /^Theme/ }).click()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    answers.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const { events, seconds } = await sending
  const sorted = answers.sort((a, b) => a - b)
  t.diagnostic(`${what}: ${events} events in ${seconds.toFixed(1)} s; a click is answered after ${sorted[sorted.length >> 1].toFixed(0)} ms (median of ${sorted.length}), at worst ${sorted.at(-1).toFixed(0)} ms; longest task ${(await longest(page)).toFixed(0)} ms`)
  assert.ok(sorted[sorted.length >> 1] < 1000, 'the web UI does not answer clicks')
}

/** 1,000 messages a second for ten seconds, each half a call. */
async function send(what, sessionOf) {
  const began = performance.now()
  let events = 0
  for (let slice = 0; slice < 200; slice++) {
    const records = []
    for (let i = 0; i < 25; i++) records.push(...call(sessionOf(i), `${what}-${slice}-${i}`, `tool_${i}`, { slice, i }, text('ok')))
    await observe(records)
    events += records.length
    const ahead = (slice + 1) * 50 - (performance.now() - began)
    if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead))
  }
  return { events, seconds: (performance.now() - began) / 1000 }
}

async function sendBig() {
  const trace = hex(16), root = hex(8)
  const start = Date.now() - 3_600_000
  const own = { 'session.id': 'big' }
  let agent
  for (let from = 0; from < count; from += 2500) {
    const batch = []
    for (let i = from; i < from + 2500; i++) {
      const at = start + i * 70
      if (i === 0) batch.push({ trace, id: root, name: 'workflow.run', start, end: start + 3_500_000, attributes: { ...own, 'mcp.session.title': 'Big' } })
      else if (i % 100 === 1) batch.push({ trace, id: (agent = hex(8)), parent: root, name: 'agent.call', start: at, end: at + 6900, attributes: { ...own, 'mcp.agent.name': `agent ${i}` } })
      else batch.push({ trace, parent: agent, kind: 'CLIENT', name: 'tool.call', start: at, end: at + 20 + (i % 40), error: i % 97 ? undefined : 'No such file', attributes: { ...own, 'mcp.tool.name': `tool_${i % 20}`, 'mcp.tool.input_json': `{"path":"src/file_${i}.py"}`, 'mcp.tool.output_json': '{"content":[{"type":"text","text":"ok"}],"isError":false}' } })
    }
    await passed(batch)
  }
  await until('all spans are taken', async () => (await session('big'))?.span_count === count)
}

function watchTasks(page) {
  return page.evaluate(() => {
    globalThis.tasks?.disconnect()
    globalThis.longestTask = 0
    globalThis.tasks = new PerformanceObserver((list) => list.getEntries().forEach((e) => (globalThis.longestTask = Math.max(globalThis.longestTask, e.duration))))
    globalThis.tasks.observe({ type: 'longtask' })
  })
}

/** Frames a second while the tree scrolls by a few rows with each. */
function frames(page) {
  return page.evaluate(async () => {
    const tree = document.querySelector('.tree')
    const frame = () => new Promise(requestAnimationFrame)
    await frame()
    const began = performance.now(), most = 200
    for (let i = 0; i < most; i++, await frame()) tree.scrollTop += 90
    return (1000 * most) / (performance.now() - began)
  })
}

/** MB that JavaScript of the page and of its worker holds after a collection. */
async function heaps(context, page) {
  const cdp = await context.newCDPSession(page)
  const answers = new Map(), workers = []
  cdp.on('Target.attachedToTarget', ({ sessionId }) => workers.push(sessionId))
  cdp.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message)
    answers.get(id)?.(result)
  })
  await cdp.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  let id = 0
  const ask = (sessionId, method) => new Promise((resolve) => {
    answers.set(++id, resolve)
    void cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
  })
  await cdp.send('HeapProfiler.collectGarbage')
  let used = (await cdp.send('Runtime.getHeapUsage')).usedSize
  for (const worker of workers) {
    await ask(worker, 'HeapProfiler.collectGarbage')
    used += (await ask(worker, 'Runtime.getHeapUsage')).usedSize
  }
  await cdp.detach()
  assert.ok(workers.length, 'the worker was not found')
  return used / 1e6
}

const longest = (page) => page.evaluate(() => globalThis.longestTask)

/** Down in small steps, then to the end and back, as a reader does. */
async function scroll(page) {
  await page.evaluate(async () => {
    const tree = document.querySelector('.tree')
    const frame = () => new Promise(requestAnimationFrame)
    for (let i = 0; i < 60; i++, await frame()) tree.scrollTop += 400
    for (const part of [1, 0.5, 0.25, 0.75, 0]) {
      tree.scrollTop = part * tree.scrollHeight
      await frame()
      await frame()
    }
  })
}
