// Writes the price table of internal/prices from the data of an npm package: what makers of
// models that coding agents use ask for text, in US dollars per million tokens.
// Usage: node table.mjs FILE
import { readFileSync, writeFileSync } from 'node:fs'
import { findProvider } from '@pydantic/genai-prices'

const source = '@pydantic/genai-prices'
const makers = ['anthropic', 'openai', 'google', 'x-ai', 'mistral', 'deepseek', 'moonshotai']
const own = JSON.parse(readFileSync(new URL('package.json', import.meta.url)))
const keys = { input_mtok: 'input', output_mtok: 'output', cache_read_mtok: 'cache_read', cache_write_mtok: 'cache_write' }

// patterns are names of models: * stands for any text, ~ begins a regular expression.
function patterns(match) {
  const [[kind, value]] = Object.entries(match)
  switch (kind) {
    case 'or': return value.flatMap(patterns)
    case 'equals': return [value]
    case 'starts_with': return [`${value}*`]
    case 'ends_with': return [`*${value}`]
    case 'contains': return [`*${value}*`]
    case 'regex': return [`~${value}`]
    case 'and': { // what it excludes by looking ahead are models that are listed by their whole names
      const rest = value.filter(one => !one.regex?.startsWith('^(?!'))
      if (rest.length === 1) return patterns(rest[0])
    }
  }
  throw new Error(`cannot express ${JSON.stringify(match)}`)
}

const at = (price, input) => typeof price === 'object' ? price.tiers.reduce((now, tier) => input > tier.start ? tier.price : now, price.base) : price

// rates are prices of a call with that many tokens of input.
const rates = (prices, input) => Object.fromEntries(Object.entries(keys).filter(([key]) => key in prices).map(([key, name]) => [name, at(prices[key], input)]))

function price(from, prices) {
  const starts = new Set(Object.keys(keys).flatMap(key => prices[key]?.tiers?.map(tier => tier.start) ?? []))
  const above = [...starts].sort((a, b) => a - b).map(tokens => ({ tokens, ...rates(prices, tokens + 1) }))
  return { ...(from && { from }), ...rates(prices, 0), ...(above.length && { above }) }
}

// Prices of some hours of the day are left out.
function models(maker) {
  return findProvider({ providerId: maker }).models.flatMap(({ id, match, prices }) => {
    const all = (Array.isArray(prices) ? prices : [{ prices }]).filter(({ constraint }) => !constraint || constraint.start_date)
      .map(({ constraint, prices }) => price(constraint?.start_date, prices)).filter(one => 'input' in one && 'output' in one)
    return all.length ? [{ maker, id, match: patterns(match), prices: all }] : []
  })
}

const lines = makers.flatMap(models).map(model => `  ${JSON.stringify(model)}`)
const head = { source, version: own.dependencies[source], date: own.config.published, licence: 'MIT, Copyright (c) Pydantic Services Inc. 2025 to present' }
writeFileSync(process.argv[2], `${JSON.stringify(head).slice(0, -1)}, "models": [\n${lines.join(',\n')}\n]}\n`)
