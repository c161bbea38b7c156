/** A piece of time, ms since 1970. */
export interface Range {
  from: number
  to: number
}

const shortest = 0.01 // ms

/** The piece moved so that it lies within the whole. */
export function within(range: Range, whole: Range): Range {
  const length = Math.min(Math.max(range.to - range.from, shortest), whole.to - whole.from)
  const from = Math.min(Math.max(range.from, whole.from), whole.to - length)
  return { from, to: from + length }
}

/** Made `factor` times as long around a moment that keeps its place; undefined when that is all there is. */
export function zoom(range: Range, whole: Range, factor: number, at = (range.from + range.to) / 2): Range | undefined {
  const from = at - (at - range.from) * factor
  const to = at + (range.to - at) * factor
  return to - from >= whole.to - whole.from ? undefined : within({ from, to }, whole)
}

/** Moved by a part of its own length. */
export function pan(range: Range, whole: Range, part: number): Range {
  const by = (range.to - range.from) * part
  return within({ from: range.from + by, to: range.to + by }, whole)
}

/** Where a moment lies in the piece, 0 at its beginning and 1 at its end. */
export function place(range: Range, at: number): number {
  return (at - range.from) / (range.to - range.from || 1)
}

/** Left edge and width of a bar in percent, cut to what can be seen; undefined if nothing can. */
export function bar(range: Range, start: number, end: number): { left: number; width: number } | undefined {
  const a = place(range, start)
  const b = place(range, end)
  if (b < 0 || a > 1) return undefined
  const left = Math.max(0, a)
  return { left: left * 100, width: (Math.min(1, b) - left) * 100 }
}
