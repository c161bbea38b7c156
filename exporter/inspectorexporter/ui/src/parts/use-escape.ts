import { useLayoutEffect, useRef } from 'preact/hooks'
import { isTyping } from './typing'

/** Calls `leave` when Escape is pressed outside of fields and dialogs. */
export function useEscape(leave: () => void): void {
  const last = useRef(leave)
  last.current = leave
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTyping(event)) last.current()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}
