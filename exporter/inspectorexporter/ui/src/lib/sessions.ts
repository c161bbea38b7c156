import type { OpenCall, Session, State } from '../wire'
import { words } from './format'
import { clock, parseTime } from './time'

/** The agent as a person calls it. */
export function agentOf(row: Session): string {
  return row.agent ?? row.host ?? ''
}

/** The folder that it works in. */
export function projectOf({ directory = '' }: Pick<Session, 'directory'>): string {
  return directory.replace(/[\\/]+$/, '').split(/[\\/]/).pop()!
}

/** Since when the session is in its state. */
export function since(row: Session): string {
  return row.waiting?.since ?? row.stalled?.since ?? row.ended_at ?? ((row.state === 'idle' && row.phase_since) || row.started_at)
}

const unheard = 'Not seen since the collector restarted'

/** What a person should know first: why it waits, stalls or failed; else what it does. */
export function headline(row: Session): string {
  if (row.state === 'waiting' && row.waiting) return asked(row.waiting)
  if (row.state === 'stalled' && row.stalled) return stalled(row.stalled)
  if (row.state === 'failed') return row.error || (row.end_reason ? `Ended: ${endText(row.end_reason)}` : '')
  if (isUnheard(row)) return row.no_record_since ? `No record since ${clock(parseTime(row.no_record_since)).slice(0, -7)}` : unheard
  if (row.host_error) return hostError(row.host_error)
  const [call] = row.open_calls
  return row.state === 'running' && call?.about ? callText(call) : row.current_task ? task(row) : row.state === 'running' && call ? callText(call) : ''
}

/** Reports whether an open session is no longer heard of: its state is that of then. */
export function isUnheard(row: Session): boolean {
  return !!row.no_record_since || !!row.restored
}

/** What hangs, or what the agent did before nothing more came of it. */
function stalled({ reason, detail }: NonNullable<Session['stalled']>): string {
  if (reason === 'call_stuck') return detail ? `No reply: ${detail}` : 'No reply'
  return detail ? `No activity (was ${words(detail)})` : 'No activity'
}

const cut = 100 // characters: longer titles are cut

/** What it works on, unless the title says so: it is made of the first prompt. */
function task({ current_task: task = '', title }: Session): string {
  const line = task.trim().split('\n', 1)[0]!
  return line === title || (title.length > cut && line.startsWith(title.replace(/…$/, ''))) ? '' : task
}

/** How much a person should mind: as the state says, but for an error of a host that works, or rests after it. */
export function tone(row: Session): State {
  const { state, host_error: error } = row
  if ((state !== 'running' && state !== 'idle') || !error || isUnheard(row)) return state
  return error.retrying ? 'waiting' : 'failed'
}

/** What the host failed at, and whether it tries again: rate limit, retrying (3): Too many requests. */
function hostError({ type, message, retrying, retry_count: tries }: NonNullable<Session['host_error']>): string {
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
export function place(row: Session): string {
  return [projectOf(row), row.branch].filter(Boolean).join(', ')
}
