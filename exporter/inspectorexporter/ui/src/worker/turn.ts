import { isGuessed, isRunning, type Span } from './span'
import { nothing } from './usage'

/** The turn of which a span is the first that came. */
export function runningTurn(child: Span): Span {
  return {
    ...child, ...nothing, id: child.parent, parent: '', name: 'agent.turn', label: 'Turn', family: 'turn', end: NaN, flags: isRunning | isGuessed, request: '', length: 0,
  }
}

/** The turn with one more span in it: what a model call took is what the turn took so far. */
export function spend(turn: Span, child: Span): Span {
  const took = child.family === 'llm' ? child : nothing
  return {
    ...turn, start: Math.min(turn.start, child.start),
    input: turn.input + took.input, output: turn.output + took.output, cached: turn.cached + took.cached, cost: turn.cost + took.cost,
  }
}
