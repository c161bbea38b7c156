import type { State } from '../wire'
import { Icon } from './icons'

const names: Record<State, string> = { running: 'Running', idle: 'Idle', waiting: 'Waiting', stalled: 'Stalled', failed: 'Failed', done: 'Done' }

export function stateName(state: State): string {
  return names[state] ?? state
}

/** The state by shape, word and colour. */
export function StateBadge({ state }: { state: State }) {
  return <span class={`state ${state}`}><Icon name={state in names ? state : 'running'} /> {stateName(state)}</span>
}
