import { memo } from '../parts/memo'
import { age, parseTime } from '../lib/time'
import { costNote, costText, count, plural, usageText } from '../lib/format'
import { agentOf, headline, place, since, tone } from '../lib/sessions'
import { stateName } from '../parts/badge'
import { Context } from '../parts/context'
import { Icon, type IconName } from '../parts/icons'
import { address } from '../route'
import { now } from '../state'
import type { Session } from '../wire'

interface Place {
  index: number
  top: number
  height: number
}

const at = ({ top, height }: Place) => ({ transform: `translateY(${top}px)`, height: `${height}px` })

/** What the sessions below have in common. */
export const Head = memo(function Head({ head, kind, columns, ...place }: Place & { head: string; kind: string; columns: number }) {
  return (
    <div class={`row group ${kind}`} role="row" aria-rowindex={place.index + 2} style={at(place)}>
      <span role="cell" aria-colindex={1} aria-colspan={columns}><h2>{head}</h2></span>
    </div>
  )
})

export const Row = memo(function Row({ row, ...spot }: Place & { row: Session }) {
  const what = headline(row)
  const server = row.server && row.server !== agentOf(row) ? row.server : ''
  return (
    <div class={`row ${row.state}`} role="row" aria-rowindex={spot.index + 2} style={at(spot)}>
      <span role="cell" aria-colindex={1} class="c-session">
        <span class={`mark-state ${row.state}`} title={stateName(row.state)}><Icon name={row.state as IconName} /><span class="unseen">{stateName(row.state)}</span></span>
        <span class="c-words">
          <a class="title" data-index={spot.index} data-id={row.id} href={address(row.id)}>{row.title}</a>
          <small class={`c-task ${tone(row)}`} title={what}>{what}</small>
        </span>
        {row.errors > 0 && row.state !== 'failed' && <span class="c-errors">{plural(row.errors, 'error')}</span>}
      </span>
      <span role="cell" aria-colindex={2} class="c-agent"><span class="ellipsis">{agentOf(row) || row.id}{server && <span class="soft"> → {server}</span>}</span><small>{place(row)}</small></span>
      <Model row={row} />
      <Took row={row} />
      <span role="cell" aria-colindex={5} class="c-since"><Since row={row} /></span>
    </div>
  )
})

/** How long ago that was. */
function Age({ from }: { from: string }) {
  const time = now.use()
  return <time dateTime={from} title={from}>{age(time - parseTime(from))}</time>
}

const sinceWords: Record<string, string> = { waiting: 'waits', stalled: 'stuck', failed: 'failed', done: 'ended', idle: 'rests' }

function Since({ row }: { row: Session }) {
  const ended = row.state === 'done' || row.state === 'failed'
  return <>{sinceWords[row.state] ?? ''} <Age from={row.state === 'running' ? row.open_calls[0]?.started_at ?? row.last_seen : since(row)} />{ended && ' ago'}</>
}

function Model({ row }: { row: Session }) {
  return (
    <span role="cell" aria-colindex={3} class="c-model">
      <span class="ellipsis" title={row.model}>{row.model}</span>
      {row.tokens && <Context row={row} cell={false} />}
    </span>
  )
}

/** What the model calls took in all. */
function Took({ row: { usage } }: { row: Session }) {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {}
  return (
    <span role="cell" aria-colindex={4} class="c-took" title={usage && [usageText(usage), costNote(usage) || (usage.cost_usd ? 'Cost as the agent reported it' : 'The agent reports no cost, and its model has no list price')].filter(Boolean).join('\n')}>
      {!!usage?.cost_usd && <b>{costText(usage)}</b>}
      {input + output > 0 && !usage?.cost_usd && <span class="soft">cost unknown</span>}
      {input + output > 0 && <small>{count(input)} in · {count(output)} out</small>}
    </span>
  )
}
