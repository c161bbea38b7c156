import { useState } from 'preact/hooks'
import { whole } from '../lib/format'
import { isRecord } from '../lib/json'

const atOnce = 100 // members of a list or object
const longText = 600

/** A JSON value that can be folded. `open` levels are unfolded at first. */
export function JSONTree({ value, open, cut = false }: { value: unknown; open: number; cut?: boolean }) {
  return (
    <div class="json">
      <Node value={value} open={open} />
      {cut && <p class="cut">… the rest was cut</p>}
    </div>
  )
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  if (Array.isArray(value) || isRecord(value)) return <Branch name={name} value={value} open={open} />
  return <div class="leaf">{name !== undefined && <Key name={name} />}<Leaf value={value} /></div>
}

function Key({ name }: { name: string }) {
  return <><span class="key">{name}</span><span class="colon">: </span></>
}

function Branch({ name, value, open }: { name?: string | undefined; value: unknown[] | Record<string, unknown>; open: number }) {
  const list = Array.isArray(value)
  const size = list ? value.length : Object.keys(value).length
  const [unfolded, setUnfolded] = useState(open > 0 && size <= 200)
  const [shown, setShown] = useState(atOnce)
  const sum = list ? `[${whole(size)}]` : `{${whole(size)}}`
  if (size === 0) return <div class="leaf">{name !== undefined && <Key name={name} />}<span class="soft">{list ? '[]' : '{}'}</span></div>
  return (
    <div class="branch">
      <button type="button" class="node" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
        <span class="twist" aria-hidden="true" />{name !== undefined ? <span class="key">{name}</span> : <span class="soft">{list ? 'list' : 'object'}</span>} <span class="soft">{sum}</span>
      </button>
      {unfolded && (
        <div class="members">
          {Object.keys(value).slice(0, shown).map((key) => <Node key={key} name={key} value={(value as Record<string, unknown>)[key]} open={open - 1} />)}
          {size > shown && <button type="button" class="small" onClick={() => setShown(shown + 10 * atOnce)}>Show more of {whole(size)}</button>}
        </div>
      )}
    </div>
  )
}

function Leaf({ value }: { value: unknown }) {
  const [all, setAll] = useState(false)
  if (typeof value !== 'string') return <span class={value === null ? 'nil' : typeof value}>{String(value)}</span>
  if (value.length <= longText || all) return <span class="string">{value || '""'}</span>
  return <><span class="string">{value.slice(0, longText)}…</span> <button type="button" class="small" onClick={() => setAll(true)}>Show all {whole(value.length)} characters</button></>
}
