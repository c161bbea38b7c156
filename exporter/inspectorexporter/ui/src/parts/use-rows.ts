import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

/** The rows to draw in a box that scrolls, with some more on both sides. What is given back changes as it does. */
export function useRows(count: number, sizeOf: (row: number) => number, over = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const options = {
    count, estimateSize: sizeOf, overscan: over, getScrollElement: () => box.current, observeElementOffset, observeElementRect,
    scrollToFn: elementScroll, onChange: () => draw(0), initialRect: { width: 0, height: 800 },
  }
  const [rows] = useState(() => new Virtualizer<HTMLDivElement, HTMLElement>(options))
  rows.setOptions(options)
  useLayoutEffect(() => rows._didMount(), [])
  useLayoutEffect(() => rows._willUpdate())
  useLayoutEffect(() => rows.measure(), [sizeOf])
  const drawn = rows.getVirtualItems()
  return { box, drawn, total: rows.getTotalSize(), page: rows.scrollRect?.height ?? 0, reveal: (row: number) => rows.scrollToIndex(row, { align: 'auto' }) }
}
