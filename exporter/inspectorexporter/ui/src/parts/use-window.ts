import { useEffect, useRef, useState } from 'preact/hooks'
import { visible, type Window } from '../lib/virtual'

/** The rows to draw in a box that scrolls, which this reads from the box itself. */
export function useWindow(rows: number, rowHeight: number, over = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const element = box.current
    if (!element) return
    let asked = 0
    const read = () => {
      asked = 0
      setPlace((old) => {
        const top = element.scrollTop, height = element.clientHeight
        return old.top === top && old.height === height ? old : { top, height }
      })
    }
    const soon = () => (asked ||= requestAnimationFrame(read))
    read()
    element.addEventListener('scroll', soon, { passive: true })
    const sizes = new ResizeObserver(soon)
    sizes.observe(element)
    return () => {
      cancelAnimationFrame(asked)
      element.removeEventListener('scroll', soon)
      sizes.disconnect()
    }
  }, [box.current])
  const window: Window = visible(place.top, place.height, rowHeight, rows, over)
  return { box, window, height: place.height, top: place.top }
}

/** Reports whether the window is at most as wide as this, and follows changes. */
export function useNarrow(width: number): boolean {
  const query = useRef(matchMedia(`(max-width: ${width}px)`))
  const [narrow, setNarrow] = useState(query.current.matches)
  useEffect(() => {
    const list = query.current
    const change = () => setNarrow(list.matches)
    list.addEventListener('change', change)
    return () => list.removeEventListener('change', change)
  }, [])
  return narrow
}
