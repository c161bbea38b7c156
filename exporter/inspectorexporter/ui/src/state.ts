import { useLayoutEffect, useState } from 'preact/hooks'
import { exported, exportedWorker } from './lib/exported'
import type { Ask, Link, Query, Tell } from './worker/messages'
import { unpack } from './worker/pack'
import type { Span } from './worker/span'
import type { View, ViewOptions } from './worker/tree'
import type { Counts, Health, Session, Stream } from './wire'

/** A value that components draw and that tells them when it is another. */
export class Cell<T> {
  private listeners = new Set<() => void>()
  constructor(private current: T) {}
  get value(): T {
    return this.current
  }
  set(value: T): void {
    if (Object.is(value, this.current)) return
    this.current = value
    this.listeners.forEach((listener) => listener())
  }
  use(): T {
    const [, draw] = useState({})
    useLayoutEffect(() => { // what is set before the browser paints is drawn too
      const listener = () => draw({})
      this.listeners.add(listener)
      return () => void this.listeners.delete(listener)
    }, [])
    return this.current
  }
}

export const link = new Cell<Link>('connecting')
export const health = new Cell<Health | undefined>(undefined)
export const rows = new Cell<ReadonlyMap<string, Session>>(new Map())
export const streams = new Cell<ReadonlyMap<string, Stream>>(new Map())
export const counts = new Cell<{ total: number; counts: Counts } | undefined>(undefined)
export const more = new Cell(false)
export const failed = new Cell('')
export const now = new Cell(exported?.at ?? Date.now())

/** The session or stream that is shown. The array of spans is the same one while it grows. */
export interface Trace {
  session: string
  spans: Span[]
  view: View | undefined
  ready: boolean
  failure: { status: number; message: string } | undefined
}

/** There is no such session, or no more. */
export function isGone(shown: Trace | undefined): boolean {
  return shown?.failure?.status === 404
}

const noTrace = (session: string): Trace => ({ session, spans: [], view: undefined, ready: false, failure: undefined })
export const trace = new Cell<Trace>(noTrace(''))

let ahead = 0 // ms, of the gateway's clock, which ages are counted by
if (!exported) setInterval(() => now.set(Date.now() + ahead), 1000)

const worker = exported ? exportedWorker() : new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module' })
const ask = (message: Ask) => worker.postMessage(message)
worker.onmessage = ({ data }: MessageEvent<Tell>) => take(data)

// A web UI in the background holds no connection, of which there are few.
const tellSeen = () => ask({ type: 'seen', seen: !document.hidden })
document.addEventListener('visibilitychange', tellSeen)
tellSeen()

const mostRows = 5000
const lines = new Map<number, (text: string | undefined, error: string | undefined) => void>()
let ticket = 0

function take(message: Tell): void {
  switch (message.type) {
    case 'link':
      return link.set(message.link)
    case 'health':
      return health.set(message.health)
    case 'clock':
      ahead = message.ahead
      return now.set(Date.now() + ahead)
    case 'failed':
      return failed.set(message.what)
    case 'counts':
      return counts.set({ total: message.total, counts: message.counts })
    case 'page':
      return takePage(message)
    case 'rows':
      return change(message.changed, message.removed)
    case 'streams':
      return takeStreams(message.streams, message.fresh)
    case 'session':
      return change([message.session], [])
    case 'line':
      lines.get(message.ticket)?.(message.text, message.error)
      return void lines.delete(message.ticket)
    default:
      return takeTrace(message)
  }
}

function takePage(page: Extract<Tell, { type: 'page' }>): void {
  failed.set('')
  more.set(page.more)
  counts.set({ total: page.total, counts: page.counts })
  const shown = rows.value.get(trace.value.session)
  const next = new Map(page.fresh ? [] : rows.value)
  if (shown) next.set(shown.id, shown)
  page.sessions.forEach((row) => next.set(row.id, row))
  rows.set(next)
}

function takeStreams(changed: Stream[], fresh: boolean): void {
  const next = new Map(fresh ? [] : streams.value)
  changed.forEach((stream) => next.set(stream.id, stream))
  streams.set(next)
}

function change(changed: Session[], removed: string[]): void {
  const next = new Map(rows.value)
  removed.forEach((id) => next.delete(id))
  changed.forEach((row) => next.set(row.id, row))
  if (next.size > mostRows) prune(next)
  rows.set(next)
}

/** Forgets the sessions that ended longest ago; the gateway still has them. */
function prune(map: Map<string, Session>): void {
  const ended = [...map.values()].filter((row) => row.ended_at).sort((a, b) => (a.last_seen < b.last_seen ? -1 : 1))
  ended.slice(0, map.size - mostRows).forEach((row) => map.delete(row.id))
  more.set(true)
}

function takeTrace(message: Tell): void {
  const current = trace.value
  switch (message.type) {
    case 'reset':
      return trace.set(noTrace(current.session))
    case 'spans':
      if (message.session === current.session) unpack(message.packed, current.spans)
      return
    case 'layout':
      if (message.session === current.session) trace.set({ ...current, view: message.view })
      return
    case 'ready':
      if (message.session === current.session) trace.set({ ...current, ready: true, failure: undefined })
      return
    case 'trace-failed':
      if (message.session === current.session) trace.set({ ...current, failure: message })
  }
}

export function find(query: Query): void {
  ask({ type: 'query', query })
}

export function findMore(): void {
  ask({ type: 'more' })
}

/** Shows a session or a stream, or none. */
export function watch(session: string): void {
  if (trace.value.session !== session) trace.set(noTrace(session))
  ask({ type: 'watch', session })
}

export function arrange(options: ViewOptions): void {
  ask({ type: 'view', options })
}

/** The whole line of a span. */
export function lineOf(span: Span): Promise<string> {
  const { session, offset, length } = span
  return new Promise((resolve, reject) => {
    lines.set(++ticket, (text, error) => (error === undefined ? resolve(text ?? '') : reject(new Error(error))))
    ask({ type: 'line', session, offset, length, ticket })
  })
}
