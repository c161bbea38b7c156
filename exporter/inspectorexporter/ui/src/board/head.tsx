import { plural } from '../lib/format'
import { stateCounts, type Group } from '../lib/hosts'
import { StateBadge } from '../parts/badge'
import { Icon } from '../parts/icons'
import { memo } from '../parts/memo'
import { Age } from './row'

interface Props {
  group: Group
  folded: boolean
  columns: number
  index: number
  top: number
  height: number
  onFold: (key: string) => void
}

/** The head of sessions that may be of one agent; ← and → fold as they do in the waterfall. */
export const Head = memo(function Head({ group, folded, columns, index, top, height, onFold }: Props) {
  const key = (event: KeyboardEvent) => {
    if (event.key !== (folded ? 'ArrowRight' : 'ArrowLeft')) return
    event.preventDefault()
    onFold(group.key)
  }
  return (
    <div class={`row group ${group.worst}`} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)`, height: `${height}px` }}>
      <span role="cell" aria-colindex={1} aria-colspan={columns}>
        <button type="button" class="title" data-index={index} aria-expanded={!folded} onClick={() => onFold(group.key)} onKeyDown={key}
          title="These sessions may be of one agent. Nothing that was sent says so for certain.">
          <span class="caret"><Icon name="caret" /></span>
          <StateBadge state={group.worst} />
          <b class="ellipsis">{group.name}</b>
          <span class="soft">{plural(group.rows.length, 'session')}: {stateCounts(group)}</span>
          <span class="group-end">
            {group.errors > 0 && <span class="bad">{plural(group.errors, 'error')}</span>}
            <span class="soft"><Age from={group.seen} /> ago</span>
          </span>
        </button>
      </span>
    </div>
  )
})
