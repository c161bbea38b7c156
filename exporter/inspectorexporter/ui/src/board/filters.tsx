import { useMemo } from 'preact/hooks'
import { choicesOf, needNames, needs, statesOf, type Filter, type Grouping, type Need, type RangeName, type Sort } from '../lib/board'
import { whole } from '../lib/format'
import { SearchField } from '../parts/search'
import { useNarrow } from '../parts/use-narrow'
import { counts } from '../state'
import type { Session } from '../wire'

interface Props {
  filter: Filter
  rows: ReadonlyMap<string, Session>
  onChange: (part: Partial<Filter>) => void
}

const rangeNames: Record<RangeName, string> = { '': 'Any time', '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' }
const sortNames: Record<Sort, string> = { attention: 'Needs you first', newest: 'Newest first', cost: 'Highest cost first', tokens: 'Most tokens first', context: 'Fullest context first', title: 'By title' }
const groupNames: Record<Grouping, string> = { need: 'Group by state', project: 'Group by project', agent: 'Group by agent', none: 'No groups' }

export function Filters({ filter, rows, onChange }: Props) {
  const narrow = useNarrow(860)
  const choices = useMemo(() => choicesOf(rows.values()), [rows])
  return (
    <div class="toolbar">
      <SearchField label="Search titles, prompts, commands, errors" hint={narrow ? 'Search' : undefined} value={filter.q} onInput={(q) => onChange({ q })} />
      <Needs chosen={filter.needs} onChange={(chosen) => onChange({ needs: chosen })} />
      <details class="more-filters" open={!narrow}>
        <summary>Filters</summary>
        <div class="selects">
          <Choice name="Agent" all="All agents" value={filter.agent} of={choices.agent} onChange={(agent) => onChange({ agent })} />
          <Choice name="Model" all="All models" value={filter.model} of={choices.model} onChange={(model) => onChange({ model })} />
          <Choice name="Project" all="All projects" value={filter.project} of={choices.project} onChange={(project) => onChange({ project })} />
          <Named name="Time" value={filter.range} names={rangeNames} onChange={(range) => onChange({ range })} />
          <Named name="Group by" value={filter.group} names={groupNames} onChange={(group) => onChange({ group })} />
          <Named name="Sort by" value={filter.sort} names={sortNames} onChange={(sort) => onChange({ sort })} />
        </div>
      </details>
    </div>
  )
}

function Needs({ chosen, onChange }: { chosen: Need[]; onChange: (chosen: Need[]) => void }) {
  const known = counts.use()?.counts
  const toggle = (need: Need) => onChange(chosen.includes(need) ? chosen.filter((n) => n !== need) : [...chosen, need])
  return (
    <div class="chips" role="group" aria-label="Show sessions">
      {needs.map((need) => (
        <button type="button" class={`chip ${need}`} aria-pressed={chosen.includes(need)} onClick={() => toggle(need)}>
          <i /> {needNames[need]} <b>{known ? whole(statesOf[need].reduce((all, state) => all + (known[state] ?? 0), 0)) : ''}</b>
        </button>
      ))}
    </div>
  )
}

function Choice({ name, all, value, of, onChange }: { name: string; all: string; value: string; of: string[]; onChange: (value: string) => void }) {
  if (of.length < 2 && !value) return null
  return (
    <select aria-label={name} value={value} class={value ? 'set' : ''} onChange={(e) => onChange(e.currentTarget.value)}>
      <option value="">{all}</option>
      {(value && !of.includes(value) ? [value, ...of] : of).map((one) => <option value={one}>{one}</option>)}
    </select>
  )
}

function Named<T extends string>({ name, value, names, onChange }: { name: string; value: T; names: Record<T, string>; onChange: (value: T) => void }) {
  return (
    <label class="named"><span class="soft">{name}</span>
      <select aria-label={name} value={value} onChange={(e) => onChange(e.currentTarget.value as T)}>
        {(Object.keys(names) as T[]).map((key) => <option value={key}>{names[key]}</option>)}
      </select>
    </label>
  )
}
