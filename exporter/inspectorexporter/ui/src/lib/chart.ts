import { place, type Range } from './zoom'

/** A sum at a time, in ms since 1970. */
interface Point {
  time: number
  tokens: number
  cost: number
}

const none: Point = { time: -Infinity, tokens: 0, cost: 0 }

/** What the sums were at a time. Points are in the order of time. */
export function at<P extends Point>(points: P[], time: number): Point {
  let low = 0, high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]!.time <= time) low = middle + 1
    else high = middle
  }
  return points[low - 1] ?? none
}

/** Paths of two stairs in a box of this size, for the piece of time that is shown, and of the area below the first. `until` is where all ends. */
export function chart<P extends Point>(points: P[], shown: Range, until: number, width: number, height: number): { area: string; tokens: string; cost: string } {
  const top = points[points.length - 1] ?? none
  const end = Math.min(shown.to, Math.max(until, top.time))
  const first = at(points, shown.from)
  const inside = points.filter((p) => p.time > shown.from && p.time <= end)
  const x = (time: number) => (place(shown, time) * width).toFixed(1)
  const stairs = (value: (p: Point) => number) => {
    const most = value(top) || 1
    const y = (p: Point) => (height - (value(p) / most) * (height - 2)).toFixed(1)
    let path = `M0.0,${y(first)}`
    for (const p of inside) path += `H${x(p.time)}V${y(p)}`
    return path + `H${x(end)}`
  }
  const tokens = stairs((p) => p.tokens)
  return { area: `${tokens}V${height}H0Z`, tokens, cost: stairs((p) => p.cost) }
}
