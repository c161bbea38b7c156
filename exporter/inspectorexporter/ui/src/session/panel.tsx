import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keysOf } from '../lib/fields'
import { traceLink, traceTool } from '../lib/format'
import { duration } from '../lib/time'
import type { Range } from '../lib/zoom'
import { CopyButton } from '../parts/copy'
import { Icon } from '../parts/icons'
import { useLine } from '../parts/use-line'
import { health, now } from '../state'
import { isError, isRunning, type Span } from '../worker/span'
import { whyFailed } from '../lib/status'
import type { SpanLine } from '../wire'
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

const tabs = ['Content', 'Details', 'JSON'] as const
type Tab = (typeof tabs)[number]

// The reader who looks at details wants the next span's too.
let lastTab: Tab = 'Content'

export function Panel({ span, narrow, onClose, onZoom }: Props) {
  const [chosen, setChosen] = useState<Tab>(lastTab)
  const { line, text, error } = useLine(span)
  const shown = tabs.filter((name) => name !== 'Content' || !line || hasContent(line, span))
  const tab = shown.includes(chosen) ? chosen : 'Details'
  const panel = useRef<HTMLElement>(null)
  lastTab = chosen
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
          <h2>{span.label || span.name}{span.about && <span class="about">{span.about}</span>}</h2>
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
      <TabList tab={tab} tabs={shown} onTab={setChosen} />
      <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {error ? <p class="nothing" role="alert">{error}</p> : line ? <Content tab={tab} line={line} text={text ?? ''} span={span} /> : <p class="nothing">Reading…</p>}
      </div>
    </aside>
  )
}

function around(span: Span): Range {
  const end = Number.isNaN(span.end) ? now.value : span.end
  const margin = Math.max((end - span.start) * 0.1, 0.5)
  return { from: span.start - margin, to: end + margin }
}

function TabList({ tab, tabs, onTab }: { tab: Tab; tabs: Tab[]; onTab: (tab: Tab) => void }) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => { // of another span another tab may be chosen than the one with the focus; the next key must find it there
    if (list.current?.contains(document.activeElement)) list.current.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
  }, [tab])
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
        <button type="button" role="tab" id={`tab-${name}`} aria-selected={name === tab} aria-controls="tab-panel" tabIndex={name === tab ? 0 : -1} onClick={() => onTab(name)}>{name}</button>
      ))}
    </div>
  )
}

const contents = ['Input', 'Output', 'Structured', 'State'] as const

function hasContent(line: SpanLine, span: Span): boolean {
  return (span.flags & isError) !== 0 || contents.some((part) => keysOf(line.attributes ?? {}, part).length > 0)
}

function Content({ tab, line, text, span }: { tab: Tab; line: SpanLine; text: string; span: Span }): ComponentChildren {
  if (tab === 'Details') return <Overview line={line} span={span} />
  if (tab === 'JSON') return <div class="field"><header><h3>Line as stored</h3><CopyButton text={text} /></header><JSONTree value={line} open={2} /></div>
  const attributes = line.attributes ?? {}
  const why = whyFailed(line)
  return (
    <>
      {(span.flags & isError) !== 0 && <p class="notice failed"><span class="pre">{why.code && <b>{why.code} </b>}{why.text}</span></p>}
      {contents.map((part) => <Fields attributes={attributes} keys={keysOf(attributes, part).filter((key, i, all) => all.findIndex((other) => attributes[other] === attributes[key]) === i)} />)}
    </>
  )
}
