import type { ComponentChildren } from 'preact'
import { cachedText, costNote, costText, count, plural, traceLink, traceTool, words } from '../lib/format'
import { exported } from '../lib/exported'
import { endText, headline, isUnheard, people, place, sources, tone } from '../lib/sessions'
import { age, clock, duration, parseTime } from '../lib/time'
import { StateBadge } from '../parts/badge'
import { Context } from '../parts/context'
import { Icon } from '../parts/icons'
import { address, type View } from '../route'
import { health, isGone, now, type Trace } from '../state'
import type { Session, Usage } from '../wire'
import { ExportMenu } from './export'

export function Header({ id, row, trace, selected, tab }: { id: string; row: Session | undefined; trace: Trace | undefined; selected: number; tab: View }) {
  const gone = isGone(trace)
  const template = health.use()?.trace_url ?? ''
  const span = trace && selected >= 0 ? trace.spans[selected] : undefined
  const traceID = span?.trace ?? row?.trace_id ?? ''
  const href = traceID ? traceLink(template, traceID, span?.id ?? row?.root_span_id ?? '') : ''
  return (
    <header class="session-head">
      <div class="headline">
        <h1>{gone ? 'No such session' : (row?.title ?? id)}</h1>
        {row && !gone && <StateBadge state={row.state} />}
        {!gone && <div class="actions">
          {href && <a class="button" href={href} target="_blank" rel="noopener noreferrer"><Icon name="open" /> <span class="label">Open in {traceTool(template)}</span></a>}
          {!exported && <ExportMenu id={id} />}
        </div>}
      </div>
      {row && !gone && <Facts row={row} />}
      {row && !gone && <Notice row={row} />}
      {!gone && (
        <nav class="views" aria-label="Views">
          <a href={address(id, '', 'conversation')} aria-current={tab === 'conversation' ? 'page' : undefined}>Conversation</a>
          <a href={address(id, '', 'timeline')} aria-current={tab === 'timeline' ? 'page' : undefined}>Timeline</a>
        </nav>
      )}
    </header>
  )
}

function Facts({ row }: { row: Session }) {
  const time = now.use()
  const start = parseTime(row.started_at)
  const end = row.ended_at ? parseTime(row.ended_at) : time
  const live = !row.ended_at
  return (
    <dl class="facts">
      {people(row) && <Fact name={row.server ? 'Client and server' : 'Agent'}>{people(row)}</Fact>}
      <Fact name="Started" minor><time dateTime={row.started_at} title={row.started_at}>{clock(start).slice(0, -4)}</time></Fact>
      <Fact name="Lasted">{live ? age(end - start) : duration(row.duration_ms ?? end - start)}</Fact>
      {live && row.phase && <Fact name="Phase"><span class={`phase-name p-${row.phase}`}><i /><span class="ellipsis">{words(row.phase)}</span></span>{row.phase_since && <span class="soft"> {age(time - parseTime(row.phase_since))}</span>}</Fact>}
      {row.errors > 0 && <Fact name="Errors"><span class="bad">{count(row.errors)}</span></Fact>}
      {!!row.turns && <Fact name="Turns" minor>{count(row.turns)}</Fact>}
      {row.tool_calls !== undefined && row.tool_calls > 0 && <Fact name="Tools" minor>{count(row.tool_calls)}{!!row.refusals && <span class="soft"> · {count(row.refusals)} refused</span>}</Fact>}
      {row.agents !== undefined && row.agents > 0 && <Fact name="Agents" minor>{count(row.agents)}</Fact>}
      {row.tokens && <div class="fact"><dt>Context</dt><dd><Context row={row} cell={false} /></dd></div>}
      {row.model && <Fact name="Model">{row.model}{!!row.llm_calls && <span class="soft"> · {plural(row.llm_calls, 'call')}</span>}</Fact>}
      {row.usage && <Took usage={row.usage} />}
      {place(row) && <Fact name={row.branch ? 'Directory, branch' : 'Directory'} minor><span class="ellipsis" title={row.directory}>{place(row)}</span></Fact>}
      {!!row.sources?.length && <Fact name="Sources" minor>{sources(row).join(', ')}</Fact>}
      {row.end_reason && row.end_reason !== 'finished' && <Fact name="Ended" minor>{endText(row.end_reason)}</Fact>}
      {row.unknown_from && row.unknown_until && <Fact name="May lack">what happened between {shortClock(row.unknown_from)} and {shortClock(row.unknown_until)}</Fact>}
    </dl>
  )
}

const shortClock = (time: string) => <time dateTime={time} title="The collector stood still or could not be reached.">{clock(parseTime(time)).slice(0, -4)}</time>

/** What the model calls took in all. */
function Took({ usage }: { usage: Usage }) {
  const { input_tokens: input = 0, output_tokens: output = 0, reasoning_output_tokens: reasoning } = usage
  const besides = [cachedText(usage), reasoning && `${count(reasoning)} reasoning`].filter(Boolean).join(' · ')
  return (
    <>
      {input + output > 0 && <Fact name="Tokens">{count(input)} in · {count(output)} out{besides && <span class="soft"> · {besides}</span>}</Fact>}
      {input + output > 0 && <Fact name="Cost"><span title={costNote(usage)}>{costText(usage) || 'unknown'}{!!usage.cost_estimated_usd && <span class="soft"> · estimated</span>}</span></Fact>}
    </>
  )
}

function Fact({ name, minor, children }: { name: string; minor?: boolean; children: ComponentChildren }) {
  return <div class={`fact${minor ? ' minor' : ''}`}><dt>{name}</dt><dd>{children}</dd></div>
}

/** Why a person should look, or what is being done. */
function Notice({ row }: { row: Session }) {
  const time = now.use()
  const text = headline(row)
  if (!text) return null
  const stopped = isUnheard(row)
  const troubled = !stopped && (row.state === 'running' || row.state === 'idle') && row.host_error
  const since = row.waiting?.since ?? row.stalled?.since ?? (troubled ? troubled.time : undefined)
  const shown = tone(row)
  const special = shown === 'waiting' || shown === 'stalled' || shown === 'failed'
  return (
    <p class={`notice ${special ? shown : ''}`}>
      {special ? <Icon name={troubled ? 'stalled' : shown} /> : !stopped && <span class="soft">Task</span>}
      <span>{text}</span>
      {special && since && <span class="soft">{row.ended_at ? `since ${clock(parseTime(since)).slice(0, -4)}` : `for ${age(time - parseTime(since))}`}</span>}
    </p>
  )
}
