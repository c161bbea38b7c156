import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons'
import { isTyping } from './typing'

/** A search field that `/` goes to and Escape empties, then leaves. */
export function SearchField(props: { label: string; hint?: string; value: string; onInput: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event)) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    if (props.value) props.onInput('')
    else field.current?.blur()
  }
  return (
    <div class="search">
      <Icon name="search" />
      <input ref={field} type="search" aria-label={props.label} placeholder={props.hint ?? props.label} value={props.value} maxLength={200} spellcheck={false}
        autocomplete="off" onInput={(e) => props.onInput(e.currentTarget.value)} onKeyDown={leave} />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}
