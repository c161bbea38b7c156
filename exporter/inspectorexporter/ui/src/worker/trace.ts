import { request } from './gateway'
import { parseLine, type Parsed } from './span'

/** How far the lines of a session have been read. */
export interface Source {
  session: string
  have: number // bytes
  epoch: string
  busy: boolean
  again: boolean
}

export function newSource(session: string): Source {
  return { session, have: 0, epoch: '', busy: false, again: false }
}

/** Why a trace cannot be read; `status` is that of HTTP, 0 if nothing answered. */
export class TraceError extends Error {
  constructor(readonly status: number, message: string) {
    super(message)
  }
}

export interface Sink {
  add(parsed: Parsed): unknown
  read(): void // after some lines
  reset(): void // what was read is another trace's
}

/** Reads what is new, one reading at a time; a call meanwhile makes it read once more. */
export async function readNew(source: Source, sink: Sink, signal: AbortSignal): Promise<void> {
  if (source.busy) {
    source.again = true
    return
  }
  source.busy = true
  try {
    do {
      source.again = false
      await readOnce(source, sink, signal)
    } while (source.again && !signal.aborted)
  } finally {
    source.busy = false
  }
}

async function readOnce(source: Source, sink: Sink, signal: AbortSignal): Promise<void> {
  // With a range from the first byte on: the whole comes as gzip of many members, of which Chromium reads the first.
  const response = await ask(source.session, `bytes=${source.have}-`, signal)
  if (response.status === 416) {
    const total = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? source.have)
    if (total >= source.have) return
    forget(source, sink)
    source.again = true
    return
  }
  if (!response.ok || !response.body) throw new TraceError(response.status, await whatWentWrong(response))
  const epoch = response.headers.get('X-Trace-Epoch') ?? ''
  if (source.have && (response.status === 200 || epoch !== source.epoch)) {
    forget(source, sink)
    if (response.status === 206) {
      await response.body.cancel()
      source.again = true
      return
    }
  }
  source.epoch = epoch
  await readLines(source, sink, response.body)
}

/** What was read is another trace's: it is read anew. */
export function forget(source: Source, sink: Sink): void {
  source.have = 0
  source.epoch = ''
  sink.reset()
}

async function readLines(source: Source, sink: Sink, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  let rest: Uint8Array = new Uint8Array(0)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return // a line that was cut comes again
    rest = takeLines(source, sink, rest.length ? joined(rest, value) : value)
    sink.read()
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}

const decoder = new TextDecoder()
const lineFeed = 10

/** Takes the whole lines of a piece and gives back what is left. */
function takeLines(source: Source, sink: Sink, piece: Uint8Array): Uint8Array {
  let from = 0
  for (let to = piece.indexOf(lineFeed); to >= 0; to = piece.indexOf(lineFeed, from)) {
    const length = to - from
    if (length > 1) {
      try {
        sink.add(parseLine(decoder.decode(piece.subarray(from, to)), source.session, source.have, length))
      } catch {
        // A line that is no span is passed over: the others are worth showing.
      }
    }
    source.have += length + 1
    from = to + 1
  }
  return piece.slice(from)
}

async function ask(session: string, range: string, signal?: AbortSignal): Promise<Response> {
  try {
    return await request(`trace/${encodeURIComponent(session)}`, { headers: { Range: range }, cache: 'no-store', signal: signal ?? null })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new TraceError(0, 'The gateway does not answer.')
  }
}

async function whatWentWrong(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not ours: the status has to do.
  }
  return `The gateway answers ${response.status}.`
}

/** The text of one line. */
export async function readLine(session: string, offset: number, length: number): Promise<string> {
  const response = await ask(session, `bytes=${offset}-${offset + length - 1}`)
  if (response.status !== 206) throw new TraceError(response.status, await whatWentWrong(response))
  return response.text()
}
