import { expect, test } from 'vitest'
import type { Session, State } from '../wire'
import { callText, headline, pick, place, since, sources, tone } from './sessions'

const row = (id: string, state: State, more: Partial<Session> = {}): Session => ({
  id, state, status: 'running', title: id, started_at: '2026-01-01T00:00:00Z', last_seen: '2026-01-01T00:00:00Z', open_calls: [], open_call_count: 0,
  errors: 0, span_count: 0, trace_bytes: 0, trace_epoch: 1, ...more,
})

const all = [
  row('done', 'done'), row('run', 'running', { tokens: { used: 9, limit: 10 } }), row('wait', 'waiting', { host: 'Claude' }), row('stall', 'stalled'),
  row('new', 'running', { started_at: '2026-01-01T00:00:00.5Z' }), row('fail', 'failed'),
]
const ids = (rows: Session[]) => rows.map((r) => r.id)

test('what needs a person comes first, then the newest', () => {
  expect(ids(pick(all, '', [], 'attention'))).toEqual(['stall', 'wait', 'new', 'run', 'fail', 'done'])
  expect(ids(pick(all, '', [], 'newest'))[0]).toBe('new')
  expect(ids(pick(all, '', [], 'context'))[0]).toBe('run')
})

test('search and filter', () => {
  expect(ids(pick(all, ' claude ', [], 'attention'))).toEqual(['wait'])
  expect(ids(pick(all, '', ['done', 'failed'], 'attention'))).toEqual(['fail', 'done'])
})

test('the headline says why', () => {
  expect(headline(row('a', 'waiting', { waiting: { prompt: 'Sure?', since: 't' } }))).toBe('Sure?')
  expect(headline(row('a', 'stalled', { stalled: { reason: 'call_stuck', detail: 'build', since: 't' } }))).toBe('No reply: build')
  expect(headline(row('a', 'failed', { error: 'no' }))).toBe('no')
  expect(headline(row('a', 'running', { current_task: 'work' }))).toBe('work')
  expect(headline(row('a', 'running', { title: 'Fix it', current_task: 'Fix it\nplease' }))).toBe('')
  expect(headline(row('a', 'running', { title: 'Fix it', current_task: 'Fix it again' }))).toBe('Fix it again')
  expect(headline(row('a', 'running', { current_task: 'work', restored: true }))).toMatch(/^Not seen since/)
  expect(headline(row('a', 'stalled', { stalled: { reason: 'silent', since: 't' }, restored: true }))).toMatch(/^Not seen since/)
  expect(since(row('a', 'running'))).toBe('2026-01-01T00:00:00Z')
})

test('the headline says that records stopped', () => {
  expect(headline(row('a', 'running', { no_record_since: '2026-01-01T10:02:03.5Z', current_task: 'work' }))).toBe('No record since 2026-01-01 10:02 UTC')
})

test('the headline says what is asked, and a call what it is about', () => {
  const asks = (waiting: Partial<NonNullable<Session['waiting']>>) => headline(row('w', 'waiting', { waiting: { since: 't', ...waiting } }))
  expect(asks({ kind: 'approval', tool: 'Bash', detail: 'git push origin main' })).toBe('Bash: git push origin main')
  expect(asks({ kind: 'question', tool: 'AskUserQuestion', detail: 'Which branch?' })).toBe('Which branch?')
  expect(asks({ kind: 'approval', name: 'approval' })).toBe('Waits for approval')
  const call = { span_id: '1', trace_id: '1', name: 'tool.call', started_at: 't' }
  expect(callText({ ...call, detail: 'Bash', about: 'go test ./...' })).toBe('Bash: go test ./...')
  expect(callText(call)).toBe('tool.call')
})

test('search finds what is asked, what runs and what went wrong', () => {
  const call = { span_id: '1', trace_id: '1', name: 'tool.call', started_at: 't', about: 'make release' }
  const rows = [
    row('wait', 'waiting', { waiting: { detail: 'git push', since: 't' } }), row('run', 'running', { open_calls: [call], open_call_count: 1 }),
    row('fail', 'failed', { error: 'No disk' }),
  ]
  for (const [q, id] of [['GIT', 'wait'], ['release', 'run'], ['disk', 'fail']] as const) expect(ids(pick(rows, q, [], 'attention'))).toEqual([id])
})

test('a session that was paused says so', () => {
  const wait = (name: string) => headline(row('w', 'waiting', { waiting: { name, since: '2026-01-01T00:00:00Z' } }))
  expect(wait('paused')).toBe('Paused')
  expect(wait('approval')).toBe('Waits for approval')
})

test('a host’s error says what is done about it', () => {
  const host_error = { type: 'rate_limit', message: 'Too many requests', retrying: true, retry_count: 3, time: '2026-01-01T00:00:00Z' }
  expect(headline(row('a', 'running', { host_error, current_task: 'work' }))).toBe('rate limit, retrying (3): Too many requests')
  expect(tone(row('a', 'running', { host_error }))).toBe('waiting')
  expect(tone(row('a', 'running', { host_error: { ...host_error, retrying: false } }))).toBe('failed')
  expect(tone(row('a', 'stalled', { host_error }))).toBe('stalled')
  expect(headline(row('a', 'running', { host_error: { time: '2026-01-01T00:00:00Z' } }))).toBe('error')
})

test('what took most comes first', () => {
  const took = [row('none', 'done'), row('few', 'done', { usage: { input_tokens: 5, cost_usd: 9 } }), row('many', 'done', { usage: { input_tokens: 5, output_tokens: 50 } })]
  expect(ids(pick(took, '', [], 'tokens'))).toEqual(['many', 'few', 'none'])
  expect(ids(pick(took, '', [], 'cost'))).toEqual(['few', 'many', 'none'])
})

test('where an agent works, and what tells of it', () => {
  expect(place(row('a', 'done', { directory: '/home/me/shop/', branch: 'fix/cart' }))).toBe('shop, fix/cart')
  expect(place(row('a', 'done', { directory: 'C:\\work\\shop' }))).toBe('shop')
  expect(place(row('a', 'done'))).toBe('')
  expect(sources(row('a', 'done', { sources: ['hooks', 'otlp_spans', 'new_one'] }))).toEqual(['Hooks', 'OTLP spans', 'new_one'])
})

test('an agent that rests comes behind those that work', () => {
  const idle = row('idle', 'idle', { phase: 'idle', phase_since: '2026-01-01T00:05:00Z' })
  expect(ids(pick([row('done', 'done'), idle, row('run', 'running')], '', [], 'attention'))).toEqual(['run', 'idle', 'done'])
  expect(since(idle)).toBe('2026-01-01T00:05:00Z')
  expect(tone({ ...idle, host_error: { time: 't' } })).toBe('failed')
})
