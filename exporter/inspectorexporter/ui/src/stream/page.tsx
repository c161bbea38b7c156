import { useEffect, useMemo, useState } from 'preact/hooks'
import { plural, whole } from '../lib/format'
import { daysOf, kindOf, streamName } from '../lib/streams'
import { age, parseTime } from '../lib/time'
import { Icon } from '../parts/icons'
import { SearchField } from '../parts/search'
import { useEscape } from '../parts/use-escape'
import { useNarrow } from '../parts/use-narrow'
import { boardAddress, route, streamAddress } from '../route'
import { Panel } from '../session/panel'
import { arrange, isGone, now, streams, trace } from '../state'
import type { Stream } from '../wire'
import { Items } from './items'

/** One day of what belongs to no session, the newest first. */
export function StreamPage({ id }: { id: string }) {
  const shown = trace.use()
  const current = shown.session === id ? shown : undefined
  const { span } = route.use()
  const [query, setQuery] = useState('')
  const narrow = useNarrow(900)
  useEffect(() => {
    const timer = setTimeout(() => arrange({ collapsed: [], query, only: 'all', records: true }), query ? 120 : 0)
    return () => clearTimeout(timer)
  }, [query])
  const at = useMemo(() => (span && current ? current.spans.findIndex((s) => s.id === span) : -1), [span, current?.view])
  const close = () => (location.hash = streamAddress(id))
  useEscape(() => (span ? close() : (location.hash = boardAddress())))
  return (
    <div class="session stream">
      <Head id={id} row={streams.use().get(id)} />
      <div class="split">
        <section class="main" aria-label="Items" inert={narrow && at >= 0}>
          <div class="toolbar"><SearchField label="Search items" value={query} onInput={setQuery} /><span class="found" role="status">{query && current?.view ? `${current.view.hits} found` : ''}</span></div>
          {isGone(current) ? <p class="nothing" role="alert">Nothing came on this day, or its file was removed after its time.</p>
            : current?.failure ? <p class="nothing" role="alert">{current.failure.message} Trying again.</p>
            : current?.view ? <Items trace={current} view={current.view} selected={at} /> : <p class="nothing" role="status">Reading…</p>}
        </section>
        {at >= 0 && current && <Panel span={current.spans[at]!} session={id} narrow={narrow} onClose={close} />}
      </div>
    </div>
  )
}

function Head({ id, row }: { id: string; row: Stream | undefined }) {
  const time = now.use()
  return (
    <header class="session-head">
      <div class="headline">
        <h1>{streamName(id)}</h1>
        <div class="actions">
          <Days id={id} />
          <a class="button" href={`/_inspector/trace/${encodeURIComponent(id)}?download=1`} download={`${id}.jsonl.gz`}><Icon name="download" /> <span class="label">Download</span></a>
        </div>
      </div>
      <dl class="facts">
        {row && <div class="fact"><dt>Items</dt><dd>{whole(row.items)}{row.errors > 0 && <span class="bad"> · {plural(row.errors, 'error')}</span>}</dd></div>}
        {row && <div class="fact"><dt>Last</dt><dd>{age(time - parseTime(row.last_seen))} ago</dd></div>}
      </dl>
    </header>
  )
}

function Days({ id }: { id: string }) {
  const kind = kindOf(id)
  const days = kind ? daysOf(streams.use().values(), kind) : []
  const day = id.slice(-10)
  if (!kind) return null
  return (
    <label class="order"><span>Day (UTC)</span>
      <select aria-label="Day, UTC" value={day} onChange={(e) => (location.hash = streamAddress(`${kind}_${e.currentTarget.value}`))}>
        {(days.includes(day) ? days : [day, ...days]).map((one) => <option value={one}>{one}</option>)}
      </select>
    </label>
  )
}
