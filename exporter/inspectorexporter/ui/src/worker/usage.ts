import type { Attributes } from '../wire'

/** What a model call or a turn took: tokens and US dollars. */
export interface Took {
  input: number // with what came from a cache
  output: number
  cached: number // read from a cache, part of input
  cost: number
}

export const nothing: Took = { input: 0, output: 0, cached: 0, cost: 0 }

function amount(attributes: Attributes, key: string): number {
  const n = Number(attributes[key] ?? NaN)
  return n >= 0 && Number.isFinite(n) ? n : 0
}

/** What a span says that it took. */
export function tookOf(attributes: Attributes): Took {
  return {
    input: amount(attributes, 'gen_ai.usage.input_tokens'),
    output: amount(attributes, 'gen_ai.usage.output_tokens'),
    cached: amount(attributes, 'gen_ai.usage.cache_read.input_tokens'),
    cost: amount(attributes, 'mcp.llm.cost_usd'),
  }
}

/** All that was taken up to a time, in ms since 1970. */
export interface Point {
  time: number
  tokens: number
  cost: number
}

const most = 400 // points of one series: more cannot be told apart

/** The sums over time of calls in any order. */
export function series(calls: { time: number; took: Took }[]): Point[] {
  const sorted = [...calls].sort((a, b) => a.time - b.time)
  let tokens = 0, cost = 0
  const points = sorted.map(({ time, took }) => ({ time, tokens: (tokens += took.input + took.output), cost: (cost += took.cost) }))
  const step = Math.ceil(points.length / most)
  return points.filter((_, i) => i % step === step - 1 || i === points.length - 1)
}
