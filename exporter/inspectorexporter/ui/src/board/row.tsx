import { memo } from '../parts/memo'
import { age, parseTime } from '../lib/time'
import { count, sparkline, words } from '../lib/format'
import { headline, people, since } from '../lib/sessions'
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
  const ended = row.state === 'done' || row.state === 'failed'
  return (
    <div class={`row ${row.state}`} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)`, height: `${height}px` }}>
      <span role="cell" class="c-state"><StateBadge state={row.state} /><small><Age from={since(row)} to={ended ? row.last_seen : undefined} back={ended} /></small></span>
      <span role="cell" class="c-session"><a class="title" data-index={index} href={address(row.id)}>{row.title}</a><small>{people(row) || row.id}</small></span>
      <Phase row={row} ended={ended} />
      <Context row={row} />
      <Spark row={row} />
      <Task row={row} />
      <Calls row={row} ended={ended} />
      <span role="cell" class={`c-errors${row.errors ? ' some' : ''}`}>{row.errors ? <>{count(row.errors)}<span class="wide-hide"> {row.errors === 1 ? 'error' : 'errors'}</span></> : <span class="none" aria-hidden="true">–</span>}</span>
      <span role="cell" class="c-seen"><Age from={row.last_seen} /><span class="wide-hide"> ago</span></span>
    </div>
  )
})

/** How long ago that was; for what has ended, how long ago it did. */
function Age({ from, back }: { from: string; to?: string | undefined; back?: boolean }) {
  const time = now.use()
  return <time dateTime={from} title={from}>{age(time - parseTime(from))}{back ? ' ago' : ''}</time>
}

function Phase({ row, ended }: { row: Session; ended: boolean }) {
  if (!row.phase || ended) return <span role="cell" class="c-phase"><span class="none" aria-hidden="true">–</span></span>
  return (
    <span role="cell" class="c-phase">
      <span class={`phase-name p-${row.phase}`}><i />{words(row.phase)}</span>
      {row.phase_since && <small><Age from={row.phase_since} /></small>}
    </span>
  )
}

function Spark({ row }: { row: Session }) {
  const points = (row.tokens_spark ?? []).map((p) => ({ x: parseTime(p.time), y: p.used }))
  const line = sparkline(points, 80, 22)
  const label = line ? `Tokens from ${count(points[0]!.y)} to ${count(points[points.length - 1]!.y)}` : ''
  return (
    <span role="cell" class="c-tokens">
      {line ? <svg class="spark" viewBox="0 -2 80 26" width="80" height="26" role="img" aria-label={label}><polyline points={line} /></svg> : <span class="none" aria-hidden="true">–</span>}
    </span>
  )
}

function Task({ row }: { row: Session }) {
  const text = headline(row)
  return <span role="cell" class={`c-task ${row.state}`}>{text ? <span class="clamp" title={text}>{text}</span> : <span class="none" aria-hidden="true">–</span>}</span>
}

function Calls({ row, ended }: { row: Session; ended: boolean }) {
  const first = row.open_calls[0]
  if (!row.open_call_count || ended || !first) return <span role="cell" class="c-calls"><span class="none" aria-hidden="true">–</span></span>
  const others = row.open_call_count - 1
  return (
    <span role="cell" class="c-calls">
      <span class={`call${first.stuck ? ' stuck' : ''}`}><span class="ellipsis">{first.detail || first.name}</span> {!first.stuck && <Age from={first.started_at} />}</span>
      {first.stuck ? <small class="stuck"><b>stuck</b> <Age from={first.started_at} />{others > 0 && ` + ${others} more`}</small> : <Others row={row} others={others} />}
    </span>
  )
}

function Others({ row, others }: { row: Session; others: number }) {
  const second = row.open_calls[1]
  if (others < 1) return null
  return <small>{others === 1 && second ? <>{second.detail || second.name} <Age from={second.started_at} /></> : `+ ${others} more`}</small>
}
