import type { Length, SessionPage } from '../wire'
import type { Tell } from './messages'
import { Model } from './model'
import { pack } from './pack'
import { request } from './gateway'
import { forget, newSource, readNew, TraceError, type Sink, type Source } from './trace'
import { layOut, type ViewOptions } from './tree'

const publishEvery = 80 // ms, or several times what laying out takes
const loadingEvery = 600 // ms, while what was there before is read
const lookups = 200 // searches for one session
const searchEvery = 2000 // ms, while other sessions change

/** Follows one session: its lines, those of traces that its links name, and the rows they give. */
export class Watch {
  private model = new Model()
  private source: Source
  private partners = new Map<string, { source: Source; sink: Sink }>()
  private asked = new Set<string>()
  private searching: ReturnType<typeof setTimeout> | undefined
  private stop = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private cost = 0
  private ready = false
  private bytes = -1
  private retry = 500
  private failed = false

  constructor(readonly session: string, private options: ViewOptions, private tell: (t: Tell, move?: Transferable[]) => void) {
    this.source = newSource(session)
    void this.read()
  }

  close(): void {
    this.stop.abort()
    clearTimeout(this.timer)
    clearTimeout(this.searching)
  }

  view(options: ViewOptions): void {
    this.options = options
    clearTimeout(this.timer)
    this.publish()
  }

  /** A row changed: perhaps there are new lines. */
  row(row: Length): void {
    if (row.id === this.session) {
      const another = this.source.epoch !== '' && String(row.trace_epoch) !== this.source.epoch
      if (another && !this.source.busy) forget(this.source, this.sink())
      if (another || this.failed || row.trace_bytes !== this.source.have) void this.read()
      return
    }
    const partner = this.partners.get(row.id)
    if (partner && row.trace_bytes !== partner.source.have) void this.readPartner(partner)
    else if (!partner && this.asked.size) this.searchAgain()
  }

  /** A session is gone: its lines, too? */
  removed(session: string): void {
    if (session === this.session) void this.read()
  }

  async read(): Promise<void> {
    try {
      await readNew(this.source, this.sink(), this.stop.signal)
      this.retry = 500
      const again = this.failed
      this.failed = false
      if (!this.ready || again || this.bytes !== this.source.have) this.finish(again)
    } catch (error) {
      if (this.stop.signal.aborted) return
      this.failed = true
      const status = error instanceof TraceError ? error.status : 0
      this.tell({ type: 'trace-failed', session: this.session, status, message: error instanceof Error ? error.message : String(error) })
      if (status === 404 || status === 400) return
      this.retry = Math.min(this.retry * 2, 10_000)
      setTimeout(() => !this.stop.signal.aborted && void this.read(), this.retry)
    }
  }

  private finish(again: boolean): void {
    this.bytes = this.source.have
    if (this.ready) this.later()
    else {
      clearTimeout(this.timer)
      this.publish()
    }
    if (!this.ready || again) this.tell({ type: 'ready', session: this.session })
    this.ready = true
  }

  private sink(): Sink {
    return {
      add: (parsed) => this.model.add(parsed),
      read: () => this.later(),
      reset: () => {
        this.model = new Model()
        this.partners.clear()
        this.asked.clear()
        this.tell({ type: 'reset' })
      },
    }
  }

  /** Publishes soon; what lays out slowly is laid out less often. */
  private later(): void {
    if (this.timer !== undefined) return
    const pause = this.ready || this.model.spans.length < 1000 ? publishEvery : loadingEvery
    this.timer = setTimeout(() => this.publish(), Math.max(pause, 4 * this.cost))
  }

  private publish(): void {
    this.timer = undefined
    if (this.stop.signal.aborted) return
    const began = performance.now()
    this.sendSpans()
    const view = layOut(this.model, this.options)
    this.cost = performance.now() - began
    this.tell({ type: 'layout', session: this.session, view }, [view.order.buffer, view.depth.buffer, view.marks.buffer])
    void this.lookUp()
  }

  /** In pieces, so that the web UI takes each of them in little time. */
  private sendSpans(): void {
    const { at, spans } = this.model.take()
    const piece = 5000
    for (let i = 0; i < at.length; i += piece) {
      const packed = pack(at.slice(i, i + piece), spans.slice(i, i + piece))
      this.tell({ type: 'spans', session: this.session, packed }, [packed.at.buffer, packed.texts.buffer, packed.numbers.buffer])
    }
  }

  /** Looks for the sessions whose traces links may tie to this one. */
  private async lookUp(): Promise<void> {
    const model = this.model
    for (const term of model.missing().slice(-lookups)) {
      if (this.asked.has(term) || this.asked.size >= lookups || !/^[\x20-\x7e]{8,200}$/.test(term)) continue
      this.asked.add(term)
      for (const id of await this.find(term)) this.join(id)
      if (this.stop.signal.aborted || model !== this.model) return
    }
  }

  /** The other side of a call may come later than the call. */
  private searchAgain(): void {
    this.searching ??= setTimeout(() => {
      this.searching = undefined
      for (const term of this.model.missing().slice(-10)) this.asked.delete(term)
      void this.lookUp()
    }, searchEvery)
  }

  private async find(term: string): Promise<string[]> {
    try {
      const search = new URLSearchParams({ q: term, limit: '5' })
      const response = await request(`sessions?${search.toString()}`, { signal: this.stop.signal })
      const page = (await response.json()) as SessionPage
      return page.sessions.map((s) => s.id).filter((id) => id !== this.session)
    } catch {
      return [] // the timeline is whole without it
    }
  }

  private join(id: string): void {
    if (this.partners.has(id) || this.partners.size >= 50) return
    const model = this.model
    // Only traces that a link ties to this session belong here; the span with the link may come last.
    const tied = new Set<string>()
    const waiting = new Map<string, Parameters<Sink['add']>[0][]>()
    const add: Sink['add'] = (parsed) => {
      const { trace } = parsed.span
      const those = [...(waiting.get(trace) ?? []), parsed].slice(-1000)
      if (!tied.has(trace) && !model.ties(parsed)) return waiting.set(trace, those)
      tied.add(trace)
      waiting.delete(trace)
      those.forEach((one) => model.add(one, true))
    }
    const partner = { source: newSource(id), sink: { add, read: () => this.later(), reset: () => tied.clear() } }
    this.partners.set(id, partner)
    void this.readPartner(partner)
  }

  private async readPartner(partner: { source: Source; sink: Sink }): Promise<void> {
    try {
      await readNew(partner.source, partner.sink, this.stop.signal)
    } catch {
      // The session's own spans are there all the same.
    }
  }
}
