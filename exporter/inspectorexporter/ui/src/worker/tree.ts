import type { Model } from './model'
import { isDuplicate, isError, isMarker, isNotice, isPhase, isQuiet, isRunning, isWait, type Span } from './span'
import { series, type Point } from './usage'

/** What the reader wants to see. */
export interface ViewOptions {
  collapsed: string[] // trace and span id
  query: string
  only: 'all' | 'errors' | 'waits' | 'running'
  quiet: boolean // heartbeats too
  twins: boolean // spans too that tell the same as others
}

// Bits of Rows.marks.
export const hasChildren = 1
export const isCollapsed = 2
export const isHit = 4

/** The rows in the order in which they are drawn. */
export interface Rows {
  order: Int32Array // index of the span
  depth: Uint16Array
  marks: Uint8Array
}

export interface View extends Rows {
  start: number
  end: number
  open: boolean // something runs
  hits: number
  hidden: number // heartbeats
  spans: number
  errors: number
  waits: number
  phases: number[]
  turns: string[] // trace and span id
  twins: number // spans that tell the same as others
  usage: Point[] // tokens and cost over time
}

/** Children of each span as linked lists in order of start: first[parent], next[child]. */
interface Forest {
  first: Int32Array
  next: Int32Array
  tops: number[]
}

function forest(model: Model, sorted: Int32Array): Forest {
  const n = model.spans.length
  const first = new Int32Array(n).fill(-1)
  const next = new Int32Array(n).fill(-1)
  const tops: number[] = []
  // From the last to the first, so that each list begins with the earliest.
  for (let i = sorted.length - 1; i >= 0; i--) {
    const at = sorted[i]!
    const parent = model.parentOf(at)
    if (parent < 0 || parent === at) {
      tops.push(at)
      continue
    }
    next[at] = first[parent]!
    first[parent] = at
  }
  return { first, next, tops: tops.reverse() }
}

function drawn(span: Span, options: ViewOptions): boolean {
  return !(span.flags & isMarker) && (options.quiet || !(span.flags & isQuiet)) && (options.twins || !(span.flags & isDuplicate))
}

function matcher(model: Model, options: ViewOptions): ((at: number) => boolean) | undefined {
  const mask = { all: 0, errors: isError, waits: isWait, running: isRunning }[options.only]
  const words = options.query.trim()
  if (!mask && !words) return undefined
  const pattern = words ? new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i') : undefined
  return (at) => (!mask || (model.spans[at]!.flags & mask) !== 0) && (!pattern || pattern.test(model.texts[at]!))
}

/** The rows that are hits or stand above one. */
function kept(model: Model, candidates: Int32Array, hit: (at: number) => boolean): { keep: Uint8Array; hits: number } {
  const keep = new Uint8Array(model.spans.length)
  let hits = 0
  for (const at of candidates) {
    if (!hit(at)) continue
    hits++
    keep[at] = 2
    for (let up = model.parentOf(at), steps = 0; up >= 0 && !keep[up] && steps < 1000; up = model.parentOf(up), steps++) {
      keep[up] = 1
    }
  }
  return { keep, hits }
}

/** Lays the tree out in rows. A circle of parents, which no sound sender makes, begins at its earliest span. */
export function layOut(model: Model, options: ViewOptions): View {
  const shown = model.spans.map((_, at) => at).filter((at) => drawn(model.spans[at]!, options))
  const sorted = Int32Array.from(shown).sort((a, b) => model.spans[a]!.start - model.spans[b]!.start || a - b)
  const hit = matcher(model, options)
  const found = hit && kept(model, sorted, hit)
  const rows = walk(model, forest(model, sorted), sorted, found?.keep, new Set(options.collapsed))
  return { ...rows, ...summary(model, options), hits: found?.hits ?? sorted.length }
}

function walk(model: Model, tree: Forest, sorted: Int32Array, keep: Uint8Array | undefined, collapsed: Set<string>): Rows {
  const order = new Int32Array(sorted.length)
  const depth = new Uint16Array(sorted.length)
  const marks = new Uint8Array(sorted.length)
  const seen = new Uint8Array(model.spans.length)
  let n = 0
  const stack: number[] = []
  const visit = (top: number) => {
    stack.push(top, 0)
    while (stack.length) {
      const level = stack.pop()!
      const at = stack.pop()!
      if (seen[at]) continue
      seen[at] = 1
      const closed = collapsed.size > 0 && collapsed.has(model.spans[at]!.trace + model.spans[at]!.id)
      const children = childrenOf(tree, at, seen)
      if (!keep || keep[at]) {
        order[n] = at
        depth[n] = level
        marks[n] = (children.length ? hasChildren : 0) | (closed ? isCollapsed : 0) | (keep?.[at] === 2 ? isHit : 0)
        n++
      }
      if (closed) hide(tree, children, seen)
      else for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]!, level + 1)
    }
  }
  tree.tops.forEach(visit)
  for (const at of sorted) if (!seen[at]) visit(at)
  return { order: order.slice(0, n), depth: depth.slice(0, n), marks: marks.slice(0, n) }
}

function childrenOf(tree: Forest, at: number, seen: Uint8Array): number[] {
  const children: number[] = []
  for (let child = tree.first[at]!; child >= 0; child = tree.next[child]!) if (!seen[child]) children.push(child)
  return children
}

function hide(tree: Forest, children: number[], seen: Uint8Array): void {
  const stack = [...children]
  while (stack.length) {
    const at = stack.pop()!
    if (seen[at]) continue
    seen[at] = 1
    stack.push(...childrenOf(tree, at, seen))
  }
}

function summary(model: Model, options: ViewOptions): Omit<View, keyof Rows | 'hits'> {
  let start = Infinity, end = -Infinity, open = false, hidden = 0, errors = 0, waits = 0, twins = 0
  const phases: number[] = []
  const turns: string[] = []
  const calls: { time: number; took: Span }[] = []
  model.spans.forEach((span, at) => {
    if (span.start < start) start = span.start
    if (span.start > end) end = span.start
    if (span.end > end) end = span.end
    if (span.flags & isRunning) open = true
    if (span.flags & isPhase) phases.push(at)
    if (span.flags & isDuplicate) return void twins++
    if (span.flags & isError) errors++
    if (span.flags & isWait) waits++
    if (span.flags & isQuiet && !options.quiet && span.flags & isNotice) hidden++
    if (span.family === 'turn') turns.push(span.trace + span.id)
    if (span.family === 'llm' && span.input + span.output + span.cost > 0) calls.push({ time: Number.isNaN(span.end) ? span.start : span.end, took: span })
  })
  phases.sort((a, b) => model.spans[a]!.start - model.spans[b]!.start)
  return { start, end, open, hidden, spans: model.spans.length, errors, waits, phases, turns, twins, usage: series(calls) }
}
