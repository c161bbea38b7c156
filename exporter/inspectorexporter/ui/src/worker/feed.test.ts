import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Length, Stream as Row } from '../wire'
import { Feed } from './feed'
import type { Tell } from './messages'

/** What a browser's EventSource does, as far as it matters here. */
class Stream {
  static open: Stream[] = []
  static readonly CLOSED = 2
  readyState = 1
  onmessage: ((message: { data: string }) => void) | undefined
  onerror: (() => void) | undefined
  constructor(readonly url: URL) {
    Stream.open.push(this)
  }
  close() {
    this.readyState = Stream.CLOSED
    Stream.open = Stream.open.filter((stream) => stream !== this)
  }
  connected() {
    this.onmessage?.({ data: '{"type":"Connected"}' })
  }
}

let asked: string[]
let told: Tell[]
let rows: Length[]
let gone: string[]
let date: string
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
  Stream.open = []
  asked = []
  told = []
  rows = []
  gone = []
  date = new Date().toUTCString()
  vi.stubGlobal('self', { location: { href: 'http://localhost:7810/_inspector/ui/worker.js' } })
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('fetch', async (url: URL) => {
    const path = url.pathname.replace('/_inspector/', '')
    asked.push(path)
    const streams = [{ id: 'events_2026-01-01', trace_bytes: 7 }]
    const body = path === 'streams' ? { streams } : path === 'health' ? { storage: { restoring: false } } : path === 'sessions' ? { sessions: [], total: 0, counts: {} } : { id: 'old' }
    return new Response(JSON.stringify(body), { headers: { Date: date }, status: path.endsWith('/never') ? 404 : 200 })
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const feed = () => new Feed((t) => told.push(t), (row) => rows.push(row), (id) => gone.push(id))
const settle = () => vi.advanceTimersByTimeAsync(0)

test('the session that is looked at is read again when the gateway is back', async () => {
  const one = feed()
  one.start()
  one.follow('old')
  await settle()
  asked = []
  rows = []
  Stream.open[0]!.connected()
  await settle()
  expect(asked).toContain('sessions/old') // it may be on no page of the list
  expect(rows.map((row) => row.id)).toContain('old')
})

test('who looks at a session is told that it is gone, or never was there', async () => {
  const one = feed()
  one.start()
  one.follow('old')
  await settle()
  expect(gone).toEqual([])
  Stream.open[0]!.onmessage?.({ data: '{"type":"SessionRemoved","session_id":"old"}' })
  expect(gone).toEqual(['old'])
  one.follow('never')
  await settle()
  expect(gone).toEqual(['old', 'never'])
})

test('a web UI that is not seen holds no connection: browsers have six for all tabs', async () => {
  const one = feed()
  one.start()
  one.start()
  expect(Stream.open).toHaveLength(1)
  one.stop()
  expect(Stream.open).toHaveLength(0)
  one.start()
  expect(Stream.open).toHaveLength(1)
  Stream.open[0]!.readyState = Stream.CLOSED
  Stream.open[0]!.onerror?.()
  Stream.open = []
  one.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(Stream.open).toHaveLength(0)
})

test('a stream that was refused is tried again, once', async () => {
  const one = feed()
  one.start()
  const refused = Stream.open[0]!
  refused.close()
  refused.onerror?.()
  one.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(Stream.open).toHaveLength(1)
})

test('a clock that differs from the gateway’s is told, a second is not', async () => {
  const one = feed()
  one.start()
  Stream.open[0]!.connected()
  await settle()
  expect(told.find((t) => t.type === 'clock')).toEqual({ type: 'clock', ahead: 0 })
  date = new Date(Date.now() + 300_000).toUTCString()
  told = []
  Stream.open[0]!.connected()
  await settle()
  expect(told.find((t) => t.type === 'clock')).toEqual({ type: 'clock', ahead: 300_000 })
})

test('streams are listed with each connection, and as they grow', async () => {
  const one = feed()
  one.start()
  Stream.open[0]!.connected()
  await settle()
  const stream = { id: 'events_2026-01-01', trace_bytes: 9 } as Row
  Stream.open[0]!.onmessage?.({ data: JSON.stringify({ type: 'StreamChanged', stream }) })
  expect(told.filter((t) => t.type === 'streams').map((t) => [t.fresh, t.streams[0]!.trace_bytes])).toEqual([[true, 7], [false, 9]])
  expect(rows.map((row) => row.trace_bytes)).toEqual([7, 9])
})

test('a stream that is looked at is no session', async () => {
  const one = feed()
  one.follow('events_2026-01-01')
  await settle()
  expect(asked).toEqual(['streams'])
  expect(gone).toEqual([])
})
