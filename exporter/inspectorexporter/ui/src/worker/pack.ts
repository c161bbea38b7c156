import type { Family, Span } from './span'

const texts = ['id', 'trace', 'parent', 'name', 'label', 'about', 'error', 'service', 'family', 'session'] as const
const numbers = ['start', 'end', 'flags', 'offset', 'length', 'input', 'output', 'cached', 'cost', 'estimated'] as const

/** Spans as columns: a tenth of what it costs to hand over as many objects. */
export interface Packed {
  at: Int32Array // which they are
  words: string[] // each text once
  texts: Int32Array // of each span, in the order of `texts`
  numbers: Float64Array // likewise
}

export function pack(at: number[], spans: Span[]): Packed {
  const words: string[] = []
  const known = new Map<string, number>()
  const refer = (word: string) => {
    let index = known.get(word)
    if (index === undefined) known.set(word, (index = words.push(word) - 1))
    return index
  }
  const packed = { at: Int32Array.from(at), words, texts: new Int32Array(at.length * texts.length), numbers: new Float64Array(at.length * numbers.length) }
  let t = 0, n = 0
  for (const span of spans) {
    for (const key of texts) packed.texts[t++] = refer(span[key])
    for (const key of numbers) packed.numbers[n++] = span[key]
  }
  return packed
}

/** Puts the spans to their places. */
export function unpack(packed: Packed, into: Span[]): void {
  const { at, words } = packed
  for (let i = 0; i < at.length; i++) {
    const t = i * texts.length, n = i * numbers.length
    const number = (k: number) => packed.numbers[n + k]!
    const word = (k: number) => words[packed.texts[t + k]!]!
    into[at[i]!] = {
      id: word(0), trace: word(1), parent: word(2), name: word(3), label: word(4), about: word(5), error: word(6), service: word(7), family: word(8) as Family, session: word(9),
      start: number(0), end: number(1), flags: number(2), offset: number(3), length: number(4),
      input: number(5), output: number(6), cached: number(7), cost: number(8), estimated: number(9),
    }
  }
}
