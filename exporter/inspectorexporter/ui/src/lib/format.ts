import type { Usage } from '../wire'

/** 950, 12.3k, 1.20M. */
export function count(n: number | undefined): string {
  if (n === undefined || !Number.isFinite(n)) return '–'
  if (n < 1000) return String(Math.round(n))
  if (n < 999_500) return `${(n / 1000).toFixed(n < 99_950 ? 1 : 0)}k`
  return `${(n / 1_000_000).toFixed(2)}M`
}

const exact = new Intl.NumberFormat('en-GB')

/** 12,345. */
export function whole(n: number): string {
  return exact.format(n)
}

/** 812 B, 30 KB, 1.4 MB; a KB is 1024 bytes, as the limits are. */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  const kib = n / 1024
  if (kib < 1023.5) return `${kib < 9.95 ? +kib.toFixed(1) : Math.round(kib)} KB`
  return `${(kib / 1024).toFixed(1)} MB`
}

/** The number of bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

export function plural(n: number, one: string, many = one + 's'): string {
  return `${whole(n)} ${n === 1 ? one : many}`
}

/** Share of the limit in percent, or undefined when no limit is known. */
export function share(tokens: { used: number; limit?: number; percent?: number } | undefined): number | undefined {
  if (!tokens) return undefined
  if (tokens.percent !== undefined && Number.isFinite(tokens.percent)) return tokens.percent
  return tokens.limit ? (100 * tokens.used) / tokens.limit : undefined
}

/** waiting_approval → waiting approval. */
export function words(text: string): string {
  return text.replaceAll('_', ' ')
}

/** 12.3k in (10.1k cached), 940 out, $0.25. */
export function usageText(usage: Usage): string {
  const { input_tokens: input, output_tokens: output } = usage
  const cached = cachedText(usage)
  return [input && `${count(input)} in${cached ? ` (${cached})` : ''}`, output && `${count(output)} out`, costText(usage)].filter(Boolean).join(', ')
}

type Cost = Pick<Usage, 'cost_usd' | 'cost_estimated_usd' | 'cost_source'>

/** $0.25, or ≈ $0.25 where it or a part of it is an estimate. */
export function costText({ cost_usd: cost, cost_estimated_usd: estimated }: Cost): string {
  return cost ? `${estimated ? '≈\u00a0' : ''}${money(cost)}` : ''
}

/** What a cost is worth: by which prices it was estimated. */
export function costNote({ cost_usd: cost = 0, cost_estimated_usd: estimated, cost_source: source }: Cost): string {
  if (!estimated) return ''
  const part = estimated < cost * 0.999 ? `${money(estimated)} of it is estimated` : 'Estimated'
  return `${part} by ${source ?? 'list prices'}: agents did not report the cost`
}

/** 10.1k cached: what was read from a cache, which is part of the input. */
export function cachedText({ cache_read_input_tokens: read }: Usage): string {
  return read ? `${count(read)} cached` : ''
}

/** $0.25; what is less than a cent has as many digits as tell it from nothing. */
function money(usd: number): string {
  return `$${usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(1)}`
}

/** The address of a trace in another tool, or '' if none is configured or it is no web address. */
export function traceLink(template: string, trace: string, span: string): string {
  if (!template || !/^https?:\/\//i.test(template)) return ''
  return template.replaceAll('{trace_id}', encodeURIComponent(trace)).replaceAll('{span_id}', encodeURIComponent(span))
}

/** The name of the tool that an address belongs to. */
export function traceTool(template: string): string {
  if (/tempo|grafana|explore/i.test(template)) return 'Tempo'
  if (/jaeger|:16686|\/trace\//i.test(template)) return 'Jaeger'
  return 'trace viewer'
}
