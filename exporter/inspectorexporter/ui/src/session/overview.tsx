import type { ComponentChildren } from 'preact'
import { keysOf } from '../lib/fields'
import { costNote, costText, whole } from '../lib/format'
import { outcome, statuses } from '../lib/status'
import { clock, duration, parseTime } from '../lib/time'
import { CopyButton } from '../parts/copy'
import { isDuplicate, isError, isRunning, isStitched, type Span, usageOf } from '../worker/span'
import type { SpanLine } from '../wire'

const shownAbove = ['mcp.status.code', 'session.id']
const shownOfErrors = ['mcp.error.message', 'mcp.error.code', ...shownAbove]

export function Overview({ line, span }: { line: SpanLine; span: Span }) {
  const attributes = line.attributes ?? {}
  const failed = (span.flags & isError) !== 0
  const keys = keysOf(attributes, 'Overview').filter((key) => !(failed ? shownOfErrors : shownAbove).includes(key))
  return (
    <>
      {(span.flags & isStitched) !== 0 && <p class="notice">From another trace, which a link ties to the call above it.</p>}
      {(span.flags & isDuplicate) !== 0 && <p class="notice">Another source reports the same: it counts once.</p>}
      <Facts line={line} span={span} />
      {keys.length > 0 && <section class="field"><header><h3>Attributes</h3></header><Table pairs={keys.map((key) => [key, attributes[key]])} /></section>}
      <Events line={line} />
      <Links line={line} />
      <Resource line={line} />
    </>
  )
}

function Facts({ line, span }: { line: SpanLine; span: Span }) {
  const running = (span.flags & isRunning) !== 0
  const rows: [string, ComponentChildren][] = [
    ['Status', <>{span.flags & isError ? <b class="bad">{outcome(line, running)}</b> : outcome(line, running)} <span class="soft">{statuses(line)}</span></>],
    ['Start', <time dateTime={line.start_time} title={line.start_time}>{clock(span.start)}</time>],
    ['Duration', running ? '–' : duration(span.end - span.start)],
    ...took(span),
    ['Service', span.service || '–'],
    ['Kind', (line.kind ?? '').replace('SpanKind.', '').toLowerCase() || '–'],
    ['Span', <ID text={span.id} />],
    ['Trace', <ID text={span.trace} />],
  ]
  if (span.parent) rows.splice(-1, 0, ['Parent', <ID text={span.parent} />])
  return <dl class="table facts-table">{rows.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
}

/** What a model call or a turn took. */
function took(span: Span): [string, ComponentChildren][] {
  const { input, output, cached, cost } = span
  const rows: [string, ComponentChildren][] = []
  if (input + output > 0) rows.push(['Tokens', <>{whole(input)} in · {whole(output)} out{cached > 0 && <span class="soft"> · {whole(cached)} cached</span>}</>])
  if (cost > 0) rows.push(['Cost', <>{costText(usageOf(span))}{span.estimated > 0 && <span class="soft"> · {costNote(usageOf(span))}</span>}</>])
  return rows
}

function ID({ text }: { text: string }) {
  return <><code>{text}</code> <CopyButton text={text} /></>
}

function Table({ pairs }: { pairs: [string, unknown][] }) {
  return <dl class="table">{pairs.map(([key, value]) => <div><dt>{key}</dt><dd>{show(value)}</dd></div>)}</dl>
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Events({ line }: { line: SpanLine }) {
  if (!line.events?.length) return null
  const start = parseTime(line.start_time)
  return (
    <section class="field">
      <header><h3>Events</h3></header>
      <ol class="events">
        {line.events.map((event) => (
          <li><span class="when">+{duration(parseTime(event.time) - start)}</span><div><b>{event.name}</b>{event.attributes && Object.keys(event.attributes).length > 0 && <Table pairs={Object.entries(event.attributes)} />}</div></li>
        ))}
      </ol>
    </section>
  )
}

function Links({ line }: { line: SpanLine }) {
  if (!line.links?.length) return null
  return (
    <section class="field">
      <header><h3>Links</h3></header>
      {line.links.map((link) => (
        <dl class="table"><div><dt>Trace</dt><dd><code>{link.context.trace_id.replace(/^0x/, '')}</code></dd></div><div><dt>Span</dt><dd><code>{link.context.span_id.replace(/^0x/, '')}</code></dd></div></dl>
      ))}
    </section>
  )
}

function Resource({ line }: { line: SpanLine }) {
  const pairs = Object.entries(line.resource?.attributes ?? {})
  if (!pairs.length) return null
  return <section class="field"><header><h3>Resource</h3></header><Table pairs={pairs} /></section>
}
