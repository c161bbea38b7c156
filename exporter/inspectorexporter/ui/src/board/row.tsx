import { memo } from '../parts/memo'
import { age, parseTime } from '../lib/time'
import { cachedText, count, money, usageText, words } from '../lib/format'
import { callText, headline, people, place, since, tone } from '../lib/sessions'
import { StateBadge } from '../parts/badge'
import { Context } from '../parts/context'
import { address } from '../route'
import { now } from '../state'
import type { Session } from '../wire'

interface Props {
  row: Session
  index: number
  top: number
  height: number
}

export const Row = memo(function Row({ row, index, top, height }: Props) {
  const ended = row.state === 'done' || row.state === 'failed' || !!row.ended_at
  return (
    <div class={`row ${row.state}`} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)`, height: `${height}px` }}>
      <span role="cell" aria-colindex={1} class="c-state"><StateBadge state={row.state} /><small><Age from={since(row)} to={ended ? row.last_seen : undefined} back={ended} /></small></span>
      <span role="cell" aria-colindex={2} class="c-session"><a class="title" data-index={index} href={address(row.id)}>{row.title}</a><small>{[people(row) || row.id, place(row)].filter(Boolean).join(' · ')}</small></span>
      <Phase row={row} ended={ended} />
      <Context row={row} />
      <Model row={row} />
      <Tokens row={row} />
      <Task row={row} />
      <Calls row={row} ended={ended} />
      <span role="cell" aria-colindex={9} class={`c-errors${row.errors ? ' some' : ''}`}>{row.errors ? <>{count(row.errors)}<span class="wide-hide"> {row.errors === 1 ? 'error' : 'errors'}</span></> : <Nothing />}</span>
      <span role="cell" aria-colindex={10} class="c-seen"><Age from={row.last_seen} /><span class="wide-hide"> ago</span></span>
    </div>
  )
})

/** How long ago that was; for what has ended, how long ago it did. */
export function Age({ from, back }: { from: string; to?: string | undefined; back?: boolean }) {
  const time = now.use()
  return <time dateTime={from} title={from}>{age(time - parseTime(from))}{back ? ' ago' : ''}</time>
}

function Phase({ row, ended }: { row: Session; ended: boolean }) {
  if (!row.phase || ended) return <span role="cell" aria-colindex={3} class="c-phase"><Nothing /></span>
  return (
    <span role="cell" aria-colindex={3} class="c-phase">
      <span class={`phase-name p-${row.phase}`}><i /><span class="ellipsis">{words(row.phase)}</span></span>
      {row.phase_since && <small><Age from={row.phase_since} /></small>}
    </span>
  )
}

function Model({ row: { model, usage } }: { row: Session }) {
  const cost = usage?.cost_usd
  return (
    <span role="cell" aria-colindex={5} class="c-model">
      {!model && !cost && <Nothing />}
      {model && <span class="ellipsis" title={model}>{model}</span>}
      {!!cost && <small>{money(cost)}</small>}
    </span>
  )
}

/** What the model calls read and wrote in all. */
function Tokens({ row: { usage } }: { row: Session }) {
  if (!usage?.input_tokens && !usage?.output_tokens) return <span role="cell" aria-colindex={6} class="c-tokens"><Nothing /></span>
  return (
    <span role="cell" aria-colindex={6} class="c-tokens" title={usageText(usage)}>
      <span class="ellipsis">{count(usage.input_tokens ?? 0)} in · {count(usage.output_tokens ?? 0)} out</span>
      <small>{cachedText(usage)}</small>
    </span>
  )
}

function Nothing() {
  return <span class="none" aria-hidden="true">–</span>
}

function Task({ row }: { row: Session }) {
  const text = headline(row)
  return <span role="cell" aria-colindex={7} class={`c-task ${tone(row)}`}>{text ? <span class="clamp" title={text}>{text}</span> : <Nothing />}</span>
}

function Calls({ row, ended }: { row: Session; ended: boolean }) {
  const first = row.open_calls[0]
  if (!row.open_call_count || ended || !first) return <span role="cell" aria-colindex={8} class="c-calls"><Nothing /></span>
  const others = row.open_call_count - 1
  return (
    <span role="cell" aria-colindex={8} class="c-calls">
      <span class={`call${first.stuck ? ' stuck' : ''}`}><span class="ellipsis">{callText(first)}</span> {!first.stuck && <Age from={first.started_at} />}</span>
      {first.stuck ? <small class="stuck"><b>stuck</b> <Age from={first.started_at} />{others > 0 && ` + ${others} more`}</small> : <Others row={row} others={others} />}
    </span>
  )
}

function Others({ row, others }: { row: Session; others: number }) {
  const second = row.open_calls[1]
  if (others < 1) return null
  return <small>{others === 1 && second ? <>{callText(second)} <Age from={second.started_at} /></> : `+ ${others} more`}</small>
}
