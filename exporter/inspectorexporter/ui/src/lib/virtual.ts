export interface Window {
  from: number
  to: number // exclusive
}

/** The rows of equal height that have to be drawn, with some more on both sides. */
export function visible(scrollTop: number, viewport: number, rowHeight: number, rows: number, over = 8): Window {
  const first = Math.floor(scrollTop / rowHeight)
  const last = Math.ceil((scrollTop + viewport) / rowHeight)
  const from = Math.min(Math.max(0, first - over), rows)
  return { from, to: Math.max(from, Math.min(rows, last + over)) }
}

/** Where to scroll so that a row is wholly in view; the same place if it is. */
export function reveal(scrollTop: number, viewport: number, rowHeight: number, row: number): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport
  return scrollTop
}
