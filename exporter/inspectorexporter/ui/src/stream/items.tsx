import { clock } from '../lib/time'
import { useRows } from '../parts/use-rows'
import { streamAddress } from '../route'
import type { Trace } from '../state'
import { isError, type Span } from '../worker/span'
import type { View } from '../worker/tree'

const columns = ['Time', 'What', 'Kind', 'Service']
const rowHeight = 32
const heightOf = () => rowHeight

/** The items as a table that is drawn as far as it is seen. */
export function Items({ trace, view, selected }: { trace: Trace; view: View; selected: number }) {
  const { box, drawn, total } = useRows(view.order.length, heightOf)
  const last = view.order.length - 1
  if (last < 0) return <p class="nothing">No item matches.</p>
  return (
    <div class="items" role="table" aria-label="Items" aria-rowcount={last + 2}>
      <div role="rowgroup"><div class="item columns" role="row" aria-rowindex={1}>{columns.map((name) => <span role="columnheader">{name}</span>)}</div></div>
      <div class="scroll" ref={box} role="rowgroup" tabIndex={-1}>
        <div class="space" role="presentation" style={{ height: `${total}px` }}>
          {drawn.map(({ index: row }) => {
            const index = view.order[last - row]!
            const span = trace.spans[index]
            return span && <Item key={index} span={span} row={row} selected={index === selected} />
          })}
        </div>
      </div>
    </div>
  )
}

function Item({ span, row, selected }: { span: Span; row: number; selected: boolean }) {
  const bad = (span.flags & isError) !== 0
  return (
    <div class={`item${selected ? ' selected' : ''}${bad ? ' bad-item' : ''}`} role="row" aria-rowindex={row + 2} style={{ transform: `translateY(${row * rowHeight}px)`, height: `${rowHeight}px` }}>
      <span role="cell" class="soft">{clock(span.start).split(', ')[1]}</span>
      <span role="cell"><a class="title" href={streamAddress(span.session, span.id)} aria-current={selected ? 'true' : undefined}>{span.label || span.name}</a>{bad && <b class="bad"> error</b>}</span>
      <span role="cell" class="soft">{span.name}</span>
      <span role="cell" class="soft">{span.service || '–'}</span>
    </div>
  )
}
