import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Events } from './events'

/** What a browser's EventSource, locks and channels do, as far as it matters here. */
class Stream {
  static open: Stream[] = []
  static readonly CLOSED = 2
  readyState = 1
  onmessage: ((message: { data: string }) => void) | undefined
  onerror: (() => void) | undefined
  constructor() {
    Stream.open.push(this)
  }
  close() {
    this.readyState = Stream.CLOSED
    Stream.open = Stream.open.filter((stream) => stream !== this)
  }
  say(data: string) {
    this.onmessage?.({ data })
  }
}

class Channel {
  static all = new Set<Channel>()
  onmessage: ((message: { data: unknown }) => void) | undefined
  constructor() {
    Channel.all.add(this)
  }
  postMessage(data: unknown) {
    Channel.all.forEach((other) => other !== this && other.onmessage?.({ data }))
  }
  close() {
    Channel.all.delete(this)
  }
}

let queue: Promise<void>
const locks = {
  request: (_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>) => {
    const turn = queue.then(() => (signal.aborted ? undefined : hold()))
    queue = turn
    return turn
  },
}

beforeEach(() => {
  queue = Promise.resolve()
  Stream.open = []
  Channel.all.clear()
  vi.useFakeTimers()
  vi.stubGlobal('self', { location: { href: 'http://localhost:7810/_inspector/ui/worker.js' }, navigator: { locks } })
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('BroadcastChannel', Channel)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const settle = () => vi.advanceTimersByTimeAsync(0)

function window() {
  const got: string[] = []
  const events = new Events((json) => got.push(json), () => got.push('lost'))
  return { got, events }
}

test('windows share one stream, and another takes over when the one that has it goes', async () => {
  const one = window(), two = window()
  one.events.start()
  await settle()
  Stream.open[0]!.say('{"type":"Connected"}')
  two.events.start()
  await settle()
  expect(Stream.open).toHaveLength(1)
  expect(two.got).toEqual(['{"type":"Connected"}'])
  Stream.open[0]!.say('a')
  expect([one.got.slice(-1), two.got.slice(-1)]).toEqual([['a'], ['a']])
  Stream.open[0]!.onerror!()
  expect([one.got.slice(-1), two.got.slice(-1)]).toEqual([['lost'], ['lost']])
  one.events.stop()
  await settle()
  expect(Stream.open).toHaveLength(1)
  Stream.open[0]!.say('b')
  expect(two.got.slice(-1)).toEqual(['b'])
  expect(one.got.slice(-1)).toEqual(['lost'])
  two.events.stop()
  await settle()
  expect(Stream.open).toHaveLength(0)
})

test('a window that stops before its turn never connects', async () => {
  const one = window(), two = window(), three = window()
  one.events.start()
  two.events.start()
  three.events.start()
  await settle()
  two.events.stop()
  one.events.stop()
  await settle()
  expect(Stream.open).toHaveLength(1)
  Stream.open[0]!.say('x')
  expect(two.got).toEqual([])
  expect(three.got).toEqual(['x'])
  two.events.start()
  await settle()
  expect(Stream.open).toHaveLength(1)
})

test('without locks each window has a stream of its own', async () => {
  vi.stubGlobal('self', { location: { href: 'http://localhost:7810/_inspector/ui/worker.js' } })
  const one = window(), two = window()
  one.events.start()
  two.events.start()
  expect(Stream.open).toHaveLength(2)
  Stream.open[0]!.readyState = 2
  Stream.open[0]!.onerror!()
  vi.advanceTimersByTime(500)
  expect(Stream.open).toHaveLength(3) // the fake keeps the one that broke
})
