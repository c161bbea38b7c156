import { announced, isDuplicate, isForeign, isGuessed, isMarker, isRunning, isStitched, type Family, type Parsed, type Span } from './span'
import { runningTurn, spend } from './turn'

const shortest = 8 // characters of a request id: shorter ones repeat by chance
const inTurns = new Set<Family>(['tool', 'llm', 'agent', 'wait'])
const searchable = 64 << 20 // characters kept for searching, in all

/** The spans of a session, and of those of other traces that belong to its calls. */
export class Model {
  spans: Span[] = []
  texts: string[] = []
  changed = new Set<number>()
  service = '' // of the session's root
  private byKey = new Map<string, number>()
  private roots = new Map<string, number>() // by trace: the first span without a parent
  private claims = new Map<string, number[]>() // by request id
  private servers = new Map<number, string>() // root: request id
  private byID = new Map<string, number>() // by span id alone: a duplicate names no trace
  private twins = new Map<number, string>() // duplicate: id of the span that tells the same
  private calls = new Map<string, number>() // by id of a tool call: the agent's span of it
  private wires = new Map<number, string>() // the wire's span: id of the call
  private mains: number[] = [] // roots of the session's epochs
  private onWire = new Set<number>() // calls as they were on the wire
  private turn = -1 // the agent's turn that runs, of which no line has come
  private replaced = new Set<string>() // ids of spans that were announced and left as others
  private kept = 0
  private marked = '' // the service that was the session's when spans were last marked

  /** Takes a span; a later line of the same one takes the place of the earlier. */
  add(parsed: Parsed, joined = false): void {
    const { span } = parsed
    if (this.replaced.has(span.id) && span.flags & isRunning) return
    if (joined) span.flags |= isStitched
    const known = this.spans.length
    const at = this.put(span, parsed.text)
    if (span.name in announced && span.parent) this.guess(span, parsed.text)
    this.index(at, parsed)
    if (parsed.announced && parsed.announced !== span.id) this.replace(at, parsed)
    this.followTurn(span, parsed.wire, at === known)
  }

  /** A turn has a line when it ends. Until then what happens in it names it as its parent. */
  private followTurn(span: Span, wire: boolean, first: boolean): void {
    const now = this.spans[this.turn]
    if (now && !(now.flags & isGuessed)) this.turn = -1
    else if (now && ((span.family === 'workflow' && !Number.isNaN(span.end)) || (span.family === 'turn' && span.start > now.start))) this.dropTurn()
    if (this.inUnknownTurn(span, wire)) {
      this.dropTurn()
      this.turn = this.put(runningTurn(span), '')
    }
    const turn = this.spans[this.turn]
    if (!turn || !first || turn.trace + turn.id !== span.trace + span.parent) return
    this.spans[this.turn] = spend(turn, span)
    this.changed.add(this.turn)
  }

  private inUnknownTurn(span: Span, wire: boolean): boolean {
    if (wire || !span.parent || span.flags & (isMarker | isStitched | isDuplicate) || (span.family !== 'tool' && span.family !== 'llm')) return false
    if (this.byKey.has(span.trace + span.parent) || (this.turn >= 0 && this.spans[this.turn]!.start > span.start)) return false
    // Nothing else that has no line has a parent in the session's trace. Claude Code's own spans have traces of their own.
    return this.mains.some((main) => {
      const root = this.spans[main]!
      return root.flags & isRunning && (root.trace === span.trace || span.name.startsWith('claude_code.'))
    })
  }

  /** No line of it will come: not every turn is recorded. */
  private dropTurn(): void {
    const turn = this.spans[this.turn]
    if (!turn) return
    this.byKey.delete(turn.trace + turn.id)
    this.byID.delete(turn.id)
    this.hide(this.turn)
    this.turn = -1
  }

  private hide(at: number): void {
    const span = this.spans[at]!
    this.spans[at] = { ...span, family: 'notice', flags: isMarker, end: span.start }
    this.changed.add(at)
  }

  /** What was announced as another span has left as this one: that never ends, and what stands under it stands here. */
  private replace(at: number, { call, announced: id }: Parsed): void {
    this.replaced.add(id)
    const before = this.byID.get(id)
    this.byID.set(id, at)
    if (before === undefined || before === at) return
    const old = this.spans[before]!
    this.byKey.delete(old.trace + id)
    if (this.calls.get(call) === before) this.calls.set(call, at)
    const claims = this.claims.get(old.request)?.filter((claim) => claim !== before)
    if (claims) this.claims.set(old.request, claims)
    if (old.flags & isRunning) this.hide(before)
  }

  private put(span: Span, text: string): number {
    const key = span.trace + span.id
    let at = this.byKey.get(key)
    if (at === undefined) {
      at = this.spans.length
      this.byKey.set(key, at)
      this.byID.set(span.id, at)
    }
    this.spans[at] = span
    this.texts[at] = this.keep(text)
    this.changed.add(at)
    return at
  }

  private keep(text: string): string {
    if (this.kept > searchable) return ''
    this.kept += text.length
    return text
  }

  /** A marker tells of a span that runs, until its own line comes. */
  private guess(marker: Span, text: string): void {
    if (this.byKey.has(marker.trace + marker.parent)) return
    const name = announced[marker.name]!
    const family = name === 'workflow.run' ? 'workflow' : name === 'agent.call' ? 'agent' : 'wait'
    const flags = (marker.flags & ~isMarker & ~4) | isRunning | isGuessed | (family === 'wait' ? 256 : 0)
    const at = this.put({ ...marker, id: marker.parent, parent: '', name, family, flags, end: NaN }, text)
    if (family === 'workflow') this.root(at)
  }

  private root(at: number): void {
    const span = this.spans[at]!
    const former = this.roots.get(span.trace)
    if (former !== undefined && this.spans[former]!.family === 'workflow' && span.family !== 'workflow') return
    this.roots.set(span.trace, at)
    if (span.family === 'workflow' && !(span.flags & isStitched) && !this.mains.includes(at)) this.mains.push(at)
    if (this.service === '' && !(span.flags & isStitched)) this.service = span.service
  }

  private index(at: number, { span, client, server, call, wire, twin }: Parsed): void {
    if (!span.parent && !(span.flags & isMarker) && span.family !== 'notice') this.root(at)
    if (wire) this.onWire.add(at)
    if (twin) this.twins.set(at, twin)
    else if (call && wire) this.wires.set(at, call)
    else if (call && !this.calls.has(call)) this.calls.set(call, at)
    if (span.request.length < shortest) return
    if (client) {
      const claims = this.claims.get(span.request) ?? []
      if (!claims.includes(at)) this.claims.set(span.request, [...claims, at])
    } else if (server && !span.parent) {
      this.servers.set(at, span.request)
    }
  }

  /** The row under which a span stands, or -1. */
  parentOf(at: number): number {
    const twin = this.twinOf(at)
    if (twin >= 0) return twin
    const parent = this.above(at)
    // What stands under a duplicate stands under what it tells the same as.
    const instead = parent >= 0 ? this.twinOf(parent) : -1
    return instead >= 0 && instead !== at ? instead : parent
  }

  /** The span that tells the same as this one, or -1. */
  private twinOf(at: number): number {
    const twin = this.twins.get(at)
    const other = twin === undefined ? undefined : this.byID.get(twin)
    return other === undefined || other === at || this.twins.has(other) ? -1 : other
  }

  /** The span that this one names as its parent. One that left as another span is known by both its ids. */
  private parent({ trace, parent }: Span): number | undefined {
    return parent ? this.byKey.get(trace + parent) ?? (this.replaced.has(parent) ? this.byID.get(parent) : undefined) : undefined
  }

  private above(at: number): number {
    const span = this.spans[at]!
    const own = this.parent(span)
    // The wire's call stands under the agent's, unless its own parent says more than that it is of the session.
    const call = this.wires.get(at)
    const agents = call === undefined ? undefined : this.calls.get(call)
    if (agents !== undefined && agents !== at && (own === undefined || this.spans[own]!.family === 'workflow' || this.spans[own]!.family === 'turn')) {
      return agents
    }
    if (own !== undefined) return this.spans[own]!.family === 'workflow' && this.runsInTurn(at) ? this.turn : own
    if (this.runsInTurn(at)) return this.turn
    if (!span.parent) {
      const claim = this.claimOf(at)
      if (claim >= 0) return claim
    }
    const root = this.roots.get(span.trace)
    return root === undefined || root === at ? this.mainOf(at) : root
  }

  /** What runs now runs in the agent's turn, though it names the session until it ends. */
  private runsInTurn(at: number): boolean {
    const span = this.spans[at]!
    const turn = this.spans[this.turn]
    if (!turn || at === this.turn || !(span.flags & isRunning) || this.onWire.has(at)) return false
    return inTurns.has(span.family) && span.start >= turn.start && !(span.flags & isStitched)
  }

  /** The session's root that was there when a span of another trace began, or -1: agents have a trace for each turn. */
  private mainOf(at: number): number {
    const span = this.spans[at]!
    if (span.family === 'workflow' || span.flags & isStitched) return -1
    let best = -1
    for (const main of this.mains) {
      if (main === at || this.spans[main]!.trace === span.trace) continue
      if (best < 0 || (this.spans[main]!.start <= span.start && this.spans[main]!.start > this.spans[best]!.start)) best = main
    }
    return best
  }

  /** The one call of another trace that has the request id of this root. */
  private claimOf(at: number): number {
    const request = this.servers.get(at)
    const claims = request === undefined ? undefined : this.claims.get(request)
    if (claims?.length !== 1) return -1
    const claim = claims[0]!
    return this.spans[claim]!.trace === this.spans[at]!.trace ? -1 : claim
  }

  /** Request ids that calls of this session sent and no root here has. */
  unanswered(): string[] {
    const answered = new Set(this.servers.values())
    return [...this.claims.keys()].filter((request) => !answered.has(request))
  }

  has(request: string): boolean {
    return this.claims.has(request)
  }

  /** Marks what other services sent, now that the session's own is known. */
  markForeign(span: Span): void {
    if (this.service && span.service && span.service !== this.service) span.flags |= isForeign
    else span.flags &= ~isForeign
  }

  /** What is new since the last time, for the web UI. */
  take(): { at: number[]; spans: Span[] } {
    if (this.marked !== this.service) this.spans.forEach((_, at) => this.changed.add(at))
    this.marked = this.service
    const at = [...this.changed]
    this.changed.clear()
    const spans = at.map((i) => this.spans[i]!)
    spans.forEach((span) => this.markForeign(span))
    return { at, spans }
  }
}
