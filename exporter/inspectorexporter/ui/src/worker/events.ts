import { base } from './gateway'

type Note = { data: string } | { lost: true } | { hello: string } | { welcome: string }

const shared = 'otelcol-mcp-events' // lock and channel
const connected = JSON.stringify({ type: 'Connected' })
const soon = 500, late = 15_000 // ms between attempts

/**
 * The gateway's event stream. Browsers have six connections to one server for all windows together, so one window
 * holds the stream and tells the others; if it goes, another takes over. Without locks, which browsers give only to
 * local and to encrypted pages, each window has its own.
 */
export class Events {
  private source: EventSource | undefined
  private channel: BroadcastChannel | undefined
  private waiting: AbortController | undefined // for the lock; also: this is started
  private release: (() => void) | undefined
  private live = false
  private wait = soon
  private again: ReturnType<typeof setTimeout> | undefined
  private readonly me = Math.random().toString(36).slice(2)

  constructor(private onData: (json: string) => void, private onLost: () => void) {}

  start(): void {
    if (this.waiting) return
    const waiting = (this.waiting = new AbortController())
    const locks = self.navigator?.locks
    if (!locks || typeof BroadcastChannel === 'undefined') return this.connect()
    this.channel = new BroadcastChannel(shared)
    this.channel.onmessage = ({ data }: MessageEvent<Note>) => this.take(data)
    this.post({ hello: this.me })
    const hold = () => new Promise<void>((release) => {
      if (waiting.signal.aborted) return release()
      this.release = release
      this.connect()
    })
    locks.request(shared, { signal: waiting.signal }, hold).catch(() => undefined) // stopped before its turn came
  }

  stop(): void {
    this.waiting?.abort()
    this.waiting = undefined
    clearTimeout(this.again)
    this.source?.close()
    this.source = undefined
    this.live = false
    this.release?.()
    this.release = undefined
    this.channel?.close()
    this.channel = undefined
  }

  private connect(): void {
    const source = (this.source = new EventSource(new URL('events?view=board', base())))
    source.onmessage = (message) => {
      this.live = true
      this.wait = soon
      this.post({ data: message.data as string })
      this.onData(message.data as string)
    }
    source.onerror = () => {
      this.live = false
      this.post({ lost: true })
      this.onLost()
      if (source.readyState !== EventSource.CLOSED || source !== this.source) return // it tries again by itself
      this.source = undefined
      this.again = setTimeout(() => this.connect(), this.wait)
      this.wait = Math.min(this.wait * 2, late)
    }
  }

  private take(note: Note): void {
    if ('hello' in note) {
      if (this.live) this.post({ welcome: note.hello })
    } else if (this.source) {
      return // it has the stream itself
    } else if ('data' in note) {
      this.onData(note.data)
    } else if ('lost' in note) {
      this.onLost()
    } else if (note.welcome === this.me) {
      this.onData(connected)
    }
  }

  private post(note: Note): void {
    this.channel?.postMessage(note)
  }
}
