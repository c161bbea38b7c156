import { useEffect, useRef, useState } from 'preact/hooks'

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
