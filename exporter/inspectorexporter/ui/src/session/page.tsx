import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { Range } from '../lib/zoom'
import { useEscape } from '../parts/use-escape'
import { useNarrow } from '../parts/use-narrow'
import { address, boardAddress, point, route, type View } from '../route'
import { arrange, isGone, now, rows, trace, type Trace } from '../state'
import type { ViewOptions } from '../worker/tree'
import { Conversation } from './conversation'
import { Header } from './header'
import { Panel } from './panel'
import { Toolbar } from './toolbar'
import { Waterfall } from './waterfall'

const plain: ViewOptions = { collapsed: [], query: '', only: 'all', records: false }

export function SessionPage({ id }: { id: string }) {
  const row = rows.use().get(id)
  const shown = trace.use()
  const current = shown.session === id ? shown : undefined
  const [options, setOptions] = useState(plain)
  const { view: wanted, span: selected } = route.use()
  const tab = tabOf(wanted, selected, current)
  const [range, setRange] = useState<Range>()
  const live = !row?.ended_at
  const [follow, setFollow] = useState(false)
  const [folds, setFolds] = useState(false)
  const full = useFull(current, live)
  const narrow = useNarrow(900)

  useEffect(() => {
    const wanted = tab === 'conversation' ? { ...plain, records: true } : options
    const timer = setTimeout(() => arrange(wanted), options.query ? 120 : 0)
    return () => clearTimeout(timer)
  }, [options, tab])
  const at = useSelected(current, selected)
  const select = useCallback((index: number) => {
    const span = index >= 0 ? trace.value.spans[index] : undefined
    point(address(id, span?.id, 'timeline'))
  }, [id])
  const closePanel = () => {
    select(-1)
    document.querySelector<HTMLElement>('.tree')?.focus()
  }
  useEscape(() => (selected && tab === 'timeline' ? closePanel() : (location.hash = boardAddress())))

  return (
    <div class={`session${tab === 'timeline' && at >= 0 && !isGone(current) ? ' with-panel' : ''}`}>
      <Header id={id} row={row} trace={current} selected={at} tab={tab} />
      {current?.failure && (isGone(current) || !full) ? (
        <Failure id={id} failure={current.failure} gone={isGone(current)} />
      ) : tab === 'conversation' ? (
        <div class="split">
          {current?.view && full && (row || current.ready) ? <Conversation trace={current} view={current.view} row={row} live={!!row && live} /> : <p class="nothing" role="status">{current?.ready ? 'This session has no spans yet.' : 'Reading…'}</p>}
        </div>
      ) : (
        <div class="split">
          <section class="main" aria-label="Spans" inert={narrow && at >= 0}>
            <Toolbar options={options} onOptions={setOptions} view={current?.view} errors={row?.errors} range={range} full={full} onRange={setRange}
              folds={folds} onFolds={setFolds} follow={follow} onFollow={live ? setFollow : undefined} />
            {current?.view && full ? (
              <Waterfall folds={folds} trace={current} view={current.view} row={row} full={full} range={range} onRange={setRange} options={options}
                onOptions={setOptions} selected={at} onSelect={select} follow={follow && live} onFollow={setFollow} narrow={narrow} live={live} />
            ) : (
              <p class="nothing" role="status">{current?.ready ? 'This session has no spans yet.' : 'Reading spans…'}</p>
            )}
          </section>
          {at >= 0 && current && (
            <Panel span={current.spans[at]!} session={id} narrow={narrow} onClose={closePanel} onZoom={setRange} />
          )}
        </div>
      )}
    </div>
  )
}

/** The conversation, unless a span is wanted or nothing was said in what is shown. */
function tabOf(wanted: View, span: string, current: Trace | undefined): 'conversation' | 'timeline' {
  if (wanted) return wanted
  return span || (current?.ready && current.view && !current.view.story) ? 'timeline' : 'conversation'
}

/** All of the session's time; while it lives, until now. */
function useFull(current: Trace | undefined, live: boolean): Range | undefined {
  const time = now.use()
  const view = current?.view
  return useMemo(() => {
    if (!view || !Number.isFinite(view.start)) return undefined
    // A clock that runs behind the sender's must not cut what has come; one hours ahead would squeeze it.
    const running = live && view.open && time > view.end && time - view.end < Math.max(600_000, view.end - view.start)
    return { from: view.start, to: Math.max(running ? time : view.end, view.start + 0.05) }
  }, [view, live && view?.open ? time : 0])
}

function useSelected(current: Trace | undefined, selected: string): number {
  return useMemo(() => {
    if (!selected || !current) return -1
    return current.spans.findIndex((span) => span.id === selected)
  }, [current?.view, current?.session, selected])
}

function Failure({ id, failure, gone }: { id: string; failure: { message: string }; gone: boolean }) {
  return (
    <div class="nothing" role="alert">
      <h2>{gone ? 'This session is not here' : 'The spans cannot be read'}</h2>
      <p>{gone ? <>Nothing of <code>{id}</code> has reached this gateway, or its files were removed after their time. It is shown here as soon as something comes.</> : `${failure.message} Trying again.`}</p>
      <a class="button" href="#/">All sessions</a>
    </div>
  )
}
