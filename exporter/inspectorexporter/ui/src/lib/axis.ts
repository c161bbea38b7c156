import { isMarker, isNotice, type Span } from '../worker/span'
import type { Range } from './zoom'

/** A time in which nothing happened, and how much of it is left out. */
interface Gap extends Range {
  cut: number
}

const least = 10_000 // ms: what is shorter is no pause
const share = 0.02 // of all the time: likewise
const kept = 0.015 // of the time in which something happened: how wide a gap is drawn

/** Moments as they are drawn: without the time in which nothing happened, if that is folded. */
export class Axis {
  constructor(readonly gaps: Gap[] = []) {}

  /** Where a moment is drawn, in ms as if the gaps had not been. */
  at(moment: number): number {
    let cut = 0
    for (const gap of this.gaps) {
      if (moment <= gap.from) break
      cut += moment >= gap.to ? gap.cut : ((moment - gap.from) / (gap.to - gap.from)) * gap.cut
    }
    return moment - cut
  }

  /** The moment that is drawn there. */
  back(drawn: number): number {
    let cut = 0
    for (const gap of this.gaps) {
      const from = gap.from - cut, width = gap.to - gap.from - gap.cut
      if (drawn <= from) break
      if (drawn < from + width) return gap.from + ((drawn - from) / width) * (gap.to - gap.from)
      cut += gap.cut
    }
    return drawn + cut
  }
}

/** The axis without idle time: between turns, and while an agent waits for a person and nothing else goes on. */
export function foldIdle(spans: Span[], { from, to }: Range): Axis {
  const pauses = idle(spans, from, to).filter((gap) => gap.to - gap.from >= Math.max(least, share * (to - from)))
  const width = (to - from - pauses.reduce((sum, gap) => sum + gap.to - gap.from, 0)) * kept
  return new Axis(pauses.map((gap) => ({ ...gap, cut: Math.max(0, gap.to - gap.from - Math.max(width, 1)) })))
}

// What begins and ends at a moment: something that is done, what contains it, or a wait.
const done = 0, around = 1, waits = 2

function idle(spans: Span[], from: number, to: number): Range[] {
  const moments: { at: number; what: number; by: 1 | -1 }[] = []
  for (const span of spans) {
    if (!span || span.family === 'workflow' || span.family === 'phase' || span.flags & (isNotice | isMarker)) continue
    const what = span.family === 'turn' || span.family === 'agent' ? around : span.family === 'wait' ? waits : done
    moments.push({ at: span.start, what, by: 1 }, { at: Number.isNaN(span.end) ? to : span.end, what, by: -1 })
  }
  moments.sort((a, b) => a.at - b.at || b.by - a.by)
  const open = [0, 0, 0], pauses: Range[] = []
  let since = from
  let still = true
  for (const { at, what, by } of moments) {
    open[what]! += by
    const now = !open[done] && (!open[around] || !!open[waits])
    if (now === still) continue
    if (now) since = at
    else if (at > since) pauses.push({ from: Math.max(since, from), to: Math.min(at, to) })
    still = now
  }
  if (still && to > since) pauses.push({ from: since, to })
  return pauses.filter((pause) => pause.to > pause.from)
}
