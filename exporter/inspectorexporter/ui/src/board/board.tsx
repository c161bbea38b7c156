import { useEffect, useMemo, useState } from 'preact/hooks'
import { whole } from '../lib/format'
import { orders, pick, type Order } from '../lib/sessions'
import { stateName } from '../parts/badge'
import { SearchField } from '../parts/search'
import { isTyping } from '../parts/typing'
import { useNarrow, useWindow } from '../parts/use-window'
import { counts, failed, find, findMore, link, more, rows } from '../state'
import { states, type Session, type State } from '../wire'
import { Empty } from './empty'
import { Row } from './row'
import { Streams } from './streams'

// Kept while a session is looked at.
let kept: { q: string; states: State[]; order: Order } = {
  q: '', states: [], order: 'attention',
}

export function Board() {
  const [filter, setFilter] = useState(kept)
  const all = rows.use()
  const canMore = more.use()
  kept = filter
  useEffect(() => {
    const timer = setTimeout(() => find({ q: filter.q.trim(), states: filter.states }), 150)
    return () => clearTimeout(timer)
  }, [filter.q, filter.states])
  const picked = useMemo(() => pick(all.values(), filter.q, filter.states, filter.order), [all, filter])
  const change = (part: Partial<typeof filter>) => setFilter({ ...filter, ...part })
  const filtered = filter.q.trim() !== '' || filter.states.length > 0
  return (
    <div class="board">
      <h1 class="unseen">Sessions</h1>
      <div class="toolbar">
        <SearchField label="Search sessions" value={filter.q} onInput={(q) => change({ q })} />
        <StateFilter chosen={filter.states} onChange={(chosen) => change({ states: chosen })} />
        <label class="order">
          <span>Sort</span>
          <select aria-label="Sort" value={filter.order} onChange={(e) => change({ order: e.currentTarget.value as Order })}>
            {orders.map((order) => <option value={order}>{orderNames[order]}</option>)}
          </select>
        </label>
      </div>
      <Streams />
      <Trouble />
      {picked.length ? <List items={picked} more={canMore} /> : <Nothing filtered={filtered} onAll={() => change({ q: '', states: [] })} />}
    </div>
  )
}

const orderNames: Record<Order, string> = {
  attention: 'Needs attention', newest: 'Newest', 'last seen': 'Last seen', context: 'Context used', tokens: 'Tokens', cost: 'Cost', title: 'Title',
}

function Trouble() {
  const what = failed.use()
  return what ? <p class="trouble" role="alert">{what} Trying again.</p> : null
}

function StateFilter({ chosen, onChange }: { chosen: State[]; onChange: (chosen: State[]) => void }) {
  const known = counts.use()
  const toggle = (state: State) => onChange(chosen.includes(state) ? chosen.filter((s) => s !== state) : [...chosen, state])
  const sum = known && Object.values(known.counts).reduce((a, b) => a + b, 0)
  return (
    <div class="chips" role="group" aria-label="Show sessions that are">
      <button type="button" class="chip" aria-pressed={!chosen.length} onClick={() => onChange([])}>All <b>{sum === undefined ? '' : whole(sum)}</b></button>
      {states.map((state) => (
        <button type="button" class={`chip ${state}`} aria-pressed={chosen.includes(state)} onClick={() => toggle(state)}>
          <i /> {stateName(state)} <b>{known ? whole(known.counts[state] ?? 0) : ''}</b>
        </button>
      ))}
    </div>
  )
}

function Nothing({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  const known = counts.use()
  const state = link.use()
  if (filtered) {
    return (
      <div class="nothing">
        <h2>No session matches</h2>
        <p>None of the sessions that the gateway knows has this in its id, title, host, server, model, directory, branch, task or trace.</p>
        <button type="button" onClick={onAll}>Show all sessions</button>
      </div>
    )
  }
  if (!known) return <p class="nothing" role="status">{state === 'lost' ? 'The gateway does not answer. This page goes on by itself when it does.' : 'Reading sessions…'}</p>
  return <Empty />
}

const columns = ['State', 'Session', 'Phase', 'Context', 'Model, cost', 'Tokens', 'Task', 'Open calls', 'Errors', 'Seen']

function List({ items, more: canMore }: { items: Session[]; more: boolean }) {
  const narrow = useNarrow(860)
  const rowHeight = narrow ? 138 : 56
  const { box, window } = useWindow(items.length, rowHeight)
  useEffect(() => {
    if (canMore && window.to >= items.length - 1) findMore()
  }, [canMore, window.to, items.length])
  useRowKeys(box)
  return (
    <div class={`sessions${narrow ? ' cards' : ''}`} role="table" aria-label="Sessions" aria-rowcount={items.length + 1} aria-colcount={columns.length}>
      <div class="head" role="rowgroup">
        <div class="columns" role="row" aria-rowindex={1}>{columns.map((name, i) => <span role="columnheader" aria-colindex={i + 1} class={`h-${name.toLowerCase().replace(/\W+/g, '-')}`}>{name}</span>)}</div>
      </div>
      <div class="scroll" ref={box} role="rowgroup" tabIndex={-1}>
        <div class="space" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {items.slice(window.from, window.to).map((row, i) => <Row key={row.id} row={row} index={window.from + i} top={(window.from + i) * rowHeight} height={rowHeight} />)}
        </div>
      </div>
    </div>
  )
}

/** Arrows go from session to session; a link that has the focus is opened by Enter as any other. */
function useRowKeys(box: { current: HTMLDivElement | null }) {
  useEffect(() => {
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
