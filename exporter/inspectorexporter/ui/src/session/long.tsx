import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { whole } from '../lib/format'

const lines = 24, characters = 4000

/** A text of which the beginning is shown, with a button for the rest. */
export function Long({ text, children, at = lines }: { text: string; children: (shown: string) => ComponentChildren; at?: number }) {
  const [open, setOpen] = useState(false)
  const all = text.split('\n')
  const long = all.length > at * 1.5 || text.length > characters * 1.5
  const shown = open || !long ? text : all.slice(0, at).join('\n').slice(0, characters)
  return (
    <>
      {children(shown)}
      {long && <button type="button" class="small fold" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Show less' : all.length > at ? `Show all ${whole(all.length)} lines` : `Show all ${whole(text.length)} characters`}</button>}
    </>
  )
}
