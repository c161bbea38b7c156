import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Parsed } from './span'
import { newSource, readLine, readNew, TraceError, type Sink } from './trace'

/** A gateway that has one trace, and gives it in pieces of this many bytes. */
function gateway(trace: { text: string; epoch: string; status?: number }, piece = 7) {
  const asked: string[] = []
  vi.stubGlobal('self', { location: { href: 'http://localhost:7810/_inspector/ui/worker.js' } })
  vi.stubGlobal('fetch', async (url: URL, init: { headers: { Range: string } }) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(init.headers.Range)!
    asked.push(`${url.pathname} ${init.headers.Range}`)
    const all = new TextEncoder().encode(trace.text)
    if (trace.status) return new Response('{"error":"no such session"}', { status: trace.status })
    if (Number(from) >= all.length) return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${all.length}` } })
    const part = all.subarray(Number(from), to ? Number(to) + 1 : undefined)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < part.length; i += piece) controller.enqueue(part.slice(i, i + piece))
        controller.close()
      },
    })
    return new Response(body, { status: 206, headers: { 'X-Trace-Epoch': trace.epoch } })
  })
  return asked
}

let got: Parsed[]
let resets: number
let sink: Sink
beforeEach(() => {
  got = []
  resets = 0
  sink = { add: (p) => got.push(p), read: () => {}, reset: () => ((got = []), resets++) }
})
afterEach(() => vi.unstubAllGlobals())

const line = (id: string) => `{"trace_id":"t","span_id":"${id}","name":"näme","start_time":"2026-01-01T00:00:00Z","attributes":{}}\n`
const ids = () => got.map((p) => p.span.id)
const read = (source: ReturnType<typeof newSource>) => readNew(source, sink, new AbortController().signal)

test('lines are read whole, whatever pieces they come in, and only new ones', async () => {
  const trace = { text: line('a') + line('b'), epoch: '1' }
  const asked = gateway(trace)
  const source = newSource('s-1')
  await read(source)
  expect(ids()).toEqual(['a', 'b'])
  await read(source)
  trace.text += line('c')
  await read(source)
  expect(ids()).toEqual(['a', 'b', 'c'])
  expect(resets).toBe(0)
  const have = new TextEncoder().encode(line('a')).length
  expect(asked).toEqual(['bytes=0-', `bytes=${2 * have}-`, `bytes=${2 * have}-`].map((range) => `/_inspector/trace/s-1 ${range}`))
})

test('a line is found again by its place', async () => {
  const trace = { text: line('a') + line('b'), epoch: '1' }
  gateway(trace, 1000)
  await read(newSource('s'))
  const { offset, length } = got[1]!.span
  expect((await readLine('s', offset, length)) + '\n').toBe(line('b'))
})

test('half a line waits, and what is no span is passed over', async () => {
  const trace = { text: 'nonsense\n{}\n\n' + line('a') + line('b').slice(0, 20), epoch: '1' }
  gateway(trace)
  const source = newSource('s')
  await read(source)
  expect(ids()).toEqual(['a'])
  trace.text = 'nonsense\n{}\n\n' + line('a') + line('b')
  await read(source)
  expect(ids()).toEqual(['a', 'b'])
})

test('another trace is read from its beginning', async () => {
  const trace = { text: line('a') + line('b'), epoch: '1' }
  gateway(trace)
  const source = newSource('s')
  await read(source)
  Object.assign(trace, { text: line('c') + line('d') + line('e'), epoch: '2' })
  await read(source)
  expect(ids()).toEqual(['c', 'd', 'e'])
  Object.assign(trace, { text: line('f'), epoch: '3' })
  await read(source)
  expect(ids()).toEqual(['f'])
  expect(resets).toBe(2)
})

test('a session that is not there says so', async () => {
  gateway({ text: '', epoch: '', status: 404 })
  await expect(read(newSource('s'))).rejects.toMatchObject(new TraceError(404, 'no such session'))
})

test('a session without spans is no error', async () => {
  gateway({ text: '', epoch: '1' })
  await read(newSource('s'))
  expect(got).toEqual([])
})
