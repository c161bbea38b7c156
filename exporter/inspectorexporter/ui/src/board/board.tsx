import { useEffect, useMemo, useState } from 'preact/hooks'
import { groupByHost, type Item } from '../lib/hosts'
import { whole } from '../lib/format'
import { orders, pick, type Order } from '../lib/sessions'
import { visibleAt } from '../lib/virtual'
import { stateName } from '../parts/badge'
import { recall, remember } from '../parts/remember'
import { SearchField } from '../parts/search'
import { isTyping } from '../parts/typing'
import { useNarrow, useWindow } from '../parts/use-window'
import { counts, failed, find, findMore, link, more, rows } from '../state'
import { states, type State } from '../wire'
import { Empty } from './empty'
import { Head } from './head'
import { Row } from './row'
import { Streams } from './streams'

// Kept while a session is looked at.
let kept: { q: string; states: State[]; order: Order; grouped: boolean; folded: ReadonlySet<string> } = {
  q: '', states: [], order: 'attention', grouped: recall('group-by-host') !== 'no', folded: new Set(),
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
  const items = useMemo(() => (filter.grouped ? groupByHost(picked, filter.folded) : picked.map((row) => ({ row, inGroup: false }))), [picked, filter])
  const change = (part: Partial<typeof filter>) => setFilter({ ...filter, ...part })
  const group = (grouped: boolean) => {
    remember('group-by-host', grouped ? 'yes' : 'no')
    change({ grouped })
  }
  const fold = (key: string) => {
    const folded = new Set(filter.folded)
    if (!folded.delete(key)) folded.add(key)
    change({ folded })
  }
  const filtered = filter.q.trim() !== '' || filter.states.length > 0
  return (
    <div class="board">
      <h1 class="unseen">Sessions</h1>
      <div class="toolbar">
        <SearchField label="Search sessions" value={filter.q} onInput={(q) => change({ q })} />
        <StateFilter chosen={filter.states} onChange={(chosen) => change({ states: chosen })} />
        <button type="button" class="chip group-by" aria-pressed={filter.grouped} onClick={() => group(!filter.grouped)} title="Sessions that may be of one agent are shown together">Group by host</button>
        <label class="order">
          <span>Sort</span>
          <select aria-label="Sort" value={filter.order} onChange={(e) => change({ order: e.currentTarget.value as Order })}>
            {orders.map((order) => <option value={order}>{orderNames[order]}</option>)}
          </select>
        </label>
      </div>
      <Streams />
      <Trouble />
      {items.length ? <List items={items} more={canMore} onFold={fold} /> : <Nothing filtered={filtered} onAll={() => change({ q: '', states: [] })} />}
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

function List({ items, more: canMore, onFold }: { items: Item[]; more: boolean; onFold: (key: string) => void }) {
  const narrow = useNarrow(860)
  const rowHeight = narrow ? 138 : 56
  const { box, top, height } = useWindow(items.length, rowHeight)
  const tops = useMemo(() => placesOf(items, rowHeight), [items, rowHeight])
  const window = visibleAt(tops, top, height)
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
        <div class="space" role="presentation" style={{ height: `${tops[items.length]}px` }}>
          {items.slice(window.from, window.to).map((item, i) => {
            const index = window.from + i
            if ('row' in item) return <Row key={item.row.id} row={item.row} inGroup={item.inGroup} index={index} top={tops[index]!} height={rowHeight} />
            return <Head key={item.group.key} group={item.group} folded={item.folded} columns={columns.length} index={index} top={tops[index]!} height={headHeight} onFold={onFold} />
          })}
        </div>
      </div>
    </div>
  )
}

const headHeight = 36

/** Where each row begins, and where the last one ends. */
function placesOf(items: Item[], rowHeight: number): number[] {
  const tops = [0]
  for (const item of items) tops.push(tops[tops.length - 1]! + ('row' in item ? rowHeight : headHeight))
  return tops
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
