import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { keyOf, stepsOf, turnsOf, type Step } from '../lib/story'
import { isTyping } from '../parts/typing'
import type { Trace } from '../state'
import type { View } from '../worker/tree'
import type { Session } from '../wire'
import { Rail } from './rail'
import { StepItem } from './step'

const most = 300 // steps that are drawn at a time

interface Props {
  trace: Trace
  view: View
  row: Session | undefined
  live: boolean
}

/** What was said and done, from the first prompt to the last answer. */
export function Conversation({ trace, view, row, live }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const steps = useMemo(() => stepsOf(trace.spans, view, open), [view, open])
  const turns = useMemo(() => turnsOf(steps), [steps])
  const [from, setFrom] = useState<number>() // undefined: the last ones
  const first = Math.max(0, Math.min(from ?? (live ? steps.length - most : 0), steps.length - 1))
  const shown = steps.slice(first, first + most)
  const last = first + shown.length
  const { box, atEnd, toEnd } = useFollow(live && last >= steps.length, view)
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    if (!wanted) return
    const found = [...(box.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].find((one) => one.dataset.key === wanted)
    found?.scrollIntoView({ block: 'start' })
    found?.focus({ preventScroll: true })
    setWanted('')
  }, [wanted])
  const go = (step: Step) => {
    const at = steps.indexOf(step)
    if (at < first || at >= last) setFrom(Math.max(0, at - 10))
    setWanted(keyOf(trace.spans[step.at]!))
  }
  const toggle = (key: string) => {
    const next = new Set(open)
    if (!next.delete(key)) next.add(key)
    setOpen(next)
  }
  useTurnKeys(turns, shown, box, go)
  if (!steps.length) return <p class="nothing">No prompt, call or answer has been recorded in this session. All its spans are in the timeline.</p>
  return (
    <div class="story">
      {turns.length > 1 && <Rail turns={turns} trace={trace} onGo={go} />}
      <div class="story-box scroll" ref={box} tabIndex={0} role="region" aria-label="Conversation">
        {first > 0 && <button type="button" class="small more" onClick={() => setFrom(Math.max(0, first - most))}>Show what came before</button>}
        <ol class="steps">
          {shown.map((step) => <StepItem key={step.kind + keyOf(trace.spans[step.at]!)} step={step} spans={trace.spans} row={row} live={live} open={open} onToggle={toggle} />)}
        </ol>
        {last < steps.length && <button type="button" class="small more" onClick={() => setFrom(first + most)}>Show what came next</button>}
        {live && !atEnd && last >= steps.length && <button type="button" class="to-end" onClick={toEnd}>Follow</button>}
      </div>
    </div>
  )
}

/** Keeps the end in view while more comes, as long as the reader is there. */
function useFollow(follows: boolean, view: View) {
  const box = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const there = useRef(true)
  const before = useRef(0)
  const toEnd = () => {
    if (!box.current) return
    box.current.scrollTop = box.current.scrollHeight
    before.current = box.current.scrollTop
  }
  useEffect(() => {
    const element = box.current
    if (!element || !follows) return
    const look = () => {
      // What comes moves the end away; only the reader moves up.
      const { scrollTop } = element
      if (element.scrollHeight - scrollTop - element.clientHeight < 60) there.current = true
      else if (scrollTop < before.current - 2) there.current = false
      before.current = scrollTop
      setAtEnd(there.current)
    }
    const stay = () => {
      look() // the event of the reader's scroll may come later
      if (there.current) toEnd()
    }
    const grown = new ResizeObserver(stay)
    for (const child of element.children) grown.observe(child)
    element.addEventListener('scroll', look, { passive: true })
    stay()
    return () => {
      grown.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [follows, view])
  return { box, atEnd: atEnd || !follows, toEnd }
}

/** n and p go to the next and the previous turn. */
function useTurnKeys(turns: Step[], shown: Step[], box: { current: HTMLDivElement | null }, go: (step: Step) => void) {
  const last = useRef({ turns, shown, go })
  last.current = { turns, shown, go }
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const step = { n: 1, j: 1, p: -1, k: -1 }[event.key]
      const { turns, go } = last.current
      if (!step || isTyping(event) || !turns.length || !box.current) return
      const top = box.current.getBoundingClientRect().top
      const heads = [...box.current.querySelectorAll<HTMLElement>('.turn-step')]
      const passed = heads.filter((head) => head.getBoundingClientRect().top <= top + 4).length
      const before = turns.findIndex((turn) => last.current.shown.includes(turn))
      const next = turns[Math.max(0, before) + passed - 1 + step]
      if (!next) return
      event.preventDefault()
      go(next)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}
