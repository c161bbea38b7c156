import { costNote, usageText } from '../lib/format'
import { duration } from '../lib/time'
import { bar } from '../lib/zoom'
import { Icon } from '../parts/icons'
import { memo } from '../parts/memo'
import { isDuplicate, isError, isNotice, isRunning, isStitched, type Span, usageOf } from '../worker/span'
import { hasChildren, isCollapsed, isElsewhere, isHit } from '../worker/tree'

interface Props {
  span: Span
  at: number
  index: number
  top: number
  height: number
  depth: number
  marks: number
  from: number
  to: number
  left: number // where the span is drawn between these
  right: number
  until: number // its end, or how far a span that runs has come
  live: boolean
  selected: boolean
  filtered: boolean
  onSelect: (index: number) => void
  onToggle: (row: number) => void
}

const deepest = 14 // levels of indentation

/** What a row says of itself, beside its name. */
function states({ span, marks, live }: Props): string[] {
  const said: string[] = []
  if (span.flags & isError) said.push('error')
  if (span.flags & isRunning) said.push(live ? 'running' : 'no end recorded')
  if (marks & isElsewhere) said.push(`service ${span.service}`)
  if (span.flags & isStitched) said.push('other trace')
  if (span.flags & isDuplicate) said.push('repeats another span')
  return said
}

export const SpanRow = memo(function SpanRow(props: Props) {
  const { span, at, index, depth, marks, selected } = props
  const classes = ['span', span.family]
  if (span.flags & isError) classes.push('bad')
  if (span.flags & isRunning) classes.push(props.live ? 'open' : 'lost')
  if (span.flags & isDuplicate) classes.push('twin')
  if (selected) classes.push('selected')
  if (props.filtered && !(marks & isHit)) classes.push('dim')
  const foldable = (marks & hasChildren) !== 0
  return (
    <div id={`span-${at}`} class={classes.join(' ')} role="row" aria-level={depth + 1} aria-rowindex={at + 1} aria-selected={selected}
      aria-expanded={foldable ? !(marks & isCollapsed) : undefined} style={{ transform: `translateY(${props.top}px)`, height: `${props.height}px` }}
      onClick={() => props.onSelect(index)}>
      <span class="name" role="gridcell" style={{ paddingLeft: `${6 + Math.min(depth, deepest) * 14}px` }}>
        <span class={`caret${foldable ? '' : ' leaf'}${marks & isCollapsed ? '' : ' down'}`} onClick={(e) => foldable && (e.stopPropagation(), props.onToggle(at))} aria-hidden="true">
          {foldable && <Icon name="caret" />}
        </span>
        <i class="kind" aria-hidden="true" />
        <span class="words" title={span.name}><b>{span.label || span.name}</b>{span.about && <span class="soft"> · {span.about}</span>}{span.error && <span class="bad"> — {span.error}</span>}</span>
        <Took span={span} />
        <Tags span={span} marks={marks} />
        <span class="unseen">{states(props).join(', ')}</span>
      </span>
      <span class="line" role="gridcell"><Bar {...props} /></span>
      <span class="length" role="gridcell">{lengthOf(props)}</span>
    </div>
  )
})

function lengthOf({ span, until, live }: Props): string {
  if (span.flags & isNotice) return ''
  return span.flags & isRunning && !live ? 'no end' : duration(until - span.start)
}

/** What a model call or a turn took. */
function Took({ span }: { span: Span }) {
  if (!span.input && !span.output && !span.cost) return null
  const usage = usageOf(span)
  return <span class="took" title={[usageText(usage), costNote(usage)].filter(Boolean).join('\n')}>{usageText({ ...usage, cache_read_input_tokens: 0 })}</span>
}

function Tags({ span, marks }: Pick<Props, 'span' | 'marks'>) {
  const elsewhere = (marks & isElsewhere) !== 0
  const joined = (span.flags & isStitched) !== 0
  if (!elsewhere && !(joined && !span.service)) return null
  return (
    <span class={`service${joined ? ' joined' : ''}`} title={joined ? `Tied by a link: a trace of ${span.service || 'another service'}` : `Service ${span.service}`} aria-hidden="true">
      {joined && <Icon name="joined" />}<span>{span.service || 'other trace'}</span>
    </span>
  )
}

function Bar({ span, from, to, left, right }: Props) {
  const placed = bar({ from, to }, left, right)
  if (!placed) return null
  const point = (span.flags & isNotice) !== 0
  return <i class={point ? 'point' : 'bar'} style={{ left: `${placed.left}%`, width: point ? '' : `${placed.width}%` }} />
}
