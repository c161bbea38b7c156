import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { keysOf, tabs, type Tab } from '../lib/fields'
import { traceLink, traceTool } from '../lib/format'
import { duration } from '../lib/time'
import type { Range } from '../lib/zoom'
import { CopyButton } from '../parts/copy'
import { Icon } from '../parts/icons'
import { health, lineOf, now } from '../state'
import { isError, isRunning, type Span } from '../worker/span'
import type { Attributes, SpanLine } from '../wire'
import { Fields } from './fields'
import { JSONTree } from './json-tree'
import { Overview } from './overview'

interface Props {
  span: Span
  session: string
  narrow: boolean
  onClose: () => void
  onZoom?: (range: Range) => void
}

// The reader who looks at outputs wants the next span's too.
let lastTab: Tab = 'Overview'

export function Panel({ span, narrow, onClose, onZoom }: Props) {
  const [tab, setTab] = useState<Tab>(lastTab)
  const { line, text, error } = useLine(span)
  const panel = useRef<HTMLElement>(null)
  lastTab = tab
  useEffect(() => {
    if (narrow) panel.current?.querySelector<HTMLElement>('.close')?.focus()
  }, [narrow])
  const template = health.use()?.trace_url ?? ''
  const href = traceLink(template, span.trace, span.id)
  const open = (span.flags & isRunning) !== 0
  return (
    <aside ref={panel} class="panel" aria-label="Chosen span">
      <header>
        <div class="panel-title">
          <h2>{span.label || span.name}</h2>
          <button type="button" class="quiet square close" aria-label="Close the panel" title="Close (Esc)" onClick={onClose}><Icon name="close" /></button>
        </div>
        <p class="soft sub">
          <span class={span.flags & isError ? 'bad' : ''}>{span.flags & isError ? 'Error · ' : ''}</span>
          {span.name} · {open ? 'no end yet' : duration(span.end - span.start)}{span.service && ` · ${span.service}`}
        </p>
        <div class="panel-actions">
          {href && <a class="button small" href={href} target="_blank" rel="noopener noreferrer"><Icon name="open" /> Open in {traceTool(template)}</a>}
          {onZoom && <button type="button" class="small" onClick={() => onZoom(around(span))}><Icon name="fit" /> Zoom to span</button>}
          <CopyButton text={text ?? ''} label="Copy JSON" />
        </div>
      </header>
      <TabList tab={tab} onTab={setTab} attributes={line?.attributes} />
      <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {!span.length ? <p class="nothing">This turn runs. What is in it is shown already; its own span comes when it ends.</p> : error ? <p class="nothing" role="alert">{error}</p> : line ? <Content tab={tab} line={line} text={text ?? ''} span={span} /> : <p class="nothing">Reading…</p>}
      </div>
    </aside>
  )
}

function around(span: Span): Range {
  const end = Number.isNaN(span.end) ? now.value : span.end
  const margin = Math.max((end - span.start) * 0.1, 0.5)
  return { from: span.start - margin, to: end + margin }
}

/** The span's whole line, read when it is chosen and again when a newer one came. */
function useLine(span: Span): { line?: SpanLine; text?: string; error?: string } {
  const [state, setState] = useState<{ of?: string; line?: SpanLine; text?: string; error?: string }>({})
  const key = span.trace + span.id
  useEffect(() => {
    if (!span.length) return
    let wanted = true
    lineOf(span).then(
      (text) => wanted && setState({ of: key, text, line: JSON.parse(text) as SpanLine }),
      (error: Error) => wanted && setState({ of: key, error: `The span cannot be read. ${error.message}` }),
    )
    return () => void (wanted = false)
  }, [key, span.session, span.offset, span.length])
  return state.of === key ? state : {}
}

function TabList({ tab, onTab, attributes }: { tab: Tab; onTab: (tab: Tab) => void; attributes: Attributes | undefined }) {
  const list = useRef<HTMLDivElement>(null)
  const filled = useMemo(() => new Set(tabs.filter((t) => attributes && keysOf(attributes, t).length > 0)), [attributes])
  const move = (event: KeyboardEvent) => {
    const at = tabs.indexOf(tab)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onTab(tabs[to % tabs.length]!)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to % tabs.length]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="What to show of the span" ref={list} onKeyDown={move}>
      {tabs.map((name) => (
        <button type="button" role="tab" id={`tab-${name}`} aria-selected={name === tab} aria-controls="tab-panel" tabIndex={name === tab ? 0 : -1}
          class={name === 'Overview' || name === 'Raw' || filled.has(name) ? '' : 'bare'} onClick={() => onTab(name)}>{name}</button>
      ))}
    </div>
  )
}

const absent: Record<Tab, string> = {
  Overview: '',
  Raw: '',
  Input: 'No input was recorded. A notification may have none, and a collector with capture.payloads: false records none at all.',
  Output: 'No output was recorded. The call may still be open, or a collector with capture.payloads: false records none at all.',
  Structured: 'The call gave no structured content.',
  State: 'No mcp.state.* or mcp.result.* attribute was sent with this span.',
}

function Content({ tab, line, text, span }: { tab: Tab; line: SpanLine; text: string; span: Span }) {
  if (tab === 'Overview') return <Overview line={line} span={span} />
  if (tab === 'Raw') return <div class="field"><header><h3>Line as stored</h3><CopyButton text={text} /></header><JSONTree value={line} open={2} /></div>
  const attributes = line.attributes ?? {}
  const keys = keysOf(attributes, tab)
  return keys.length ? <Fields attributes={attributes} keys={keys} /> : <p class="nothing">{absent[tab]}</p>
}
