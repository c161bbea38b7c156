// What programs read of the gateway: the event stream and the list of sessions.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { call, eventually, observe, page as address, text, until } from './gateway.mjs'

/** The events of the stream as they come, until the signal. */
async function listen(signal) {
  const events = []
  const response = await fetch(new URL('/_inspector/events', address), { signal })
  const read = async () => {
    let rest = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split('\n\n')
      rest = frames.pop()
      for (const frame of frames) for (const line of frame.split('\n')) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)))
    }
  }
  read().catch(() => {}) // ends with the signal
  return events
}

test('the stream has all of the Inspector’s events', { timeout: 90_000 }, async () => {
  const stop = new AbortController()
  const events = await listen(stop.signal)
  const around = { session: 'all-events', client: 'goose', server: 'files', transport: 'stdio' }
  const asked = (id, method, params) => ({ ...around, direction: 'client_to_server', message: { jsonrpc: '2.0', id, method, params } })
  const answered = (id, result) => ({ ...around, direction: 'server_to_client', message: { jsonrpc: '2.0', id, result } })
  await observe([
    asked(1, 'resources/read', { uri: 'file:///a.txt' }), answered(1, { contents: [{ uri: 'file:///a.txt', mimeType: 'text/plain', text: 'hello' }] }),
    asked(2, 'prompts/get', { name: 'review', arguments: { lang: 'go' } }), answered(2, { messages: [] }),
    asked(3, 'tools/call', { name: 'search', arguments: {}, _meta: { progressToken: 'p' } }),
    { ...around, direction: 'server_to_client', message: { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 3, total: 4, message: 'nearly' } } },
    answered(3, text('found')),
    { ...around, direction: 'client_to_server', message: { jsonrpc: '2.0', method: 'notifications/host.heartbeat', params: { phase: 'waiting_approval' } } },
  ])
  const of = (type) => events.find((e) => e.type === type && e.session_id === 'all-events')
  const told = async (type, more) => {
    const event = await until(type, () => of(type), 60_000)
    const { type: _, session_id: __, timestamp, event_id: id, ...rest } = event
    assert.ok(Date.parse(timestamp) && id > 0, type)
    assert.deepEqual(rest, more, type)
  }
  await told('ResourceFetched', { uri: 'file:///a.txt', mime_type: 'text/plain', bytes: 5 })
  await told('PromptUsed', { template_id: 'review', parameters: { lang: 'go' } })
  await told('ProgressUpdate', { progress_token: 'p', percent: 75, message: 'nearly' })
  await told('WaitingOnSignal', { signal_name: 'approval' })
  await told('Heartbeat', { llm_calls_delta: 0, tokens_delta: 0, tool_calls_delta: 1 })
  await observe([{ ...around, end: { reason: 'closed' } }])
  await until('the end', () => of('SessionFinished'))
  assert.ok(of('SessionStarted'))
  stop.abort()

  // Those that came, and what the description says that may come.
  const described = await readFile(new URL('../../exporter/inspectorexporter/openapi.yaml', import.meta.url), 'utf8')
  for (const type of ['SessionStarted', 'SessionFinished', 'ResourceFetched', 'PromptUsed', 'ProgressUpdate', 'WaitingOnSignal', 'Heartbeat']) {
    assert.match(described, new RegExp(`^    ${type}:\n(      .*\n)+?        type: \\{type: string, enum: \\[${type}\\]\\}`, 'm'), type)
    assert.match(described, new RegExp(`\\$ref: '#/components/schemas/${type}'`), type)
  }
})

test('sessions without a limit are all, with their engine', async () => {
  const many = 222
  await observe(Array.from({ length: many }, (_, i) => call(`many-${i}`, 1, 'search', {}, text('found'))).flat())
  const list = async (query) => (await fetch(new URL(`/_inspector/sessions${query}`, address))).json()
  await eventually(async () => {
    const { sessions, next_cursor: next, total } = await list('?q=many-')
    assert.deepEqual([sessions.length, total, next], [many, many, undefined])
    assert.deepEqual([...new Set(sessions.map((row) => row.engine))], ['mcp'])
  })
  const first = await list('?q=many-&limit=100')
  const second = await list(`?q=many-&limit=100&cursor=${first.next_cursor}`)
  assert.deepEqual([first.sessions.length, second.sessions.length], [100, 100])
  assert.equal((await fetch(new URL('/_inspector/sessions?limit=10001', address))).status, 400)
})
