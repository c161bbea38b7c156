import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { Axis, foldIdle } from '../lib/axis'
import { zoom, within, type Range } from '../lib/zoom'
import { useRows } from '../parts/use-rows'
import { now } from '../state'
import { fold, type WaterfallProps } from './shared'
import { useTreeKeys } from './keys'
import { SpanRow } from './row'
import { Scale } from './scale'

/** Ranges are times here; what is inside draws them by the axis. */
export function Waterfall({ folds, ...times }: Omit<WaterfallProps, 'axis'> & { folds: boolean }) {
  const { trace, view, full } = times
  const axis = useMemo(() => (folds ? foldIdle(trace.spans, full) : new Axis()), [folds, view, folds && full])
  const drawn = (range: Range): Range => ({ from: axis.at(range.from), to: axis.at(range.to) })
  const range = times.range && drawn(times.range)
  const onRange = (to: Range | undefined) => times.onRange(to && { from: axis.back(to.from), to: axis.back(to.to) })
  const props = { ...times, axis, full: drawn(full), range, onRange }
  const shown = range ? within(range, props.full) : props.full
  return (
    <div class={`waterfall${props.narrow ? ' stacked' : ''}`}>
      <Scale {...props} shown={shown} />
      <Rows {...props} shown={shown} />
    </div>
  )
}

/** The rows by themselves, since scrolling draws nothing else anew. */
function Rows(props: WaterfallProps & { shown: Range }) {
  const { trace, view, axis, full, narrow, selected, shown, onSelect } = props
  const rowHeight = narrow ? 46 : 28
  const { box, drawn, total, page, reveal } = useRows(view.order.length, useCallback(() => rowHeight, [rowHeight]), 12)
  const active = useMemo(() => (selected < 0 ? -1 : view.order.indexOf(selected)), [view, selected])
  useTreeKeys(props, active, Math.floor(page / rowHeight), shown)
  useEffect(() => {
    if (active >= 0) reveal(active)
  }, [selected, active >= 0])
  useEffect(() => {
    if (props.follow && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [props.follow, view])
  useWheelZoom(box, shown, full, props.onRange)
  const toggle = (row: number) => fold(props, row)
  return (
    <div class="tree scroll" ref={box} role="treegrid" aria-label="Spans" tabIndex={0} aria-rowcount={view.order.length} aria-colcount={3}
      aria-activedescendant={drawn.some((row) => row.index === active) ? `span-${active}` : undefined}
      onWheel={(e) => e.deltaY < 0 && props.follow && props.onFollow(false)}>
      <div class="space" role="presentation" style={{ height: `${total}px` }}>
        {drawn.map(({ index: at, start }) => {
          const index = view.order[at]!
          const span = trace.spans[index]
          if (!span) return null
          const open = Number.isNaN(span.end), until = open ? (props.live ? Math.max(now.value, span.start) : view.end) : span.end
          return (
            <SpanRow key={index} span={span} at={at} index={index} top={start} height={rowHeight} depth={view.depth[at]!} marks={view.marks[at]!}
              from={shown.from} to={shown.to} left={axis.at(span.start)} right={axis.at(until)} until={until} live={props.live}
              selected={active === at} filtered={props.options.only !== 'all' || props.options.query.trim() !== ''} onSelect={onSelect} onToggle={toggle} />
          )
        })}
      </div>
      {view.order.length === 0 && <p class="nothing">{nothingOf(props.options)}</p>}
    </div>
  )
}

/** Which filter leaves nothing to show. */
function nothingOf({ only, query }: WaterfallProps['options']): string {
  const kind = { all: '', errors: 'is an error', waits: 'is a wait', running: 'runs' }[only]
  return `No span ${[query.trim() && `contains “${query.trim()}”`, kind].filter(Boolean).join(' and ') || 'is here'}.`
}

/** Ctrl and the wheel, or a pinch, zoom around the pointer. */
function useWheelZoom(box: { current: HTMLDivElement | null }, shown: Range, full: Range, onRange: (range: Range | undefined) => void) {
  const last = useRef({ shown, full, onRange })
  last.current = { shown, full, onRange }
  useEffect(() => {
    const element = box.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const line = element.querySelector('.line')?.getBoundingClientRect()
      const { shown, full, onRange } = last.current
      const part = line ? Math.min(1, Math.max(0, (event.clientX - line.left) / line.width)) : 0.5
      onRange(zoom(shown, full, Math.exp(event.deltaY / 300), shown.from + part * (shown.to - shown.from)))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])
}
