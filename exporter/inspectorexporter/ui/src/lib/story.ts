import { isDuplicate, isError, isMarker, isPhase, isRunning, type Span } from '../worker/span'
import type { Rows } from '../worker/tree'

export type Kind = 'turn' | 'prompt' | 'answer' | 'call' | 'model' | 'agent' | 'wait' | 'event'

/** One step of the conversation. */
export interface Step {
  kind: Kind
  at: number // index of the span
  level: number // how many sub-agents it is inside of
  prompt: number // of a turn: the notice that has its prompt, or -1
  wire: number // of a call: its span as the server saw it, or -1
  asked: number // of a call: the wait for a decision about it, or -1
  fold: string // of what is in a sub-agent: the key of the innermost one
  said: number // of an answer: the turn's last model call, or -1
  failed: boolean // of a turn: something in it did
}

interface Above {
  depth: number
  span: Span
  step: Step | undefined // of a call, in which no step of its own begins
  turn: Step | undefined
}

const events = /(^|[./])(host\.error|host\.stalled|call\.stuck|host\.compacting)$/

export const keyOf = (span: Span) => span.trace + span.id

/** The steps of the conversation in the order of the tree; folded are the sub-agents of which nothing is wanted. */
export function stepsOf(spans: Span[], { order, depth }: Pick<Rows, 'order' | 'depth'>, open: ReadonlySet<string>): Step[] {
  const steps: Step[] = []
  const path: Above[] = []
  const prompts = new Set(spans.flatMap((span) => (span.family === 'turn' && span.about ? [span.about] : [])))
  const leave = (to: number) => {
    while (path.length && path[path.length - 1]!.depth >= to) {
      const { turn } = path.pop()!
      if (turn) steps.push({ ...turn, kind: 'answer', failed: false })
    }
  }
  for (let i = 0; i < order.length; i++) {
    leave(depth[i]!)
    const at = order[i]!, span = spans[at]
    if (!span || span.flags & (isDuplicate | isMarker)) continue
    const agents = path.filter((above) => above.span.family === 'agent')
    const inner = path[path.length - 1]
    const call = inner?.step
    const made: Step = { kind: 'call', at, level: agents.length, prompt: -1, wire: -1, asked: -1, said: -1, fold: agents.length ? keyOf(agents[agents.length - 1]!.span) : '', failed: false }
    const kind = kindOf(span, prompts)
    const turn = kind === 'turn' ? made : path.findLast((above) => above.turn)?.turn
    if (turn && span.flags & isError) turn.failed = true
    if (turn && kind === 'model' && made.level === turn.level) turn.said = at
    if (call && kind === 'call') call.wire = call.wire < 0 ? at : call.wire
    else if (call && kind === 'wait') call.asked = at
    else if (kind && agents.every((above) => open.has(keyOf(above.span)))) steps.push(Object.assign(made, { kind }))
    path.push({ depth: depth[i]!, span, step: kind === 'call' ? (call ?? made) : kind === 'agent' ? undefined : call, turn: kind === 'turn' ? made : undefined })
  }
  leave(0)
  return withPrompts(steps)
}

function kindOf(span: Span, prompts: Set<string>): Kind | undefined {
  switch (span.family) {
    case 'turn': return 'turn'
    case 'tool': case 'resource': case 'prompt': return 'call'
    case 'llm': return 'model'
    case 'agent': return 'agent'
    case 'wait': return span.flags & isPhase && !(span.flags & isRunning) && span.end - span.start < 100 ? undefined : 'wait'
    case 'phase': return span.label === 'compacting' ? 'event' : undefined
    case 'notice':
      if (events.test(span.name)) return 'event'
      return /^hook\.|^session\/prompt/.test(span.name) && span.about && !prompts.has(span.about) ? 'prompt' : undefined
    default: return undefined
  }
}

/** A prompt right before a turn is the turn's. */
function withPrompts(steps: Step[]): Step[] {
  return steps.filter((step, i) => {
    const next = steps[i + 1]
    if (step.kind !== 'prompt' || next?.kind !== 'turn' || next.level !== step.level) return true
    next.prompt = step.at
    return false
  })
}

/** The turns for the rail; without any, the prompts. */
export function turnsOf(steps: Step[]): Step[] {
  const own = steps.filter((step) => step.level === 0)
  const turns = own.filter((step) => step.kind === 'turn')
  return turns.length ? turns : own.filter((step) => step.kind === 'prompt')
}
