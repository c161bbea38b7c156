import type { Session, State } from '../wire'
import { share } from './format'
import { agentOf, projectOf, since } from './sessions'

/** What a person has to do about a session. */
export const needs = ['needs', 'trouble', 'working', 'resting', 'ended'] as const
export type Need = (typeof needs)[number]

export const needNames: Record<Need, string> = { needs: 'Needs you', trouble: 'In trouble', working: 'Working', resting: 'Resting', ended: 'Ended' }

/** The states of the gateway that each of them is. */
export const statesOf: Record<Need, State[]> = { needs: ['waiting'], trouble: ['stalled', 'failed'], working: ['running'], resting: ['idle'], ended: ['done'] }

export function needOf({ state }: Session): Need {
  return needs.find((need) => statesOf[need].includes(state)) ?? 'working'
}

const sorts = ['attention', 'newest', 'cost', 'tokens', 'context', 'title'] as const
export type Sort = (typeof sorts)[number]
const groupings = ['need', 'project', 'agent', 'none'] as const
export type Grouping = (typeof groupings)[number]
export const ranges = { '': 0, '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const
export type RangeName = keyof typeof ranges

/** What the board shows, as its address says. */
export interface Filter {
  q: string
  needs: Need[]
  agent: string
  model: string
  project: string
  range: RangeName
  sort: Sort
  group: Grouping
}

export const noFilter: Filter = { q: '', needs: [], agent: '', model: '', project: '', range: '', sort: 'attention', group: 'need' }

function oneOf<T extends string>(list: readonly T[], value: string | null, otherwise: T): T {
  return list.find((known) => known === value) ?? otherwise
}

export function readFilter(search: string): Filter {
  const p = new URLSearchParams(search)
  const said = p.get('show')?.split(',') ?? []
  return {
    q: p.get('q') ?? '', needs: needs.filter((need) => said.includes(need)), agent: p.get('agent') ?? '', model: p.get('model') ?? '', project: p.get('project') ?? '',
    range: oneOf(Object.keys(ranges) as RangeName[], p.get('range'), ''), sort: oneOf(sorts, p.get('sort'), 'attention'), group: oneOf(groupings, p.get('group'), 'need'),
  }
}

export function writeFilter(filter: Filter): string {
  const p = new URLSearchParams()
  for (const key of ['q', 'agent', 'model', 'project', 'range', 'sort', 'group'] as const) if (filter[key] !== noFilter[key]) p.set(key, filter[key])
  if (filter.needs.length) p.set('show', filter.needs.join(','))
  return p.toString()
}

/** The filters that are set, in words: what to drop when nothing is found. */
export function filtersSet({ q, needs, agent, model, project, range }: Filter): string[] {
  const last = { '': '', '1h': 'in the last hour', '24h': 'in the last 24 hours', '7d': 'in the last 7 days' }[range]
  return [q.trim() && `with “${q.trim()}”`, needs.length && `that ${needs.length > 1 ? 'are' : 'is'} ${needs.map((need) => `“${needNames[need]}”`).join(' or ')}`,
    agent && `of ${agent}`, model && `with ${model}`, project && `in ${project}`, last].filter((word) => typeof word === 'string' && word !== '') as string[]
}

/** What the gateway too looks at for `q`. */
function matches(row: Session, q: string): boolean {
  const fields = [row.id, row.original_id, row.title, row.host, row.agent, row.server, row.current_task, row.trace_id, row.model, row.directory, row.branch,
    row.error, row.host_error?.message, row.waiting?.detail, row.waiting?.prompt, row.waiting?.tool, ...row.open_calls.flatMap((call) => [call.detail, call.about])]
  return fields.some((field) => field?.toLowerCase().includes(q))
}

export function pick(rows: Iterable<Session>, filter: Filter, now: number): Session[] {
  const q = filter.q.trim().toLowerCase()
  const from = filter.range ? now - ranges[filter.range] : 0
  const fits = (row: Session) => (!filter.needs.length || filter.needs.includes(needOf(row))) && (!filter.agent || agentOf(row) === filter.agent) && (!filter.model || row.model === filter.model) &&
    (!filter.project || projectOf(row) === filter.project) && (!from || Date.parse(row.last_seen) >= from) && (!q || matches(row, q))
  return [...rows].filter(fits).sort((a, b) => order[filter.sort](a, b) || latest(a.started_at, b.started_at) || (a.id < b.id ? -1 : 1))
}

const tokens = ({ usage }: Session) => (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)

const order: Record<Sort, (a: Session, b: Session) => number> = {
  // Of those that need somebody the longest wait comes first, else what happened last.
  attention: (a, b) => needs.indexOf(needOf(a)) - needs.indexOf(needOf(b)) || (needOf(a) === 'needs' ? -latest(since(a), since(b)) : needOf(a) === 'working' ? latest(a.started_at, b.started_at) : latest(since(a), since(b))),
  newest: (a, b) => latest(a.started_at, b.started_at),
  cost: (a, b) => (b.usage?.cost_usd ?? 0) - (a.usage?.cost_usd ?? 0) || tokens(b) - tokens(a),
  tokens: (a, b) => tokens(b) - tokens(a),
  context: (a, b) => (share(b.tokens) ?? -1) - (share(a.tokens) ?? -1),
  title: (a, b) => a.title.localeCompare(b.title),
}

// Times have as many digits as they need, so texts do not compare as times do; to the second they do.
function latest(a: string, b: string): number {
  const x = a.slice(0, 19), y = b.slice(0, 19)
  return x < y ? 1 : x > y ? -1 : Date.parse(b) - Date.parse(a)
}

/** A row of the board: a session, or the head of those that follow. */
export type Item = { row: Session } | { head: string; kind: string }

/** The rows with their heads: each group is where the first of its sessions is. */
export function itemsOf(rows: Session[], group: Grouping): Item[] {
  if (group === 'none') return rows.map((row) => ({ row }))
  const groups = new Map<string, Session[]>()
  for (const row of rows) {
    const key = group === 'need' ? needOf(row) : group === 'agent' ? agentOf(row) || 'Unknown agent' : projectOf(row) || 'No project'
    const known = groups.get(key)
    if (known) known.push(row)
    else groups.set(key, [row])
  }
  const keys = group === 'need' ? needs.filter((need) => groups.has(need)) : [...groups.keys()]
  return keys.flatMap((key) => [{ head: group === 'need' ? needNames[key as Need] : key, kind: group === 'need' ? key : '' }, ...groups.get(key)!.map((row) => ({ row }))])
}

/** What can be chosen of the sessions that are here. */
export function choicesOf(rows: Iterable<Session>): Record<'agent' | 'model' | 'project', string[]> {
  const found = { agent: new Set<string>(), model: new Set<string>(), project: new Set<string>() }
  for (const row of rows) {
    if (agentOf(row)) found.agent.add(agentOf(row))
    if (row.model) found.model.add(row.model)
    if (projectOf(row)) found.project.add(projectOf(row))
  }
  return { agent: [...found.agent].sort(), model: [...found.model].sort(), project: [...found.project].sort() }
}
