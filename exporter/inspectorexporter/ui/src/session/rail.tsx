import { costText } from '../lib/format'
import type { Step } from '../lib/story'
import { duration } from '../lib/time'
import { isRunning, usageOf } from '../worker/span'
import type { Trace } from '../state'

/** The turns at a glance: what was asked, what it cost, where something failed. */
export function Rail({ turns, trace, onGo }: { turns: Step[]; trace: Trace; onGo: (turn: Step) => void }) {
  return (
    <nav class="rail" aria-label="Turns">
      <ol>
        {turns.map((turn, i) => {
          const span = trace.spans[turn.at]!
          const asked = span.about || trace.spans[turn.prompt]?.about || `Turn ${i + 1}`
          const took = [costText(usageOf(span)), turn.kind === 'turn' && (span.flags & isRunning ? 'running' : duration(span.end - span.start))].filter(Boolean).join(' · ')
          return (
            <li>
              <button type="button" class={turn.failed ? 'failed' : ''} onClick={() => onGo(turn)} title={asked}>
                <span class="index">{i + 1}</span><span class="ellipsis">{asked}</span>
                <small>{took}{turn.failed && <b class="bad"> · error</b>}</small>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
