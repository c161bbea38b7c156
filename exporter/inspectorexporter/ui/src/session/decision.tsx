import { words } from '../lib/format'
import { duration } from '../lib/time'
import type { Span } from '../worker/span'
import type { Attributes } from '../wire'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const yes = /^(accept|allow|approved?|grant|yes|once|always)/i
const no = /^(reject|den|refuse|decline|block|cancel|no)/i

function decisionOf(attributes: Attributes): { decision: string; source: string } {
  return {
    decision: text(attributes['mcp.tool.decision']) || text(attributes['mcp.signal.action']) || text(attributes['decision']),
    source: text(attributes['mcp.tool.decision_source']) || text(attributes['source']),
  }
}

export function wasRefused(attributes: Attributes | undefined): boolean {
  return !!attributes && (no.test(decisionOf(attributes).decision) || decisionOf(attributes).decision === 'interrupted')
}

/** Who decided: a person, or what else. */
function who(source: string): string {
  if (/^user|person|human/.test(source)) return 'you'
  return { config: 'a rule of the settings', hook: 'a hook' }[source] ?? words(source)
}

/** "Approved by you after 12 s", as far as it is known. */
export function Decision({ span, attributes, running }: { span?: Span | undefined; attributes: Attributes; running?: boolean }) {
  const { decision, source } = decisionOf(attributes)
  const waited = Number(attributes['mcp.tool.approval_ms'] ?? (span && !running ? span.end - span.start : NaN))
  if (running || (!decision && !span)) return null
  const by = source && ` by ${who(source)}`
  const after = waited >= 1000 ? `after ${duration(waited)}` : ''
  const bad = no.test(decision) || decision === 'interrupted'
  const word = decision === 'interrupted' ? 'Interrupted' : bad ? 'Refused' : yes.test(decision) ? 'Approved' : decision ? words(decision) : 'Decided'
  if (!bad && !after && !/^user/.test(source)) return null // a rule's own yes is no news
  return <span class={`decision${bad ? ' no' : ''}`}>{word}{by} {after}</span>
}
