import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { costText, usageText, words } from '../lib/format'
import { keyOf, type Step } from '../lib/story'
import { whyFailed } from '../lib/status'
import { clock, duration } from '../lib/time'
import { Icon } from '../parts/icons'
import { Markdown } from '../parts/markdown'
import { memo } from '../parts/memo'
import { useLine, useNear } from '../parts/use-line'
import { address } from '../route'
import { aboutOf, answerOf, promptOf } from '../lib/about'
import { isError, isRunning, type Span, usageOf } from '../worker/span'
import type { Attributes, Session, SpanLine } from '../wire'
import { Call } from './call'
import { Decision, wasRefused } from './decision'
import { Long } from './long'

interface Props {
  step: Step
  spans: Span[]
  row: Session | undefined
  live: boolean
  open: ReadonlySet<string>
  onToggle: (key: string) => void
}

export const StepItem = memo(function StepItem({ step, spans, row, live, open, onToggle }: Props) {
  const item = useRef<HTMLLIElement>(null)
  const near = useNear(item)
  const span = spans[step.at]!
  const { line } = useLine(span, near && span.length > 0)
  const prompt = useLine(spans[step.prompt], near).line
  const wire = useLine(spans[step.wire], near).line
  const asked = useLine(spans[step.asked], near).line
  const running = (span.flags & isRunning) !== 0
  const failed = (span.flags & isError) !== 0
  const body = {
    turn: () => <TurnHead span={span} row={row} running={running && live} prompt={promptOf({ ...prompt?.attributes, ...line?.attributes }) || spans[step.prompt]?.about || span.about} line={line} />,
    prompt: () => <Said who="You" text={textOf(line, promptOf) || span.about} />,
    answer: () => <Answer line={line} span={span} row={row} model={spans[step.said]} />,
    call: () => <Call span={span} line={line} wire={wire} live={live} asked={step.asked >= 0 ? { span: spans[step.asked]!, line: asked } : undefined} />,
    model: () => <ModelCall span={span} line={line} row={row} />,
    agent: () => <Agent span={span} open={open.has(keyOf(span))} running={running && live} onToggle={() => onToggle(keyOf(span))} />,
    wait: () => <Wait span={span} line={line} running={running && live} row={row} />,
    event: () => <Event span={span} line={line} />,
  }[step.kind]()
  if (!body) return null
  const refused = step.kind === 'call' && wasRefused(line?.attributes)
  return (
    <li ref={item} class={`step ${step.kind}-step${failed && !refused ? ' failed' : ''}`} data-key={keyOf(span)} tabIndex={-1} style={{ '--level': step.level }}>
      <div class="step-body">{body}</div>
      <Edge step={step} span={span} />
    </li>
  )
})

const textOf = (line: SpanLine | undefined, read: (attributes: Attributes) => string) => (line?.attributes ? read(line.attributes) : '')

/** When it was, with the way to all that is known about it. */
function Edge({ step, span }: { step: Step; span: Span }) {
  if (step.kind === 'answer') return <span class="edge" />
  const took = step.kind === 'model' ? usageText(usageOf(span)) : ''
  return (
    <a class="edge" href={address(span.session, span.id, 'timeline')} title={`${clock(span.start)}: show in the timeline`}>
      {took || (step.kind === 'turn' ? costText(usageOf(span)) : '')} <time dateTime={new Date(span.start).toISOString()}>{clock(span.start).slice(-12, -4)}</time>
    </a>
  )
}

function Said({ who, text, kind = 'you' }: { who: string; text: string; kind?: string }) {
  return (
    <div class={`said-box ${kind}`}>
      <b class="who">{who}</b>
      <Long text={text}>{(shown) => <Markdown text={shown} />}</Long>
    </div>
  )
}

function TurnHead({ span, row, running, prompt, line }: { span: Span; row: Session | undefined; running: boolean; prompt: string; line: SpanLine | undefined }) {
  return (
    <>
      <h2 class="turn-head">{span.label || 'Turn'}<span class="soft"> {running ? `${row?.agent ?? row?.host ?? 'The agent'} is at work` : Number.isNaN(span.end) ? '' : duration(span.end - span.start)}</span></h2>
      {prompt && <Said who="You" text={prompt} />}
      {line && span.flags & isError ? <Failure line={line} /> : null}
    </>
  )
}

const nameOf = (row: Session | undefined, span: Span) => row?.agent || row?.host || span.service || 'Agent'

/** What the turn came to, unless its last model call has just said it. */
function Answer({ line, span, row, model }: { line: SpanLine | undefined; span: Span; row: Session | undefined; model: Span | undefined }): ComponentChildren {
  const text = textOf(line, answerOf)
  if (!text || (model?.about && model.about === aboutOf('llm', line?.attributes ?? {}))) return <span class="unseen">End of {span.label || 'the turn'}</span>
  return <Said who={nameOf(row, span)} text={text} kind="agent" />
}

function Failure({ line }: { line: SpanLine }) {
  return <p class="why bad"><Icon name="failed" /> <span><Long text={whyFailed(line).text}>{(shown) => <>{shown}</>}</Long></span></p>
}

function ModelCall({ span, line, row }: { span: Span; line: SpanLine | undefined; row: Session | undefined }) {
  const text = textOf(line, answerOf) || span.about
  return (
    <>
      <span class="model-name"><i class="kind-mark llm" />{span.label || 'Model call'}{!Number.isNaN(span.end) && <span class="soft"> {duration(span.end - span.start)}</span>}</span>
      {text && <Said who={nameOf(row, span)} text={text} kind="agent" />}
      {line && span.flags & isError ? <Failure line={line} /> : null}
    </>
  )
}

function Agent({ span, open, running, onToggle }: { span: Span; open: boolean; running: boolean; onToggle: () => void }) {
  const took = [running ? 'at work' : Number.isNaN(span.end) ? 'no end recorded' : duration(span.end - span.start), costText(usageOf(span))].filter(Boolean).join(' · ')
  return (
    <>
      <button type="button" class="agent-fold" aria-expanded={open} onClick={onToggle}>
        <Icon name="caret" /> <i class="kind-mark agent" /><b>{span.label || 'Sub-agent'}</b> <span class="ellipsis">{span.about}</span> <span class="soft">{took}</span>
      </button>
      {span.error && <p class="why bad">{span.error}</p>}
    </>
  )
}

function Wait({ span, line, running, row }: { span: Span; line: SpanLine | undefined; running: boolean; row: Session | undefined }) {
  const attributes = line?.attributes ?? {}
  const what = String(attributes['mcp.wait.detail'] ?? attributes['mcp.signal.prompt'] ?? '') || span.about
  const now = running ? row?.waiting?.detail || row?.waiting?.prompt : ''
  return <p class={`wait-line${running ? ' now' : ''}`}><Icon name="waiting" /> <span>{running ? 'Waits for you' : 'Waited for a person'}{what || now ? `: ${what || now}` : ''} <Decision span={span} attributes={attributes} running={running} /></span></p>
}

function Event({ span, line }: { span: Span; line: SpanLine | undefined }) {
  const compacted = span.family === 'phase' || /compact/.test(span.name)
  if (compacted) return <p class="event-line"><span>The conversation was compacted{Number.isNaN(span.end) || span.end === span.start ? '' : ` in ${duration(span.end - span.start)}`}</span></p>
  const { 'mcp.error.message': message, 'mcp.host.error.type': type } = line?.attributes ?? {}
  const text = String(message ?? '') || span.error
  const what = /error$/.test(span.name) ? words(String(type || 'error')) : /stuck$/.test(span.name) ? 'No reply' : 'No activity'
  return <p class="why bad"><Icon name="stalled" /> <span>{what}{text && `: ${text}`}</span></p>
}
