import { expect, test } from 'vitest'
import { reveal, visible } from './virtual'
import { bar, pan, within, zoom } from './zoom'

test('only what is in view is drawn', () => {
  expect(visible(0, 280, 28, 50_000, 4)).toEqual({ from: 0, to: 14 })
  expect(visible(28_000, 280, 28, 50_000, 4)).toEqual({ from: 996, to: 1014 })
  expect(visible(1e9, 280, 28, 100, 4)).toEqual({ from: 100, to: 100 })
  expect(visible(0, 0, 28, 0, 4)).toEqual({ from: 0, to: 0 })
})

test('a row is brought into view with as little scrolling as it takes', () => {
  expect(reveal(100, 280, 28, 5)).toBe(100)
  expect(reveal(100, 280, 28, 1)).toBe(28)
  expect(reveal(0, 280, 28, 20)).toBe(308)
})

const whole = { from: 1000, to: 2000 }
test('zooming keeps the moment in its place and within the whole', () => {
  expect(zoom(whole, whole, 0.5)).toEqual({ from: 1250, to: 1750 })
  expect(zoom(whole, whole, 0.5, 1000)).toEqual({ from: 1000, to: 1500 })
  expect(zoom({ from: 1250, to: 1750 }, whole, 4)).toBeUndefined()
  expect(pan({ from: 1000, to: 1100 }, whole, -5)).toEqual({ from: 1000, to: 1100 })
  expect(within({ from: 1900, to: 2400 }, whole)).toEqual({ from: 1500, to: 2000 })
})

test('bars are cut to what is shown', () => {
  expect(bar(whole, 1250, 1500)).toEqual({ left: 25, width: 25 })
  expect(bar(whole, 0, 1500)).toEqual({ left: 0, width: 50 })
  expect(bar(whole, 1750, 9000)).toEqual({ left: 75, width: 25 })
  expect(bar(whole, 2001, 9000)).toBeUndefined()
})
