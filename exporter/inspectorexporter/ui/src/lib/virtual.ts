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

/** The same for rows that are not equally high: tops has where each begins, and where the last ends. */
export function visibleAt(tops: number[], scrollTop: number, viewport: number, over = 8): Window {
  const rows = tops.length - 1
  const first = before(tops, scrollTop), last = before(tops, scrollTop + viewport) + 1
  const from = Math.min(Math.max(0, first - over), rows)
  return { from, to: Math.max(from, Math.min(rows, last + over)) }
}

/** The last that begins at or before the place. */
function before(tops: number[], place: number): number {
  let low = 0, high = tops.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (tops[middle]! <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** Where to scroll so that a row is wholly in view; the same place if it is. */
export function reveal(scrollTop: number, viewport: number, rowHeight: number, row: number): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport
  return scrollTop
}
