import { expect, test } from 'vitest'
import { at, chart } from './chart'

const points = [{ time: 10, tokens: 100, cost: 1 }, { time: 30, tokens: 200, cost: 2 }]

test('the sums at a time', () => {
  expect(at(points, 5).tokens).toBe(0)
  expect(at(points, 10).tokens).toBe(100)
  expect(at(points, 29).tokens).toBe(100)
  expect(at(points, 99).cost).toBe(2)
  expect(at([], 1).tokens).toBe(0)
})

test('stairs fill their box, and end where all ends', () => {
  expect(chart(points, { from: 0, to: 40 }, 40, 400, 22)).toEqual({
    area: 'M0.0,22.0H100.0V12.0H300.0V2.0H400.0V22H0Z', tokens: 'M0.0,22.0H100.0V12.0H300.0V2.0H400.0', cost: 'M0.0,22.0H100.0V12.0H300.0V2.0H400.0',
  })
  expect(chart(points, { from: 0, to: 80 }, 40, 400, 22).cost).toMatch(/H200\.0$/)
})

test('a piece of time begins with what was before', () => {
  expect(chart(points, { from: 20, to: 40 }, 40, 100, 22).cost).toBe('M0.0,12.0H50.0V2.0H100.0')
  expect(chart([], { from: 0, to: 1 }, 1, 10, 10).cost).toBe('M0.0,10.0H10.0')
})
