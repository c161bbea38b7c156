import { isMarker, isRunning, isStitched, type Parsed, type Span } from './span'

const shortest = 8 // characters of a request id: shorter ones repeat by chance
const searchable = 64 << 20 // characters kept for searching, in all

/** The spans of a session and of the traces that links tie to it. Nothing but ids decides where a span stands. */
export class Model {
  spans: Span[] = []
  texts: string[] = []
  service = '' // of the session's root
  private changed = new Set<number>()
  private traces = new Map<string, string>() // a short name of each
  private byKey = new Map<string, number>() // by trace and span id
  private byID = new Map<string, number>() // by span id alone, for ids that spans name in attributes
  private roots = new Map<string, number>() // by trace: its first span without a parent
  private links = new Map<number, string[]>() // keys of the spans of other traces that a span links to
  private linked = new Map<string, number[]>() // the same the other way
  private claiming = new Set<number>() // roots that call what they link to
  private replaced = new Set<string>() // ids under which spans were announced that left as others
  private twins = new Map<number, string>() // span: id of the one that it repeats
  private wanted = new Set<string>() // traces that links name
  private requests = new Map<string, number>() // of calls
  private kept = 0

  /** Adds a span; a later line of the same one replaces the earlier. */
  add({ span, text, links, claims, announced, repeats, request }: Parsed, joined = false): void {
    if (this.replaced.has(span.id) && span.flags & isRunning) return
    if (joined) span.flags |= isStitched
    const at = this.put(span, text)
    if (!span.parent && !(span.flags & isMarker) && span.family !== 'notice') this.root(at)
    if (request.length >= shortest) this.requests.set(request, at)
    if (repeats) this.twins.set(at, repeats)
    if (claims) this.claiming.add(at)
    for (const link of links) this.link(at, link)
    if (announced && announced !== span.id) this.replace(at, announced)
  }

  /** What names a span among those of all traces; of 100,000 it takes less memory than both ids. */
  private key(trace: string, id: string): string {
    let short = this.traces.get(trace)
    if (short === undefined) this.traces.set(trace, (short = `${this.traces.size.toString(36)} `))
    return short + id
  }

  private link(at: number, link: { trace: string; span: string }): void {
    const key = this.key(link.trace, link.span)
    const known = this.links.get(at) ?? []
    if (link.trace === this.spans[at]!.trace || known.includes(key)) return
    this.wanted.add(link.trace)
    this.links.set(at, [...known, key])
    this.linked.set(key, [...(this.linked.get(key) ?? []), at])
  }

  private put(span: Span, text: string): number {
    const key = this.key(span.trace, span.id)
    const at = this.byKey.get(key) ?? this.spans.length
    this.byKey.set(key, at)
    this.byID.set(span.id, at)
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

  private root(at: number): void {
    const span = this.spans[at]!
    const former = this.roots.get(span.trace)
    if (former === undefined || this.spans[former]!.family !== 'workflow' || span.family === 'workflow') this.roots.set(span.trace, at)
    if (this.service === '' && span.family === 'workflow' && !(span.flags & isStitched)) this.service = span.service
  }

  /** Hides the span that was announced under another id than it left with. */
  private replace(at: number, announced: string): void {
    this.replaced.add(announced)
    const before = this.byID.get(announced)
    this.byID.set(announced, at)
    if (before === undefined || before === at || !(this.spans[before]!.flags & isRunning)) return
    const old = this.spans[before]!
    this.byKey.delete(this.key(old.trace, announced))
    this.spans[before] = { ...old, family: 'notice', flags: isMarker, end: old.start }
    this.changed.add(before)
  }

  /** The row under which a span stands, or -1. */
  parentOf(at: number): number {
    const own = this.named(this.spans[at]!)
    if (own !== undefined) return own
    const tied = this.tiedTo(at)
    if (tied >= 0) return tied
    const root = this.roots.get(this.spans[at]!.trace)
    return root === undefined || root === at ? -1 : root
  }

  /** The span of another trace to which a link ties the top of this one, or -1: the one that it links to, or that links to it and has a place. */
  private tiedTo(at: number): number {
    const span = this.spans[at]!
    const to = this.claiming.has(at) ? [] : (this.links.get(at) ?? []).map((key) => this.byKey.get(key))
    const key = this.key(span.trace, span.id)
    const from = this.linked.get(key)?.filter((other) => this.claiming.has(other) || (this.named(this.spans[other]!) !== undefined && !this.belongs(other, key))) ?? []
    // A session that goes on in another trace links to itself.
    return [...to, ...from].find((other) => other !== undefined && !(span.family === 'workflow' && this.spans[other]!.family === 'workflow')) ?? -1
  }

  /** Reports whether the trace of a span links to that key as a whole, by its top: a session's own traces do. */
  private belongs(at: number, key: string): boolean {
    const top = this.roots.get(this.spans[at]!.trace)
    return top !== undefined && !!this.links.get(top)?.includes(key)
  }

  /** What stands for a span that is not drawn: the one that it repeats, else the one above. */
  insteadOf(at: number): number {
    const twin = this.byID.get(this.twins.get(at) ?? '')
    return twin === undefined || twin === at || this.twins.has(twin) ? this.parentOf(at) : twin
  }

  private named({ trace, parent }: Span): number | undefined {
    if (!parent) return undefined
    return this.byKey.get(this.key(trace, parent)) ?? (this.replaced.has(parent) ? this.byID.get(parent) : undefined)
  }

  /** What to search other sessions for: traces that links name, and requests of calls to which no trace is tied. */
  missing(): string[] {
    if (!this.wanted.size && !this.requests.size) return []
    const here = new Set(this.spans.map((span) => span.trace))
    const open = [...this.requests].filter(([, at]) => !this.isTied(at)).map(([request]) => request)
    return [...[...this.wanted].filter((trace) => !here.has(trace)), ...open]
  }

  private isTied(at: number): boolean {
    const { trace, id } = this.spans[at]!
    return this.linked.has(this.key(trace, id)) || (this.links.get(at) ?? []).some((key) => this.byKey.has(key))
  }

  /** Reports whether a link ties the trace of a span that is not here to one that is. */
  ties({ span, links }: Pick<Parsed, 'span' | 'links'>): boolean {
    return this.wanted.has(span.trace) || links.some((link) => this.byKey.has(this.key(link.trace, link.span)))
  }

  /** What is new since the last time, for the web UI. */
  take(): { at: number[]; spans: Span[] } {
    const at = [...this.changed]
    this.changed.clear()
    return { at, spans: at.map((i) => this.spans[i]!) }
  }
}
