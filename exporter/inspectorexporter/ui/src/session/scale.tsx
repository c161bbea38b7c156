import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { words } from '../lib/format'
import { duration, parseTime, tick, ticks } from '../lib/time'
import { bar, place, type Range } from '../lib/zoom'
import { isError, isWait } from '../worker/span'
import type { WaterfallProps } from './shared'

type Props = WaterfallProps & { shown: Range }

/** What stands above the rows: all of the session in small, the phases, and the marks of time. */
export function Scale(props: Props) {
  return (
    <div class="scale">
      <div class="names"><span>Overview</span><span>Phases</span><span>Step</span></div>
      <div class="times">
        <Overview {...props} />
        <Phases {...props} />
        <Ruler {...props} />
      </div>
    </div>
  )
}

/** All spans as lines of a picture, and the piece that is shown; dragging chooses another. */
function Overview({ trace, view, axis, full, range, shown, onRange }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTheme()
  const width = useWidth(canvas)
  useEffect(() => {
    if (canvas.current && width) draw(canvas.current, width, trace.spans, view, full, axis)
  }, [view, full.to, theme, width, axis])
  const drag = useDrag(full, onRange)
  const mark = range && bar(full, shown.from, shown.to)
  return (
    <div class="overview" {...drag.handlers}>
      <canvas ref={canvas} height="34" role="img" aria-label={`Overview of ${view.spans} spans`} />
      {mark && <i class="mark" style={{ left: `${mark.left}%`, width: `${mark.width}%` }} />}
      {drag.chosen && <i class="mark choosing" style={drag.chosen} />}
    </div>
  )
}

const high = 34

function draw(canvas: HTMLCanvasElement, width: number, spans: Props['trace']['spans'], view: Props['view'], full: Range, axis: Props['axis']): void {
  const dots = devicePixelRatio || 1
  canvas.width = width * dots
  canvas.height = high * dots
  const context = canvas.getContext('2d')
  if (!context) return
  context.scale(dots, dots)
  const style = getComputedStyle(canvas)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const plain = colour('--bar'), bad = colour('--bad-bar'), wait = colour('--wait-bar')
  const n = view.order.length
  const line = Math.max(1, Math.min(3, (high - 4) / Math.max(n, 1)))
  // Of many rows only as many as can be told apart, but every error.
  const step = Math.max(1, Math.floor(n / 4000))
  for (let i = 0; i < n; i++) {
    const span = spans[view.order[i]!]
    if (!span || (i % step && !(span.flags & isError))) continue
    const from = place(full, axis.at(span.start)) * width
    const to = place(full, Number.isNaN(span.end) ? full.to : axis.at(span.end)) * width
    context.fillStyle = span.flags & isError ? bad : span.family === 'wait' ? wait : plain
    context.fillRect(from, 2 + (i / Math.max(n, 1)) * (high - 4), Math.max(1, to - from), line)
  }
}

function useWidth(canvas: { current: HTMLCanvasElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const parent = canvas.current?.parentElement
    if (!parent) return
    const sizes = new ResizeObserver(() => setWidth(parent.clientWidth))
    sizes.observe(parent)
    return () => sizes.disconnect()
  }, [])
  return width
}

/** Changes when the colours do. */
function useTheme(): string {
  const read = () => `${document.documentElement.dataset.theme ?? ''} ${matchMedia('(prefers-color-scheme: dark)').matches}`
  const [theme, setTheme] = useState(read)
  useEffect(() => {
    const change = () => setTheme(read())
    const watcher = new MutationObserver(change)
    watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const media = matchMedia('(prefers-color-scheme: dark)')
    media.addEventListener('change', change)
    return () => {
      watcher.disconnect()
      media.removeEventListener('change', change)
    }
  }, [])
  return theme
}

/** Choosing a piece of time by dragging over it; a click alone shows all again. */
function useDrag(over: Range, onRange: (range: Range | undefined) => void) {
  const [drag, setDrag] = useState<{ a: number; b: number }>()
  const part = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
  }
  const at = (p: number) => over.from + p * (over.to - over.from)
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
      setDrag({ a: part(event), b: part(event) })
    },
    onPointerMove: (event: PointerEvent) => drag && setDrag({ a: drag.a, b: part(event) }),
    onPointerCancel: () => setDrag(undefined),
    onPointerUp: () => {
      if (!drag) return
      const [from, to] = [Math.min(drag.a, drag.b), Math.max(drag.a, drag.b)]
      setDrag(undefined)
      onRange(to - from < 0.005 ? undefined : { from: at(from), to: at(to) })
    },
  }
  const chosen = drag && { left: `${Math.min(drag.a, drag.b) * 100}%`, width: `${Math.abs(drag.a - drag.b) * 100}%` }
  return { handlers, chosen }
}

interface Piece {
  phase: string
  from: number
  to: number
  open: boolean
}

/** The phases that have ended, and the one that goes on, of which only the row tells. */
function pieces({ trace, view, row, axis, full }: Props): Piece[] {
  const end = axis.back(full.to)
  const all: Piece[] = view.phases.map((at) => {
    const span = trace.spans[at]!
    return { phase: span.flags & isWait ? 'waiting_approval' : span.label, from: span.start, to: Number.isNaN(span.end) ? end : span.end, open: Number.isNaN(span.end) }
  })
  const since = parseTime(row?.phase_since)
  const known = all.some((p) => p.open || p.from >= since - 1)
  if (row?.phase && !row.ended_at && !known && Number.isFinite(since)) all.push({ phase: row.phase, from: since, to: end, open: true })
  return all
}

function Phases(props: Props) {
  const all = useMemo(() => pieces(props), [props.view, props.row?.phase, props.row?.phase_since, props.full])
  const label = all.length ? `Phases: ${all.slice(-8).map((p) => `${words(p.phase)} ${duration(p.to - p.from)}`).join(', ')}` : 'No phases were reported'
  return (
    <div class="phases" role="img" aria-label={label}>
      {all.map((piece) => {
        const placed = bar(props.shown, props.axis.at(piece.from), props.axis.at(piece.to))
        if (!placed || (placed.width < 0.05 && all.length > 400)) return null
        return (
          <i key={piece.from} class={`phase p-${piece.phase}${piece.open ? ' open' : ''}`} title={`${words(piece.phase)}, ${duration(piece.to - piece.from)}`}
            style={{ left: `${placed.left}%`, width: `${placed.width}%` }}>{placed.width > 2 && <span>{words(piece.phase)}</span>}</i>
        )
      })}
    </div>
  )
}

function Ruler({ shown, axis, full, onRange, narrow }: Props) {
  const from = shown.from - full.from
  const to = shown.to - full.from
  const drag = useDrag(shown, (range) => range && onRange(range))
  return (
    <div class="ruler" {...drag.handlers}>
      {axis.gaps.map((gap) => {
        const placed = bar(shown, axis.at(gap.from), axis.at(gap.to))
        return placed && <i key={gap.from} class="gap" title={`${duration(gap.to - gap.from)} in which nothing happened`} style={{ left: `${placed.left}%`, width: `${placed.width}%` }} />
      })}
      {ticks(from, to, narrow ? 4 : 7).map((ms) => {
        const left = ((ms - from) / (to - from)) * 100
        return left > (narrow ? 88 : 92) ? null : <span key={ms} style={{ left: `${left}%` }}>{axis.gaps.length && ms ? duration(axis.back(full.from + ms) - full.from) : tick(ms)}</span>
      })}
      {drag.chosen && <i class="mark choosing" style={drag.chosen} />}
    </div>
  )
}
