import { expect, test } from 'vitest'
import { age, duration, parseTime, tick, ticks } from './time'

test('times keep what is below a millisecond', () => {
  expect(parseTime('2026-02-19T16:00:00Z')).toBe(Date.UTC(2026, 1, 19, 16))
  expect(parseTime('2026-02-19T16:00:00.123456789Z') - Date.UTC(2026, 1, 19, 16)).toBeCloseTo(123.457, 2)
  expect(parseTime('2026-02-19T17:00:00.5+01:00')).toBe(Date.UTC(2026, 1, 19, 16) + 500)
  expect(parseTime(undefined)).toBeNaN()
  expect(parseTime('soon')).toBeNaN()
})

test.each([
  [0, '0 ms'], [0.25, '250 µs'], [3.14, '3.1 ms'], [999, '999 ms'], [999.7, '1.00 s'], [12_345, '12.3 s'], [59_949, '59.9 s'], [59_960, '1m 00s'],
  [245_000, '4m 05s'], [3_600_000, '1h 00m'], [200_000_000, '2d 7h'], [-5, '0 ms'], [NaN, '–'],
])('%d ms are %s', (ms, text) => expect(duration(ms)).toBe(text))

test('ages count whole seconds', () => {
  expect(age(999)).toBe('0s')
  expect(age(61_500)).toBe('1m 01s')
  expect(age(-1)).toBe('0s')
})

test('marks of a scale are round and few', () => {
  expect(ticks(0, 600_000, 5)).toEqual([0, 120_000, 240_000, 360_000, 480_000, 600_000])
  for (const span of [0.003, 1, 7, 1300, 59_000, 3_700_000, 9e8]) {
    const marks = ticks(span / 3, span, 6)
    expect(marks.length).toBeGreaterThan(0)
    expect(marks.length).toBeLessThan(9)
    expect(marks.every((m) => m >= span / 3 - 1e-9 && m <= span)).toBe(true)
  }
  expect(ticks(5, 5, 4)).toEqual([])
})

test.each([[0, '0'], [0.25, '250 µs'], [2, '2 ms'], [1500, '1.5 s'], [90_000, '1m 30s'], [120_000, '2m'], [7_200_000, '2h'], [5_400_000, '1h 30m']])(
  'the mark at %d ms is %s', (ms, text) => expect(tick(ms)).toBe(text),
)
