import { count, share } from '../lib/format'
import type { Session } from '../wire'

/** How full the context window is. */
export function Context({ row, cell = true }: { row: Session; cell?: boolean }) {
  const role = cell ? { role: 'cell' as const, 'aria-colindex': 4 } : {}
  if (!row.tokens) return <span {...role} class="c-context"><span class="none" aria-hidden="true">–</span></span>
  const percent = share(row.tokens)
  const level = percent === undefined ? '' : percent >= 90 ? 'full' : percent >= 75 ? 'high' : ''
  return (
    <span {...role} class="c-context">
      <span class="numbers">
        <span>{count(row.tokens.used)}{row.tokens.limit ? <span class="of"> / {count(row.tokens.limit)}</span> : ' tokens'}</span>
        {percent !== undefined && <span class={`percent ${level}`}>{Math.round(percent)}%</span>}
      </span>
      {percent !== undefined && <span class={`meter ${level}`} aria-hidden="true"><i style={{ width: `${Math.min(100, percent)}%` }} /></span>}
    </span>
  )
}
