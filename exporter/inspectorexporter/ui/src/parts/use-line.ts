import { useEffect, useState } from 'preact/hooks'
import { lineOf } from '../state'
import type { Span } from '../worker/span'
import type { SpanLine } from '../wire'

interface Read {
  line?: SpanLine
  text?: string
  error?: string
}

/** The span's whole line, read when it is wanted and again when a newer one came. */
export function useLine(span: Span | undefined, wanted = true): Read {
  const [state, setState] = useState<Read & { of?: string }>({})
  const key = span && span.length ? span.trace + span.id : ''
  useEffect(() => {
    if (!span || !key || !wanted) return
    let waits = true
    lineOf(span).then(
      (text) => waits && setState({ of: key, text, line: JSON.parse(text) as SpanLine }),
      (error: Error) => waits && setState({ of: key, error: `The span cannot be read. ${error.message}` }),
    )
    return () => void (waits = false)
  }, [key, span?.session, span?.offset, span?.length, wanted])
  return state.of === key ? state : {}
}

/** Reports whether an element has been near what is seen. */
export function useNear(element: { current: HTMLElement | null }): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && (setNear(true), watcher.disconnect()), { rootMargin: '600px' })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [])
  return near
}
