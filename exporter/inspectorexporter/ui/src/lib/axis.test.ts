import { expect, test } from 'vitest'
import type { Span } from '../worker/span'
import { Axis, foldIdle } from './axis'

const second = 1000, minute = 60 * second
const span = (family: Span['family'], start: number, end: number) => ({ family, start, end, flags: 0 }) as Span

test('time between turns is folded, and what happens keeps its length', () => {
  const axis = foldIdle([span('workflow', 0, 60 * minute), span('turn', 0, minute), span('tool', 0, second), span('turn', 50 * minute, 52 * minute)], { from: 0, to: 52 * minute })
  expect(axis.gaps.map(({ from, to }) => [from, to])).toEqual([[minute, 50 * minute]])
  expect(axis.at(minute) - axis.at(0)).toBe(minute)
  expect(axis.at(52 * minute) - axis.at(50 * minute)).toBeCloseTo(2 * minute)
  expect(axis.at(50 * minute) - axis.at(minute)).toBeCloseTo(3 * minute * 0.015)
  for (const at of [0, second, 2 * minute, 30 * minute, 51 * minute]) expect(axis.back(axis.at(at))).toBeCloseTo(at)
})

test('a wait is folded while nothing else goes on', () => {
  const all = { from: 0, to: 40 * minute }
  const turn = span('turn', 0, 40 * minute), wait = span('wait', minute, 39 * minute)
  expect(foldIdle([turn, wait], all).gaps.map(({ from, to }) => [from, to])).toEqual([[minute, 39 * minute]])
  expect(foldIdle([turn, wait, span('tool', 0, NaN)], all).gaps).toEqual([])
})

test('a short pause stays, and an axis without gaps is the time', () => {
  expect(foldIdle([span('turn', 0, minute), span('turn', minute + 5 * second, 2 * minute)], { from: 0, to: 2 * minute }).gaps).toEqual([])
  expect(new Axis().at(5)).toBe(5)
  expect(new Axis().back(5)).toBe(5)
})
