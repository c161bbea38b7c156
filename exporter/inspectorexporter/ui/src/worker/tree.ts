import type { Model } from './model'
import { isDuplicate, isError, isMarker, isPhase, isQuiet, isRunning, isWait, type Family, type Span } from './span'

/** What the reader wants to see. */
export interface ViewOptions {
  collapsed: string[] // trace and span id
  query: string
  only: 'all' | 'errors' | 'waits' | 'running'
  records: boolean // with what reports itself, and what repeats another source's span
}

// Bits of Rows.marks.
export const hasChildren = 1
export const isCollapsed = 2
export const isHit = 4
export const isElsewhere = 8 // of another service than the row above it in the tree

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
  spans: number
  phases: number[]
  turns: string[] // trace and span id
  story: boolean // something in it is a step of a conversation
}

/** Children of each span as linked lists in order of start: first[parent], next[child]. */
interface Forest {
  first: Int32Array
  next: Int32Array
  tops: number[]
}

function forest(model: Model, sorted: Int32Array, options: ViewOptions): Forest {
  const n = model.spans.length
  const first = new Int32Array(n).fill(-1)
  const next = new Int32Array(n).fill(-1)
  const tops: number[] = []
  // From the last to the first, so that each list begins with the earliest.
  for (let i = sorted.length - 1; i >= 0; i--) {
    const at = sorted[i]!
    const parent = above(model, at, options)
    if (parent < 0 || parent === at) {
      tops.push(at)
      continue
    }
    next[at] = first[parent]!
    first[parent] = at
  }
  return { first, next, tops: tops.reverse() }
}

/** The nearest span above that is drawn, or -1. */
function above(model: Model, at: number, options: ViewOptions): number {
  let up = model.parentOf(at)
  for (let steps = 0; up >= 0 && !drawn(model.spans[up]!, options) && steps < 1000; steps++) up = model.insteadOf(up)
  return up
}

function drawn(span: Span, options: ViewOptions): boolean {
  return !(span.flags & isMarker) && (options.records || !(span.flags & (isQuiet | isDuplicate)))
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
  const rows = walk(model, forest(model, sorted, options), sorted, found?.keep, new Set(options.collapsed))
  return { ...rows, ...summary(model), hits: found?.hits ?? sorted.length }
}

function walk(model: Model, tree: Forest, sorted: Int32Array, keep: Uint8Array | undefined, collapsed: Set<string>): Rows {
  const order = new Int32Array(sorted.length)
  const depth = new Uint16Array(sorted.length)
  const marks = new Uint8Array(sorted.length)
  const seen = new Uint8Array(model.spans.length)
  const services: string[] = [] // of the rows above, by level
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
      const { service } = model.spans[at]!, above = level ? services[level - 1] : model.service
      services[level] = service || above || ''
      if (!keep || keep[at]) {
        order[n] = at
        depth[n] = level
        marks[n] = (children.length ? hasChildren : 0) | (closed ? isCollapsed : 0) | (keep?.[at] === 2 ? isHit : 0) | (service && above && service !== above ? isElsewhere : 0)
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

const told = new Set<Family>(['turn', 'tool', 'llm', 'agent', 'resource', 'prompt'])

function summary(model: Model): Omit<View, keyof Rows | 'hits'> {
  let start = Infinity, end = -Infinity, open = false, story = false
  const phases: number[] = []
  const turns: string[] = []
  model.spans.forEach((span, at) => {
    if (span.start < start) start = span.start
    if (span.start > end) end = span.start
    if (span.end > end) end = span.end
    if (span.flags & isRunning) open = true
    if (told.has(span.family)) story = true
    if (span.flags & isPhase) phases.push(at)
    if (span.family === 'turn' && !(span.flags & isDuplicate)) turns.push(span.trace + span.id)
  })
  phases.sort((a, b) => model.spans[a]!.start - model.spans[b]!.start)
  return { start, end, open, spans: model.spans.length, phases, turns, story }
}
