import { expect, test } from 'vitest'
import type { Session, State } from '../wire'
import { callText, headline, place, since, sources, tone } from './sessions'

const row = (id: string, state: State, more: Partial<Session> = {}): Session => ({
  id, state, status: 'running', title: id, started_at: '2026-01-01T00:00:00Z', last_seen: '2026-01-01T00:00:00Z', open_calls: [], open_call_count: 0,
  errors: 0, span_count: 0, trace_bytes: 0, trace_epoch: 1, ...more,
})

test('the headline says why', () => {
  expect(headline(row('a', 'waiting', { waiting: { prompt: 'Sure?', since: 't' } }))).toBe('Sure?')
  expect(headline(row('a', 'stalled', { stalled: { reason: 'call_stuck', detail: 'build', since: 't' } }))).toBe('No reply: build')
  expect(headline(row('a', 'failed', { error: 'no' }))).toBe('no')
  expect(headline(row('a', 'running', { current_task: 'work' }))).toBe('work')
  expect(headline(row('a', 'running', { title: 'Fix it', current_task: 'Fix it\nplease' }))).toBe('')
  expect(headline(row('a', 'running', { title: 'Fix it', current_task: 'Fix it again' }))).toBe('Fix it again')
  expect(headline(row('a', 'running', { current_task: 'work', restored: true }))).toMatch(/^Not seen since/)
  expect(headline(row('a', 'stalled', { stalled: { reason: 'host_silent', detail: 'waiting_approval', since: 't' } }))).toBe('No activity (was waiting approval)')
  expect(since(row('a', 'running'))).toBe('2026-01-01T00:00:00Z')
})

test('the headline says that records stopped', () => {
  expect(headline(row('a', 'running', { no_record_since: '2026-01-01T10:02:03.5Z', current_task: 'work' }))).toMatch(/^No record since 01 Jan 2026, \d\d:02$/)
  const host_error = { type: 'rate_limit', retrying: true, time: '2026-01-01T10:02:03Z' }
  expect(tone(row('a', 'running', { no_record_since: '2026-01-01T10:02:03.5Z', host_error }))).toBe('running')
})

test('the headline says what is asked, and a call what it is about', () => {
  const asks = (waiting: Partial<NonNullable<Session['waiting']>>) => headline(row('w', 'waiting', { waiting: { since: 't', ...waiting } }))
  expect(asks({ kind: 'approval', tool: 'Bash', detail: 'git push origin main' })).toBe('Bash: git push origin main')
  expect(asks({ kind: 'question', tool: 'AskUserQuestion', detail: 'Which branch?' })).toBe('Which branch?')
  expect(asks({ kind: 'approval', name: 'approval' })).toBe('Waits for approval')
  const call = { span_id: '1', trace_id: '1', name: 'tool.call', started_at: 't' }
  expect(callText({ ...call, detail: 'Bash', about: 'go test ./...' })).toBe('Bash: go test ./...')
  expect(callText(call)).toBe('tool.call')
  expect(headline(row('r', 'running', { current_task: 'Test', open_calls: [{ ...call, detail: 'Bash', about: 'go test ./...' }], open_call_count: 1 }))).toBe('Bash: go test ./...')
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

test('where an agent works, and what tells of it', () => {
  expect(place(row('a', 'done', { directory: '/home/me/shop/', branch: 'fix/cart' }))).toBe('shop, fix/cart')
  expect(place(row('a', 'done', { directory: 'C:\\work\\shop' }))).toBe('shop')
  expect(place(row('a', 'done'))).toBe('')
  expect(sources(row('a', 'done', { sources: ['hooks', 'otlp_spans', 'new_one'] }))).toEqual(['Hooks', 'OTLP spans', 'new_one'])
})

test('an agent that rests does so since its phase began', () => {
  const idle = row('idle', 'idle', { phase: 'idle', phase_since: '2026-01-01T00:05:00Z' })
  expect(since(idle)).toBe('2026-01-01T00:05:00Z')
  expect(tone({ ...idle, host_error: { time: 't' } })).toBe('failed')
})
