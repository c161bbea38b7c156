import { useState } from 'preact/hooks'
import { at, chart } from '../lib/chart'
import { count, money } from '../lib/format'
import type { Range } from '../lib/zoom'
import type { Point } from '../worker/usage'

const width = 1000, height = 40

const costs = (points: Point[]) => points[points.length - 1]!.cost > 0

/** What the colours of the chart mean, and the sums at the end. */
export function UsageLegend({ points }: { points: Point[] }) {
  const { tokens, cost } = points[points.length - 1]!
  return (
    <span class="legend">
      <span><i class="tokens" /> {count(tokens)} tokens</span>
      {cost > 0 && <span><i class="cost" /> {money(cost)}</span>}
    </span>
  )
}

/** Tokens and cost of the model calls so far, over the time that is shown. */
export function UsageChart({ points, shown, until }: { points: Point[]; shown: Range; until: number }) {
  const [pointed, setPointed] = useState<number>()
  const last = points[points.length - 1]!
  const drawn = chart(points, shown, until, width, height)
  const here = pointed === undefined ? undefined : at(points, shown.from + pointed * (shown.to - shown.from))
  const label = `Tokens and cost over time: ${count(last.tokens)} tokens${last.cost ? `, ${money(last.cost)}` : ''} in all`
  const move = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    setPointed(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)))
  }
  return (
    <div class="usage" role="img" aria-label={label} onPointerMove={move} onPointerLeave={() => setPointed(undefined)}>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path class="area" d={drawn.area} />
        <path class="tokens" d={drawn.tokens} />
        {costs(points) && <path class="cost" d={drawn.cost} />}
      </svg>
      {here && pointed !== undefined && (
        <span class={`tip${pointed > 0.5 ? ' left' : ''}`} style={{ left: `${pointed * 100}%` }}>{count(here.tokens)} tokens{here.cost > 0 && ` · ${money(here.cost)}`}</span>
      )}
    </div>
  )
}
