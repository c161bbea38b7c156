import { plural, whole } from '../lib/format'
import { zoom, type Range } from '../lib/zoom'
import { Icon } from '../parts/icons'
import { SearchField } from '../parts/search'
import type { View, ViewOptions } from '../worker/tree'

interface Props {
  options: ViewOptions
  onOptions: (options: ViewOptions) => void
  view: View | undefined
  errors: number | undefined // of the session
  range: Range | undefined
  full: Range | undefined
  onRange: (range: Range | undefined) => void
  folds: boolean // idle time
  onFolds: (folds: boolean) => void
  follow: boolean
  onFollow: ((follow: boolean) => void) | undefined
}

export function Toolbar(props: Props) {
  const { options, onOptions, view, errors } = props
  const only = (value: ViewOptions['only']) => onOptions({ ...options, only: options.only === value ? 'all' : value })
  const filtered = options.only !== 'all' || options.query.trim() !== ''
  return (
    <div class="toolbar">
      <SearchField label="Search in the timeline" hint="Search" value={options.query} onInput={(query) => onOptions({ ...options, query })} />
      <div class="chips" role="group" aria-label="Show only">
        <button type="button" class="chip failed" aria-pressed={options.only === 'errors'} onClick={() => only('errors')}><i /> Errors <b>{errors === undefined ? '' : whole(errors)}</b></button>
        <button type="button" class="chip waiting" aria-pressed={options.only === 'waits'} onClick={() => only('waits')}><i /> Waits</button>
        <button type="button" class="chip running" aria-pressed={options.only === 'running'} onClick={() => only('running')}><i /> Running</button>
        <button type="button" class="chip" aria-pressed={options.records} onClick={() => onOptions({ ...options, records: !options.records })}
          title="Also what is left out otherwise: heartbeats, hooks, phases, and what several sources report">All records</button>
      </div>
      {!!view?.turns.length && <Turns {...props} turns={view.turns} />}
      <span class="found" role="status">{filtered && view ? `${whole(view.hits)} found` : ''}</span>
      <ZoomButtons {...props} />
    </div>
  )
}

/** Folds all turns of the agent, or unfolds them. */
function Turns({ options, onOptions, turns }: Props & { turns: string[] }) {
  const folded = turns.every((turn) => options.collapsed.includes(turn))
  const others = options.collapsed.filter((key) => !turns.includes(key))
  return (
    <button type="button" class="small turns" aria-pressed={folded} onClick={() => onOptions({ ...options, collapsed: folded ? others : [...others, ...turns] })}
      title="From a prompt to the agent's rest">{folded ? 'Unfold' : 'Fold'} {plural(turns.length, 'turn')}</button>
  )
}

function ZoomButtons({ range, full, onRange, folds, onFolds, follow, onFollow }: Props) {
  const by = (factor: number) => full && onRange(zoom(range ?? full, full, factor))
  return (
    <div class="zoom" role="group" aria-label="Time">
      {onFollow && <button type="button" class="small" aria-pressed={follow} onClick={() => onFollow(!follow)} title="Keep the newest span in view (f)">Follow</button>}
      <button type="button" class="small" aria-pressed={folds} onClick={() => onFolds(!folds)} title="Leave out the time between turns and in which only a person was waited for">Fold idle time</button>
      <button type="button" class="quiet square" aria-label="Zoom out" title="Zoom out (−)" disabled={!range} onClick={() => by(2)}><Icon name="minus" /></button>
      <button type="button" class="quiet square" aria-label="Show all of the time" title="All of the time (0)" disabled={!range} onClick={() => onRange(undefined)}><Icon name="fit" /></button>
      <button type="button" class="quiet square" aria-label="Zoom in" title="Zoom in (+)" onClick={() => by(0.5)}><Icon name="plus" /></button>
    </div>
  )
}
