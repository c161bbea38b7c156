import { states, type OpenCall, type Session, type State } from '../wire'
import { share, words } from './format'

export const orders = ['attention', 'newest', 'last seen', 'context', 'tokens', 'cost', 'title'] as const
export type Order = (typeof orders)[number]

const by: Record<Order, (a: Session, b: Session) => number> = {
  attention: (a, b) => states.indexOf(a.state) - states.indexOf(b.state) || later(a.started_at, b.started_at),
  newest: (a, b) => later(a.started_at, b.started_at),
  'last seen': (a, b) => later(a.last_seen, b.last_seen),
  context: (a, b) => (share(b.tokens) ?? -1) - (share(a.tokens) ?? -1) || later(a.started_at, b.started_at),
  tokens: (a, b) => tokensOf(b) - tokensOf(a) || later(a.started_at, b.started_at),
  cost: (a, b) => (b.usage?.cost_usd ?? 0) - (a.usage?.cost_usd ?? 0) || tokensOf(b) - tokensOf(a) || later(a.started_at, b.started_at),
  title: (a, b) => a.title.localeCompare(b.title),
}

function tokensOf({ usage }: Session): number {
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)
}

// Times have as many digits as they need, so texts do not compare as times do; to the second they do.
function later(a: string, b: string): number {
  const x = a.slice(0, 19), y = b.slice(0, 19)
  return x < y ? 1 : x > y ? -1 : Date.parse(b) - Date.parse(a)
}

/** What the gateway too looks at for `q`. */
function matches(row: Session, q: string): boolean {
  const fields = [row.id, row.original_id, row.title, row.host, row.server, row.current_task, row.trace_id, row.model, row.directory, row.branch,
    row.error, row.waiting?.detail, row.waiting?.prompt, ...row.open_calls.map((call) => call.about)]
  return fields.some((field) => field?.toLowerCase().includes(q))
}

export function pick(rows: Iterable<Session>, q: string, wanted: State[], order: Order): Session[] {
  const text = q.trim().toLowerCase()
  const found: Session[] = []
  for (const row of rows) {
    if (wanted.length && !wanted.includes(row.state)) continue
    if (text && !matches(row, text)) continue
    found.push(row)
  }
  return found.sort((a, b) => by[order](a, b) || (a.id < b.id ? -1 : 1))
}

/** Since when the session is in its state. */
export function since(row: Session): string {
  return row.waiting?.since ?? row.stalled?.since ?? row.ended_at ?? ((row.state === 'idle' && row.phase_since) || row.started_at)
}

const reasons: Record<string, string> = {
  host_silent: 'No activity',
  call_stuck: 'No reply',
  silent: 'No activity for an hour',
}

const unheard = 'Not seen since the collector restarted'

/** What a person should know first: why it waits, stalls or failed; else what it does. */
export function headline(row: Session): string {
  if (row.state === 'waiting' && row.waiting) return asked(row.waiting)
  if (row.state === 'stalled' && row.stalled) {
    const why = row.restored && row.stalled.reason === 'silent' ? unheard : (reasons[row.stalled.reason] ?? row.stalled.reason)
    return row.stalled.detail ? `${why}: ${row.stalled.detail}` : why
  }
  if (row.state === 'failed') return row.error || row.end_reason || ''
  if (row.no_record_since) return `No record since ${row.no_record_since.slice(0, 16).replace('T', ' ')} UTC`
  if (row.host_error) return hostError(row.host_error)
  return row.restored ? unheard : task(row)
}

const cut = 100 // characters: longer titles are cut

/** What it works on, unless the title says so: it is made of the first prompt. */
function task({ current_task: task = '', title }: Session): string {
  const line = task.trim().split('\n', 1)[0]!
  return line === title || (title.length > cut && line.startsWith(title.replace(/…$/, ''))) ? '' : task
}

/** How much a person should mind: as the state says, but for an error of a host that works, or rests after it. */
export function tone({ state, host_error: error }: Session): State {
  if ((state !== 'running' && state !== 'idle') || !error) return state
  return error.retrying ? 'waiting' : 'failed'
}

/** What the host failed at, and whether it tries again: rate limit, retrying (3): Too many requests. */
export function hostError({ type, message, retrying, retry_count: tries }: NonNullable<Session['host_error']>): string {
  const kind = [words(type || 'error'), retrying && `retrying${tries ? ` (${tries})` : ''}`].filter(Boolean).join(', ')
  return message ? `${kind}: ${message}` : kind
}

/** What a person is asked: Bash: git push origin main. */
function asked({ kind, tool, detail, prompt, name }: NonNullable<Session['waiting']>): string {
  if (kind === 'question' && detail) return detail
  return [tool, detail].filter(Boolean).join(': ') || prompt || waitsFor(name)
}

/** What a call that runs is about: Bash: go test ./… */
export function callText({ name, detail, about }: OpenCall): string {
  return [detail || name, about].filter(Boolean).join(': ')
}

function waitsFor(name: string | undefined): string {
  return name === 'paused' ? 'Paused' : `Waits for ${name || 'a person'}`
}

export function people(row: Session): string {
  return [row.host, row.server].filter(Boolean).join(' → ')
}

const ends: Record<string, string> = {
  finished: 'finished', closed: 'connection closed', idle: 'after a long rest', stalled: 'given up without activity', evicted: 'to make room', shutdown: 'collector stopped', max_spans: 'too many spans', gone: 'process ended',
}

/** Why a session ended, in words. */
export function endText(reason: string): string {
  return ends[reason] ?? words(reason)
}

const sourceNames: Record<string, string> = {
  hooks: 'Hooks', otlp_logs: 'OTLP logs', otlp_spans: 'OTLP spans', tap: 'Tap', mcp: 'MCP', push: 'Push', inspector: 'Inspector',
}

/** What reported the session. */
export function sources(row: Session): string[] {
  return (row.sources ?? []).map((source) => sourceNames[source] ?? source)
}

/** shop, fix/cart: where the agent works. */
export function place({ directory = '', branch = '' }: Session): string {
  return [directory.replace(/[\\/]+$/, '').split(/[\\/]/).pop(), branch].filter(Boolean).join(', ')
}
