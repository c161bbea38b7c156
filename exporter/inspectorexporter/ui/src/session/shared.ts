import type { Axis } from '../lib/axis'
import type { Range } from '../lib/zoom'
import type { Trace } from '../state'
import type { View, ViewOptions } from '../worker/tree'
import type { Session } from '../wire'

/** What the waterfall, its scale and its keys share. */
export interface WaterfallProps {
  trace: Trace
  view: View
  row: Session | undefined
  axis: Axis // by which times are drawn; the ranges are as drawn
  full: Range
  range: Range | undefined
  onRange: (range: Range | undefined) => void
  options: ViewOptions
  onOptions: (options: ViewOptions) => void
  selected: number
  onSelect: (index: number) => void
  follow: boolean
  onFollow: (follow: boolean) => void
  narrow: boolean
  live: boolean
}

/** Folds or unfolds the row's children. */
export function fold({ trace, view, options, onOptions }: Pick<WaterfallProps, 'trace' | 'view' | 'options' | 'onOptions'>, row: number): void {
  const span = trace.spans[view.order[row]!]
  if (!span) return
  const key = span.trace + span.id
  const closed = options.collapsed.includes(key)
  onOptions({ ...options, collapsed: closed ? options.collapsed.filter((k) => k !== key) : [...options.collapsed, key] })
}
