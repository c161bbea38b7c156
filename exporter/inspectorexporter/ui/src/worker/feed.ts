import type { Health, Length, Session, SessionPage, Stream } from '../wire'
import { Events } from './events'
import type { Query, Tell } from './messages'
import { isArchive, request } from './gateway'

const flushEvery = 100 // ms
const countEvery = 1000 // ms
const pageSize = 200

/** The sessions and what changes in them. */
export class Feed {
  private changed = new Map<string, Session>()
  private removed = new Set<string>()
  private states = new Map<string, string>()
  private query: Query = { q: '', states: [] }
  private cursor = ''
  private reading = 0
  private flushTimer: ReturnType<typeof setTimeout> | undefined
  private countTimer: ReturnType<typeof setTimeout> | undefined
  private failing = false
  private followed = ''
  private events = new Events((json) => this.event(json), () => this.tell({ type: 'link', link: 'lost' }))

  constructor(private tell: (t: Tell) => void, private onRow: (row: Length) => void, private onRemoved: (session: string) => void) {}

  start(): void {
    if (!isArchive()) return this.events.start()
    if (this.followed) this.lookAgain()
  }

  stop(): void {
    this.events.stop()
  }

  /** Keeps the row of a session up to date that the board may not have, or a stream; '' for none. */
  follow(session: string): void {
    this.followed = session
    if (session) this.lookAgain()
  }

  ask(query: Query): void {
    this.query = query
    void this.load(true)
  }

  more(): void {
    if (this.cursor) void this.load(false)
  }

  private event(json: string): void {
    const event = JSON.parse(json) as { type: string; session?: Session; session_id?: string; stream?: Stream }
    if (event.type === 'Connected') {
      this.tell({ type: 'link', link: 'live' })
      void this.health()
      void this.load(true)
      void this.streams()
      if (this.followed && !isStream(this.followed)) this.lookAgain()
    } else if (event.type === 'SessionChanged' && event.session) {
      this.row(event.session)
    } else if (event.type === 'SessionRemoved' && event.session_id) {
      this.changed.delete(event.session_id)
      this.removed.add(event.session_id)
      this.states.delete(event.session_id)
      this.soon()
      this.recount()
      this.onRemoved(event.session_id)
    } else if (event.type === 'StreamChanged' && event.stream) {
      this.tell({ type: 'streams', streams: [event.stream], fresh: false })
      this.onRow(event.stream)
    }
  }

  private row(row: Session): void {
    this.removed.delete(row.id)
    this.changed.set(row.id, row)
    if (this.states.get(row.id) !== row.state) this.recount()
    this.states.set(row.id, row.state)
    this.soon()
    this.onRow(row)
  }

  private soon(): void {
    this.flushTimer ??= setTimeout(() => {
      this.flushTimer = undefined
      this.tell({ type: 'rows', changed: [...this.changed.values()], removed: [...this.removed] })
      this.changed.clear()
      this.removed.clear()
    }, flushEvery)
  }

  private recount(): void {
    this.countTimer ??= setTimeout(async () => {
      this.countTimer = undefined
      const page = await this.page({ limit: '1' }).catch(() => undefined)
      if (page) this.tell({ type: 'counts', total: page.total, counts: page.counts })
    }, countEvery)
  }

  private async load(fresh: boolean): Promise<void> {
    const turn = ++this.reading
    try {
      const page = await this.page({ limit: String(pageSize), order: 'attention', ...(fresh ? {} : { cursor: this.cursor }) })
      if (turn !== this.reading) return // a later question was asked meanwhile
      this.failing = false
      this.cursor = page.next_cursor ?? ''
      page.sessions.forEach((row) => {
        this.states.set(row.id, row.state)
        this.onRow(row)
      })
      this.tell({ type: 'page', sessions: page.sessions, fresh, more: this.cursor !== '', total: page.total, counts: page.counts })
    } catch (error) {
      if (turn !== this.reading) return
      if (!this.failing) this.tell({ type: 'failed', what: error instanceof Error ? error.message : String(error) })
      this.failing = true
      setTimeout(() => turn === this.reading && void this.load(fresh), 2000)
    }
  }

  private async page(parameters: Record<string, string>): Promise<SessionPage> {
    const search = new URLSearchParams(parameters)
    if (this.query.q) search.set('q', this.query.q)
    if (this.query.states.length) search.set('state', this.query.states.join(','))
    return getJSON<SessionPage>(`sessions?${search.toString()}`)
  }

  private lookAgain(): void {
    void (isStream(this.followed) ? this.streams() : this.session(this.followed))
  }

  private async streams(): Promise<void> {
    const list = await getJSON<{ streams?: Stream[] }>('streams').catch(() => undefined)
    if (!list?.streams) return // the next connection asks again
    this.tell({ type: 'streams', streams: list.streams, fresh: true })
    list.streams.forEach((stream) => this.onRow(stream))
  }

  private async session(id: string): Promise<void> {
    const row = await getJSON<Session>(`sessions/${encodeURIComponent(id)}`).catch(() => undefined)
    if (!row) return this.onRemoved(id) // or nothing answers, as whoever is told will find out
    this.tell({ type: 'session', session: row })
    this.onRow(row)
  }

  private async health(): Promise<void> {
    const response = await get('health').catch(() => undefined)
    if (!response) return
    this.tell({ type: 'clock', ahead: ahead(response.headers.get('Date')) })
    const health = (await response.json().catch(() => undefined)) as Health | undefined
    if (health) this.tell({ type: 'health', health })
    if (health?.storage.restoring) setTimeout(() => void this.health(), 2000)
  }
}

/** Reports whether an id is that of a stream, which no session has. */
function isStream(id: string): boolean {
  return /^(events|logs|messages)_\d{4}-\d\d-\d\d$/.test(id)
}

/** By how many ms the gateway's clock is ahead of this one. The header has whole seconds, and was on its way. */
function ahead(date: string | null): number {
  const difference = Date.parse(date ?? '') - Date.now()
  return Math.abs(difference) > 3000 ? difference : 0 // NaN is not greater
}

async function getJSON<T>(path: string): Promise<T> {
  return (await (await get(path)).json()) as T
}

async function get(path: string): Promise<Response> {
  const response = await request(path, { headers: { Accept: 'application/json' } })
  if (!response.ok) throw new Error(`The gateway answers ${response.status} to ${path.split('?')[0]}.`)
  return response
}
