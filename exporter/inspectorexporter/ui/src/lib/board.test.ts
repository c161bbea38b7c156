import { expect, test } from 'vitest'
import type { Session, State } from '../wire'
import { choicesOf, filtersSet, itemsOf, needOf, noFilter, pick, readFilter, writeFilter, type Filter } from './board'

const now = Date.parse('2026-01-01T01:00:00Z')

const row = (id: string, state: State, more: Partial<Session> = {}): Session => ({
  id, state, status: 'running', title: id, started_at: '2026-01-01T00:00:00Z', last_seen: '2026-01-01T00:00:00Z', open_calls: [], open_call_count: 0,
  errors: 0, span_count: 0, trace_bytes: 0, trace_epoch: 1, ...more,
})
const waits = (id: string, since: string) => row(id, 'waiting', { waiting: { since } })

const all = [
  row('done', 'done'), row('run', 'running', { tokens: { used: 9, limit: 10 } }), waits('short', '2026-01-01T00:50:00Z'), waits('long', '2026-01-01T00:10:00Z'), row('stall', 'stalled'),
  row('new', 'running', { started_at: '2026-01-01T00:00:00.5Z' }), row('fail', 'failed', { ended_at: '2026-01-01T00:20:00Z' }), row('rest', 'idle'),
]
const ids = (filter: Partial<Filter>, rows = all) => pick(rows, { ...noFilter, ...filter }, now).map((r) => r.id)
const shown = (filter: Partial<Filter>, rows = all) => itemsOf(pick(rows, { ...noFilter, ...filter }, now), filter.group ?? 'need').map((item) => ('row' in item ? item.row.id : `# ${item.head}`))

test('groups are by what a person must do, the longest wait first', () => {
  expect(shown({})).toEqual(['# Needs you', 'long', 'short', '# In trouble', 'fail', 'stall', '# Working', 'new', 'run', '# Resting', 'rest', '# Ended', 'done'])
  expect(all.map(needOf)).toEqual(['ended', 'working', 'needs', 'needs', 'trouble', 'working', 'trouble', 'resting'])
})

test('groups by project and agent', () => {
  const rows = [row('a', 'done', { directory: '/home/me/shop', host: 'codex' }), row('b', 'running', { directory: 'C:\\work\\api', agent: 'claude-code', host: 'sdk' }), row('c', 'done', { directory: '/srv/shop/' })]
  expect(shown({ group: 'project' }, rows)).toEqual(['# api', 'b', '# shop', 'a', 'c'])
  expect(shown({ group: 'agent' }, rows)).toEqual(['# claude-code', 'b', '# codex', 'a', '# Unknown agent', 'c'])
  expect(shown({ group: 'none' }, rows)).toEqual(['b', 'a', 'c'])
  expect(choicesOf(rows)).toEqual({ agent: ['claude-code', 'codex'], model: [], project: ['api', 'shop'] })
})

test('filters and search', () => {
  expect(ids({ needs: ['trouble'] })).toEqual(['fail', 'stall'])
  const call = { span_id: '1', trace_id: '1', name: 'tool.call', started_at: 't', about: 'make release' }
  const rows = [
    row('wait', 'waiting', { waiting: { detail: 'git push', since: '2026-01-01T00:00:00Z' } }), row('run', 'running', { open_calls: [call], open_call_count: 1, model: 'opus' }),
    row('fail', 'failed', { error: 'No disk', agent: 'codex', directory: '/src/api', last_seen: '2026-01-01T00:30:00Z' }),
  ]
  for (const [filter, id] of [[{ q: ' GIT ' }, 'wait'], [{ q: 'release' }, 'run'], [{ q: 'disk' }, 'fail'], [{ model: 'opus' }, 'run'], [{ agent: 'codex' }, 'fail'], [{ project: 'api' }, 'fail'], [{ range: '1h', q: 'disk' }, 'fail']] as [Partial<Filter>, string][]) expect(ids(filter, rows)).toEqual([id])
  expect(pick(rows, { ...noFilter, range: '1h' }, now + 600_000).map((r) => r.id)).toEqual(['fail'])
})

test('what took most comes first', () => {
  const took = [row('none', 'done'), row('few', 'done', { usage: { input_tokens: 5, cost_usd: 9 } }), row('many', 'done', { usage: { input_tokens: 5, output_tokens: 50 } })]
  expect(ids({ sort: 'tokens' }, took)).toEqual(['many', 'few', 'none'])
  expect(ids({ sort: 'cost' }, took)).toEqual(['few', 'many', 'none'])
  expect(ids({ sort: 'context' })[0]).toBe('run')
  expect(ids({ sort: 'newest' })[0]).toBe('new')
})

test('the address has all of it, and what is wrong in it is left out', () => {
  const filter: Filter = { q: 'a&b', needs: ['needs', 'trouble'], agent: 'codex', model: 'm 1', project: 'p', range: '7d', sort: 'cost', group: 'agent' }
  expect(readFilter(writeFilter(filter))).toEqual(filter)
  expect(writeFilter(noFilter)).toBe('')
  expect(readFilter('sort=evil&show=needs,evil&range=9y&group=x')).toEqual({ ...noFilter, needs: ['needs'] })
})

test('a filter without hits says which filter', () => {
  expect(filtersSet({ ...noFilter, q: 'x', needs: ['needs'], agent: 'codex', range: '24h' }).join(' ')).toBe('with “x” that is “Needs you” of codex in the last 24 hours')
  expect(filtersSet(noFilter)).toEqual([])
})
