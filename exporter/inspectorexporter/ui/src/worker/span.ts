import { aboutOf, type Family } from '../lib/about'
import { firstLine } from '../lib/content'
import { isFailed, whyFailed } from '../lib/status'
import { parseTime } from '../lib/time'
import type { Attributes, SpanLine, Usage } from '../wire'

// Bits of Span.flags.
export const isError = 1
export const isRunning = 2
export const isNotice = 4 // no duration
export const isMarker = 8 // announces a span, and is not drawn itself
export const isStitched = 32 // from another session's trace, joined by a link
export const isQuiet = 128 // reports itself: a heartbeat, a hook, a phase (which has a band of its own)
export const isWait = 256
export const isPhase = 512
export const isDuplicate = 1024 // another span tells the same

export type { Family }

/** What the waterfall needs of a span. The whole of it stays at the server: its line is at `offset`. */
export interface Span {
  id: string
  trace: string
  parent: string
  name: string
  label: string
  about: string // one line: the command, the file, the prompt
  error: string // the first line of it
  service: string
  family: Family
  start: number // ms since 1970
  end: number // NaN while it runs
  flags: number
  session: string
  offset: number
  length: number
  input: number // tokens that a model call or a turn read, and so on
  output: number
  cached: number
  cost: number // US dollars
  estimated: number // the part of it that is estimated by prices
}

/** A span and what is kept of it for searching and joining only. */
export interface Parsed {
  span: Span
  links: { trace: string; span: string }[]
  claims: boolean // a root that calls: its links lead to what it called
  repeats: string // id of the span that reports the same
  request: string // mcp.request_id of a call: its server may have a session that has it, too
  announced: string // id of the span that its start named, if it is another one
  text: string
}

const families: Record<string, Family> = {
  'workflow.run': 'workflow',
  'agent.turn': 'turn',
  'tool.call': 'tool',
  'llm.generate': 'llm',
  'agent.call': 'agent',
  'resource.fetch': 'resource',
  'prompt.apply': 'prompt',
  'signal.wait': 'wait',
  'host.phase': 'phase',
  'claude_code.interaction': 'turn',
  'claude_code.llm_request': 'llm',
  'claude_code.tool': 'tool',
  'claude_code.tool.blocked_on_user': 'wait',
}

const operations: Record<string, Family> = {
  execute_tool: 'tool', chat: 'llm', generate_content: 'llm', text_completion: 'llm', invoke_agent: 'agent', invoke_workflow: 'workflow',
}

/** Requests whose spans the semantic conventions name after their method. */
const methods: Record<string, Family> = {
  'tools/call': 'tool', 'resources/read': 'resource', 'prompts/get': 'prompt', 'sampling/createMessage': 'llm',
  'elicitation/create': 'wait', 'session/request_permission': 'wait', 'session/prompt': 'agent',
}

/** Markers: each announces a span, of which the exporter has a line of its own. */
const markers = new Set(['session.start', 'agent.start', 'signal.start'])

const quietNames = /^hook\.|(^|[./])(host\.heartbeat|Heartbeat|heartbeat|session\.summary)$/

/** The family of a span, by the Inspector's name, else by its operation, else by the name of the semantic conventions.
 * What only repeats the tokens of a model call is no such call. */
export function familyOf(name: string, attributes: Attributes): Family {
  const family = families[name] ?? operations[text(attributes['gen_ai.operation.name'])] ?? methods[name.split(' ', 1)[0]!] ?? 'other'
  return family === 'llm' && attributes['mcp.dialect.repeats'] === 'usage' ? 'other' : family
}

const labels = [
  'mcp.tool.name', 'gen_ai.tool.name', 'mcp.agent.name', 'gen_ai.agent.name', 'mcp.llm.model',
  'gen_ai.response.model', 'gen_ai.request.model', 'mcp.resource.uri', 'mcp.prompt.template_id', 'gen_ai.prompt.name',
  'mcp.signal.name', 'mcp.host.phase', 'mcp.progress.message', 'mcp.reminder.body', 'mcp.log.message',
  'mcp.event.name', 'mcp.transport.status', 'mcp.session.title', 'gen_ai.workflow.name', 'mcp.error.message',
]

/** A phase in which the host waits for a person is a wait as others are. */
const approval = 'waiting_approval'

/** The one word that tells this span from others of its name. */
function labelOf(name: string, attributes: Attributes): string {
  if (name === 'workflow.run') return short(attributes['mcp.session.title'] || 'Session')
  if (attributes['mcp.turn.index'] !== undefined) return `Turn ${short(attributes['mcp.turn.index'])}`
  if (name === 'host.phase' && attributes['mcp.host.phase'] === approval) return 'Waits for approval'
  for (const key of labels) {
    const value = attributes[key]
    if (value !== undefined && value !== '') return short(value)
  }
  return ''
}

function short(value: unknown): string {
  const line = text(value)
  return line.length > 160 ? line.slice(0, 160) + '…' : line
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value)
}

/** Reads a line. It throws if the line is no span. */
export function parseLine(json: string, session: string, offset: number, length: number): Parsed {
  const line = JSON.parse(json) as SpanLine
  if (typeof line.span_id !== 'string' || typeof line.trace_id !== 'string') throw new Error('not a span')
  const attributes = line.attributes ?? {}
  const span = toSpan(line, attributes, session, offset, length)
  return {
    span,
    links: (line.links ?? []).map(({ context }) => ({ trace: context.trace_id.replace(/^0x/, ''), span: context.span_id.replace(/^0x/, '') })),
    claims: line.kind === 'SpanKind.CLIENT' && !span.parent,
    repeats: text(attributes['mcp.duplicate_of']),
    request: line.kind === 'SpanKind.CLIENT' || span.name === 'tool.call' ? text(attributes['mcp.request_id']) : '',
    announced: text(attributes['mcp.announced_as']),
    text: searchText(span, line, attributes),
  }
}

const words = new Map<string, string>()

/** The same text, of which spans that have it in common hold one copy. */
function once(text: string): string {
  const known = words.get(text)
  if (known !== undefined) return known
  if (words.size > 20_000) words.clear()
  words.set(text, text)
  return text
}

function toSpan(line: SpanLine, attributes: Attributes, session: string, offset: number, length: number): Span {
  const name = text(line.name), label = labelOf(name, attributes)
  const start = parseTime(line.start_time)
  const end = line.end_time ? parseTime(line.end_time) : NaN
  let family = familyOf(name, attributes)
  const marker = markers.has(name)
  const notice = end - start < 0.001 && line.kind !== 'SpanKind.CLIENT' && (family === 'other' || marker)
  if (notice) family = 'notice'
  if (family === 'phase' && attributes['mcp.host.phase'] === approval) family = 'wait'
  const about = aboutOf(family, attributes)
  if (family === 'agent' && attributes['mcp.turn.index'] !== undefined) family = 'turn' // an agent's own span of it
  return {
    id: line.span_id, trace: once(line.trace_id), parent: once(line.parent_span_id ?? ''),
    name: once(name), label: once(label), about: about === label ? '' : about, error: isFailed(line) ? firstLine(whyFailed(line).text).slice(0, 200) : '', service: once(text(line.resource?.attributes?.['service.name'])), family,
    start, end, flags: flagsOf(line, name, family, end, notice, marker) | (attributes['mcp.duplicate_of'] ? isDuplicate : 0),
    session, offset, length, ...(family === 'llm' || family === 'turn' || family === 'agent' ? tookOf(family, attributes) : nothing),
  }
}

const ruled = 100 // ms: so fast decides a rule, no person

function flagsOf(line: SpanLine, name: string, family: Family, end: number, notice: boolean, marker: boolean): number {
  return (
    (isFailed(line) ? isError : 0) |
    (Number.isNaN(end) ? isRunning : 0) |
    (notice ? isNotice : 0) |
    (marker ? isMarker : 0) |
    (family === 'phase' || quietNames.test(name) ? isQuiet : 0) |
    (family === 'wait' && !(end - parseTime(line.start_time) < ruled) ? isWait : 0) |
    (name === 'host.phase' ? isPhase : 0)
  )
}

const nothing = { input: 0, output: 0, cached: 0, cost: 0, estimated: 0 }

/** Tokens and US dollars, as the span reports them. */
function tookOf(family: Family, attributes: Attributes): typeof nothing {
  const own = family === 'llm' ? 'mcp.llm' : `mcp.${family}`
  const amount = (...keys: string[]) => {
    const n = Number(keys.map((key) => attributes[key]).find((value) => value !== undefined) ?? NaN)
    return n >= 0 && Number.isFinite(n) ? n : 0
  }
  const cost = amount(`${own}.cost_usd`, 'mcp.llm.cost_usd')
  return {
    input: amount(`${own}.input_tokens`, 'gen_ai.usage.input_tokens'),
    output: amount(`${own}.output_tokens`, 'gen_ai.usage.output_tokens'),
    cached: amount(`${own}.cache_read_tokens`, 'gen_ai.usage.cache_read.input_tokens'),
    cost, estimated: attributes['mcp.llm.cost_estimated'] === true ? cost : amount(`${own}.cost_estimated_usd`),
  }
}

const searched = 2000 // characters of each attribute

function searchText(span: Span, line: SpanLine, attributes: Attributes): string {
  let all = `${span.name}\n${span.label}\n${span.service}\n${span.id}\n${span.trace}\n${line.status?.description ?? ''}`
  for (const key in attributes) {
    const value = attributes[key]
    if (typeof value === 'string') all += '\n' + (value.length > searched ? value.slice(0, searched) : value)
  }
  return all
}

/** What the span took, in the words of the gateway. */
export function usageOf({ input, output, cached, cost, estimated }: Span): Usage {
  return { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached, cost_usd: cost, cost_estimated_usd: estimated }
}
