import { expect, test } from 'vitest'
import type { Session } from '../wire'
import { groupByHost, stateCounts, type Item } from './hosts'

const row = (id: string, more: Partial<Session> = {}): Session => ({
  id, state: 'running', status: 'running', title: id, host: 'goose', workflow_type: 'mcp_session', started_at: '2026-01-01T00:00:00Z', last_seen: '2026-01-01T00:00:00Z',
  open_calls: [], open_call_count: 0, errors: 0, span_count: 0, trace_bytes: 0, trace_epoch: 1, ...more,
})
const tap = (id: string, host_id: string, more: Partial<Session> = {}) => row(id, { host_id, ...more })
const beats = (id: string, more: Partial<Session> = {}) => row(id, { workflow_type: 'host_session', ...more })
const agent = (id: string, more: Partial<Session> = {}) => row(id, { workflow_type: 'host_session', sources: ['hooks', 'tap'], ...more })
const none = new Set<string>()
const told = (items: Item[]) => items.map((item) => ('group' in item ? `${item.group.name}:${item.group.rows.length}` : (item.inGroup ? '-' : '') + item.row.id))
const of = (...rows: Session[]) => told(groupByHost(rows, none))

test('the taps of one process are one group, with its heartbeats', () => {
  expect(of(tap('a', 'h-1'), row('other', { host: 'x' }), tap('b', 'h-1'), tap('c', 'h-2'))).toEqual(['goose:2', '-a', '-b', 'other', 'c'])
  expect(of(tap('a', 'h-1'), beats('h-1'))).toEqual(['goose:2', '-a', '-h-1'])
  expect(of(tap('a', 'h-1'), tap('b', 'h-2'), beats('h-2'))).toEqual(['a', 'goose:2', '-b', '-h-2'])
})

test('heartbeats that say no process are of the only one', () => {
  expect(of(tap('a', 'h-1'), beats('m'))).toEqual(['goose:2', '-a', '-m'])
  expect(of(tap('a', 'h-1'), tap('b', 'h-2'), beats('m'))).toEqual(['a', 'b', 'm'])
  expect(of(row('a'), beats('m'))).toEqual(['goose:2', '-a', '-m'])
  expect(of(row('a'), row('b'))).toEqual(['a', 'b'])
  expect(of(agent('a'), row('m', { server: 'otelcol-mcp' }))).toEqual(['goose:2', '-a', '-m'])
})

test('an agent that reports itself is in a group only if it is the only one', () => {
  expect(of(agent('s'), tap('a', 'h-1'))).toEqual(['goose:2', '-s', '-a'])
  expect(of(agent('s'), agent('t'), tap('a', 'h-1'))).toEqual(['s', 't', 'a'])
  expect(of(agent('s'), agent('t'))).toEqual(['s', 't'])
  expect(of(agent('s', { host: 'codex' }), tap('a', 'h-1', { host: 'codex-mcp-client', agent: 'codex' }))).toEqual(['codex:2', '-s', '-a'])
})

test('what was over before the others began is not of them', () => {
  const before = { started_at: '2025-12-31T00:00:00Z', ended_at: '2025-12-31T01:00:00Z', state: 'done' } as const
  expect(of(beats('m', before), tap('a', 'h-1'))).toEqual(['m', 'a'])
  expect(of(tap('b', 'h-1', before), tap('a', 'h-1'))).toEqual(['goose:2', '-b', '-a'])
})

test('the head has the worst state, and a folded group only its head', () => {
  const items = groupByHost([tap('a', 'h-1', { errors: 2 }), tap('b', 'h-1', { state: 'stalled', errors: 1, last_seen: '2026-01-01T00:00:09Z' })], new Set(['goose h-1']))
  expect(told(items)).toEqual(['goose:2'])
  const { group } = items[0] as Extract<Item, { group: unknown }>
  expect([group.worst, group.errors, group.seen, stateCounts(group)]).toEqual(['stalled', 3, '2026-01-01T00:00:09Z', '1 stalled, 1 running'])
})
