import { useLayoutEffect, useRef } from 'preact/hooks'
import { pan, zoom, type Range } from '../lib/zoom'
import { isTyping } from '../parts/typing'
import { isError } from '../worker/span'
import { hasChildren, isCollapsed } from '../worker/tree'
import { fold, type WaterfallProps } from './shared'

/** The keys of the waterfall. Those that move the selection work wherever no other control uses them. */
export function useTreeKeys(props: WaterfallProps, active: number, page: number, shown: Range): void {
  const last = useRef({ props, active, page, shown })
  last.current = { props, active, page, shown }
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const { props, active, page, shown } = last.current
      if (isTyping(event)) return
      const done = event.shiftKey && event.key.startsWith('Arrow') ? panBy(event, props, shown) : act(event, props, active, page, shown)
      if (done) event.preventDefault()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}

function panBy(event: KeyboardEvent, { full, onRange, range }: WaterfallProps, shown: Range): boolean {
  const part = { ArrowLeft: -0.25, ArrowRight: 0.25 }[event.key]
  if (!part || !range) return false
  onRange(pan(shown, full, part))
  return true
}

const letters: Record<string, (p: WaterfallProps, active: number, shown: Range) => void> = {
  '+': (p, _, shown) => p.onRange(zoom(shown, p.full, 0.5)),
  '=': (p, _, shown) => p.onRange(zoom(shown, p.full, 0.5)),
  '-': (p, _, shown) => p.onRange(zoom(shown, p.full, 2)),
  '0': (p) => p.onRange(undefined),
  n: (p, active) => error(p, active, 1),
  p: (p, active) => error(p, active, -1),
  f: (p) => p.live && p.onFollow(!p.follow),
  z: (p) => zoomToSpan(p),
  j: (p, active) => go(p, active + 1),
  k: (p, active) => go(p, active < 0 ? 0 : active - 1),
}

function act(event: KeyboardEvent, props: WaterfallProps, active: number, page: number, shown: Range): boolean {
  const letter = letters[event.key]
  if (letter) {
    letter(props, active, shown)
    return true
  }
  // The panel's tabs, its tree and buttons have arrows and Home of their own.
  const target = event.target as HTMLElement
  if (target.closest('.panel, .toolbar, .bar, .session-head') && event.key !== 'PageDown') return false
  switch (event.key) {
    case 'ArrowDown': return go(props, active + 1)
    case 'ArrowUp': return go(props, active < 0 ? 0 : active - 1)
    case 'PageDown': return target.closest('.panel') ? false : go(props, active + page)
    case 'PageUp': return go(props, active - page)
    case 'Home': return go(props, 0)
    case 'End': return go(props, props.view.order.length - 1)
    case 'ArrowRight': return active >= 0 && right(props, active)
    case 'ArrowLeft': return active >= 0 && left(props, active)
    case 'Enter': return toPanel(active, target)
  }
  return false
}

function go({ view, onSelect, onFollow }: WaterfallProps, row: number): boolean {
  if (!view.order.length) return false
  onFollow(false)
  onSelect(view.order[Math.min(Math.max(row, 0), view.order.length - 1)]!)
  return true
}

function right(props: WaterfallProps, active: number): boolean {
  const marks = props.view.marks[active]!
  if (marks & isCollapsed) fold(props, active)
  else if (marks & hasChildren) go(props, active + 1)
  return true
}

function left(props: WaterfallProps, active: number): boolean {
  const { marks, depth } = props.view
  if (marks[active]! & hasChildren && !(marks[active]! & isCollapsed)) {
    fold(props, active)
    return true
  }
  for (let row = active - 1; row >= 0; row--) if (depth[row]! < depth[active]!) return go(props, row)
  return true
}

function error(props: WaterfallProps, active: number, step: number): void {
  const { view, trace } = props
  for (let row = active + step; row >= 0 && row < view.order.length; row += step) {
    if (trace.spans[view.order[row]!]!.flags & isError) return void go(props, row)
  }
}

function zoomToSpan({ trace, selected, view, axis, onRange }: WaterfallProps): void {
  const span = trace.spans[selected]
  if (!span) return
  const start = axis.at(span.start), end = axis.at(Number.isNaN(span.end) ? view.end : span.end)
  const margin = Math.max((end - start) * 0.1, 0.5)
  onRange({ from: start - margin, to: end + margin })
}

function toPanel(active: number, target: HTMLElement): boolean {
  if (active < 0 || target.closest('a, button, input, select')) return false
  document.querySelector<HTMLElement>('.panel [role=tab][aria-selected=true]')?.focus()
  return true
}
