// What agents and servers send is shown as text, whatever it is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { open } from './browser.mjs'
import { call, hex, inspectorEvents, observe, page as address, spans, until } from './gateway.mjs'

const evil = (where) => `"'></textarea></script><img src=x onerror="window.hacked='${where}'"><svg onload="window.hacked='${where}'"><a href="javascript:window.hacked=1">${where}</a><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>{{7*7}}\u0000\u202e${where}`
const json = (where) => JSON.stringify({ [evil('key')]: evil(where), list: [evil(where)], '__proto__': { polluted: true } })

let browser
before(async () => {
  browser = await open()
})
after(() => browser.close())

test('hostile payloads in every field stay text', { timeout: 240_000 }, async () => {
  const { page } = browser
  const foreign = []
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL('/', address).href) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  page.on('dialog', (dialog) => {
    foreign.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    globalThis.violations = []
    addEventListener('securitypolicyviolation', (e) => globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI}`))
  })
  await send()

  await page.goto(address)
  const ids = await until('hostile sessions', async () => {
    const { sessions } = await (await fetch(new URL('/_inspector/sessions?limit=100', address))).json()
    return sessions.length >= 4 && sessions.map((s) => s.id)
  })
  await page.locator('a.title').nth(3).waitFor()
  await harmless(page, 'board')
  await page.locator('.sessions', { hasText: '<img src=x onerror=' }).waitFor()
  for (const id of ids) await look(page, id)
  assert.deepEqual(foreign, [])
})

async function look(page, id) {
  await page.goto(`${address}#/session/${id}?view=conversation`)
  await page.locator('.steps, .nothing').first().waitFor()
  for (const fold of await page.locator('.fold-box summary, .agent-fold').all()) await fold.click()
  await harmless(page, `${id}, conversation`)
  await page.goto(`${address}#/session/${id}?view=timeline`)
  const tree = page.getByRole('treegrid', { name: 'Spans' })
  await tree.waitFor()
  await page.getByRole('button', { name: 'All records' }).click()
  const rows = Number(await tree.getAttribute('aria-rowcount'))
  await tree.focus()
  await page.keyboard.press('Home')
  for (let row = 0; row < Math.min(rows, 30); row++) {
    await page.locator(`#span-${row}[aria-selected=true]`).waitFor()
    await page.locator('.tab-panel :text("Reading…")').waitFor({ state: 'detached' })
    for (const tab of await page.getByRole('tab').allTextContents()) {
      await page.getByRole('tab', { name: tab }).click()
      await page.locator('.tab-panel :text("Reading…")').waitFor({ state: 'detached' })
      await harmless(page, `${id}, row ${row}, ${tab}`)
    }
    await tree.focus()
    await page.keyboard.press('ArrowDown')
  }
  await page.getByRole('searchbox', { name: 'Search in the timeline' }).fill(evil('search').slice(0, 60))
  await page.locator('.found', { hasText: 'found' }).waitFor()
  await harmless(page, `${id}, search`)
}

/** Nothing ran, nothing was made of it but text, and no picture came from elsewhere. */
async function harmless(page, where) {
  const found = await page.evaluate(() => ({
    hacked: globalThis.hacked, polluted: {}.polluted, violations: globalThis.violations,
    elements: document.querySelectorAll('iframe, object, embed, script:not([src]), [onerror], [onload], textarea, a[href^="javascript:" i]').length,
    scripts: document.scripts.length,
    images: [...document.images].map((i) => i.src).filter((src) => !/^data:image\/(png|jpeg|gif|webp);base64,/.test(src)),
    links: [...document.links].map((l) => l.href).filter((href) => !href.startsWith(location.origin) && !href.startsWith('http://localhost:16686/')),
    styled: document.querySelectorAll('[style*="expression" i], [style*="url(" i]').length,
  }))
  assert.deepEqual(found, { hacked: undefined, polluted: undefined, violations: [], elements: 0, scripts: 2, images: [], links: [], styled: 0 }, where)
}

async function send() {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64')
  const content = [
    { type: 'text', text: evil('result') }, { type: 'image', mimeType: 'image/png', data: png }, { type: 'image', mimeType: 'image/svg+xml', data: svg },
    { type: 'image', mimeType: 'text/html', data: svg }, { type: 'image', mimeType: 'image/png" onerror="window.hacked=1', data: png },
    { type: 'image', mimeType: 'image/png', data: 'x" onerror="window.hacked=1' }, { type: evil('type'), name: evil('name') },
    { type: 'resource_link', uri: 'javascript:window.hacked=1', name: evil('link') }, { type: 'resource', resource: { uri: 'https://evil.example/x.png', mimeType: 'image/png', blob: png } },
  ]
  const records = call(evil('session'), 'a', evil('tool'), { [evil('key')]: evil('value') }, { content, structuredContent: { a: evil('structured') } })
  for (const record of records) Object.assign(record, { client: evil('client'), server: evil('server') })
  await observe(records)
  await observe(call('errors', 1, 'x', {}, undefined).concat([{ session: 'errors', direction: 'server_to_client', message: { jsonrpc: '2.0', id: 1, error: { code: -32000, message: evil('error') } } }]))
  await inspectorEvents([
    { type: 'SessionStarted', session_id: 'events', engine: evil('engine'), title: evil('title'), timestamp: new Date().toISOString() },
    { type: 'WaitingOnSignal', session_id: 'events', signal_name: evil('signal'), prompt: evil('prompt'), schema: { title: evil('schema') }, timestamp: new Date().toISOString() },
  ])
  await everyAttribute()
}

/** Spans that name every key the web UI knows, and some that it does not. */
async function everyAttribute() {
  const now = Date.now()
  const trace = hex(16), root = hex(8)
  const all = {}
  for (const key of keys) all[key] = key.endsWith('_json') || key.includes('messages') ? json(key) : evil(key)
  const own = { 'session.id': 'attributes', [evil('attribute')]: evil('value'), constructor: 'x', toString: 'y' }
  await spans([
    { trace, id: root, name: 'session.start', start: now, end: now, service: evil('service'), attributes: { ...own, 'mcp.session.title': evil('title') } },
    { trace, parent: root, name: evil('span'), kind: 'CLIENT', start: now, end: now + 5, service: evil('service'), error: evil('status'), attributes: { ...own, ...all }, events: [{ name: evil('event'), time: now, attributes: { [evil('key')]: evil('event value') } }] },
    { trace, parent: root, name: 'llm.generate', start: now, end: now + 5, attributes: { ...own, 'mcp.llm.model': evil('model'), 'mcp.llm.prompt_json': JSON.stringify([{ role: evil('role'), content: [{ type: 'text', text: evil('said') }, { type: 'image', source: { media_type: 'text/html', data: 'PHNjcmlwdD4=' } }] }]), 'mcp.llm.response_json': json('response') } },
    { trace, parent: root, name: 'host.phase', start: now, end: now + 5, attributes: { ...own, 'mcp.host.phase': evil('phase') } },
    { trace, parent: root, name: 'notifications/host.heartbeat', start: now, end: now, attributes: { ...own, 'mcp.host.phase': evil('phase'), 'mcp.host.current_task': evil('task'), 'mcp.host.tokens.used': 5, 'mcp.host.tokens.limit': 10 } },
  ])
}

const keys = [
  'mcp.tool.name', 'mcp.tool.input_json', 'mcp.tool.output_json', 'mcp.tool.structured_output_json', 'mcp.agent.name', 'mcp.agent.task', 'mcp.resource.uri', 'mcp.resource.mime_type',
  'mcp.prompt.template_id', 'mcp.prompt.parameters_json', 'mcp.signal.name', 'mcp.signal.prompt', 'mcp.signal.schema_json', 'mcp.progress.message', 'mcp.reminder.body', 'mcp.log.message',
  'mcp.log.data_json', 'mcp.error.message', 'mcp.error.code', 'mcp.rpc.request_json', 'mcp.rpc.response_json', 'mcp.state.plan_json', 'mcp.result.evaluation_json', 'mcp.request_id',
  'mcp.notification.params_json', 'mcp.workflow.input_json', 'gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions', 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result',
]
