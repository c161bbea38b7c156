import { expect, test } from 'vitest'
import type { Stream, StreamKind } from '../wire'
import { daysOf, latest, streamName } from './streams'

const stream = (kind: StreamKind, day: string): Stream => ({
  id: `${kind}_${day}`, kind, day, items: 1, errors: 0, last_seen: `${day}T10:00:00Z`, trace_bytes: 1, trace_epoch: 1,
})
const all = [stream('messages', '2026-01-01'), stream('events', '2026-01-01'), stream('events', '2026-01-03'), stream('events', '2026-01-02')]

test('of each stream the latest day is shown', () => {
  expect(latest(all).map((s) => s.id)).toEqual(['events_2026-01-03', 'messages_2026-01-01'])
  expect(latest([])).toEqual([])
})

test('the days of a stream, the latest first', () => {
  expect(daysOf(all, 'events')).toEqual(['2026-01-03', '2026-01-02', '2026-01-01'])
})

test('a stream has a name, known or not', () => {
  expect(streamName('events_2026-01-03')).toBe('MCP Events')
  expect(streamName('logs_2026-01-03')).toBe('Connection logs')
  expect(streamName('messages_2026-01-03')).toBe('Messages without a session')
  expect(streamName('nonsense')).toBe('nonsense')
})
