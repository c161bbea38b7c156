import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { filtersSet, itemsOf, noFilter, pick, readFilter, statesOf, writeFilter, type Filter, type Item } from '../lib/board'
import { isTyping } from '../parts/typing'
import { useNarrow } from '../parts/use-narrow'
import { useRows } from '../parts/use-rows'
import { boardAddress, point, route } from '../route'
import { counts, failed, find, findMore, link, more, now, rows } from '../state'
import { AskToNotify } from './alerts'
import { Empty } from './empty'
import { Filters } from './filters'
import { Head, Row } from './row'
import { Streams } from './streams'
import { Totals } from './totals'

export function Board() {
  const { search } = route.use()
  const filter = useMemo(() => readFilter(search), [search])
  const all = rows.use()
  const canMore = more.use()
  const minute = Math.floor(now.use() / 60_000)
  useEffect(() => {
    const timer = setTimeout(() => find({ q: filter.q.trim(), states: filter.needs.flatMap((need) => statesOf[need]) }), 150)
    return () => clearTimeout(timer)
  }, [filter.q, filter.needs.join()])
  const picked = useMemo(() => pick(all.values(), filter, now.value), [all, filter, minute])
  const items = useMemo(() => itemsOf(picked, filter.group), [picked, filter.group])
  const change = (part: Partial<Filter>) => point(boardAddress(writeFilter({ ...filter, ...part })))
  return (
    <div class="board">
      <h1 class="unseen">Sessions</h1>
      <Filters filter={filter} rows={all} onChange={change} />
      <Totals />
      <AskToNotify />
      <Streams />
      <Trouble />
      {picked.length ? <List items={items} more={canMore} /> : <Nothing filter={filter} onAll={() => change(noFilter)} />}
    </div>
  )
}

function Trouble() {
  const what = failed.use()
  return what ? <p class="trouble" role="alert">{what} Trying again.</p> : null
}

function Nothing({ filter, onAll }: { filter: Filter; onAll: () => void }) {
  const known = counts.use()
  const state = link.use()
  const set = filtersSet(filter)
  if (set.length) {
    return (
      <div class="nothing">
        <h2>No session {set.join(' ')}</h2>
        <button type="button" onClick={onAll}>Show all sessions</button>
      </div>
    )
  }
  if (!known) return <p class="nothing" role="status">{state === 'lost' ? 'The collector does not answer. This page goes on by itself when it does.' : 'Reading sessions…'}</p>
  return <Empty />
}

const columns = ['Session', 'Agent, project', 'Model, context', 'Cost, tokens', 'Since']

// Where the reader was, for the way back.
let left = { id: '', top: 0 }

function List({ items, more: canMore }: { items: Item[]; more: boolean }) {
  const narrow = useNarrow(860)
  const rowHeight = narrow ? 84 : 54
  const heightOf = useCallback((index: number) => ('row' in items[index]! ? rowHeight : headHeight), [items, rowHeight])
  const { box, drawn, total } = useRows(items.length, heightOf)
  const last = drawn.at(-1)?.index ?? 0
  useEffect(() => {
    if (canMore && last >= items.length - 2) findMore()
  }, [canMore, last, items.length])
  useRowKeys(box)
  useWayBack(box)
  return (
    <div class={`sessions${narrow ? ' cards' : ''}`} role="table" aria-label="Sessions" aria-rowcount={items.length + 1} aria-colcount={columns.length}>
      <div class="head" role="rowgroup">
        <div class="columns" role="row" aria-rowindex={1}>{columns.map((name, i) => <span role="columnheader" aria-colindex={i + 1}>{name}</span>)}</div>
      </div>
      <div class="scroll" ref={box} role="rowgroup" tabIndex={-1}>
        <div class="space" role="presentation" style={{ height: `${total}px` }}>
          {drawn.map(({ index, start, size }) => {
            const item = items[index]
            if (!item) return null
            const place = { index, top: start, height: size }
            if ('row' in item) return <Row key={item.row.id} row={item.row} {...place} />
            return <Head key={`# ${item.head}`} head={item.head} kind={item.kind} columns={columns.length} {...place} />
          })}
        </div>
      </div>
    </div>
  )
}

const headHeight = 34

/** After the browser's Back the focus is on the session that was looked at. */
function useWayBack(box: { current: HTMLDivElement | null }) {
  const back = useRef(left)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!box.current || !back.current.id) return
    box.current.scrollTop = back.current.top
    const found = [...box.current.querySelectorAll<HTMLElement>('.title')].find((title) => title.dataset.id === back.current.id)
    if (found) {
      if (document.activeElement === document.body || document.activeElement?.id === 'main') found.focus({ preventScroll: true })
      back.current = { id: '', top: 0 }
    } else if (tries < 10) requestAnimationFrame(() => setTries(tries + 1))
  }, [tries])
  useEffect(() => {
    const element = box.current
    const note = (event: Event) => {
      const title = (event.target as HTMLElement).closest<HTMLElement>('a.title')
      if (title) left = { id: title.dataset.id ?? '', top: element?.scrollTop ?? 0 }
    }
    element?.addEventListener('click', note)
    return () => element?.removeEventListener('click', note)
  }, [])
}

/** Arrows go from session to session; a link that has the focus is opened by Enter as any other. */
function useRowKeys(box: { current: HTMLDivElement | null }) {
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
      if (!step || isTyping(event) || !box.current) return
      const links = [...box.current.querySelectorAll<HTMLElement>('.title')]
      links.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
      const at = links.indexOf(document.activeElement as HTMLElement)
      const next = at < 0 ? links.find((l) => l.getBoundingClientRect().top >= box.current!.getBoundingClientRect().top) : links[at + step]
      if (!next) return
      event.preventDefault()
      next.focus()
      next.closest('[role=row]')?.scrollIntoView({ block: 'nearest' })
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}
