import { useEffect, useRef, useState } from 'preact/hooks'
import { headline } from '../lib/sessions'
import { Icon } from '../parts/icons'
import { recall, remember } from '../parts/remember'
import { address } from '../route'
import { Cell, counts, rows } from '../state'
import type { Session } from '../wire'

const sound = new Cell(recall('sound') === 'on')
const canNotify = typeof Notification !== 'undefined'

/** How many sessions wait for a person, as the gateway counts them. */
export function useWaiting(): number {
  return counts.use()?.counts.waiting ?? 0
}

/** Tells once of each session that begins to wait while this page is open. */
export function useAlerts(): void {
  const all = rows.use()
  const known = useRef<Map<string, string>>()
  useEffect(() => {
    const waiting = new Map([...all.values()].filter((row) => row.state === 'waiting').map((row) => [row.id, row.waiting?.since ?? '']))
    const fresh = known.current && [...waiting].filter(([id, since]) => known.current!.get(id) !== since && Date.now() - Date.parse(since || '0') < 60_000)
    if (all.size) known.current = waiting
    if (!fresh?.length) return
    if (sound.value) beep()
    if (canNotify && Notification.permission === 'granted') fresh.forEach(([id]) => notify(all.get(id)!))
  }, [all])
}

function notify(row: Session): void {
  const shown = new Notification(`${row.title} needs you`, { body: headline(row), tag: row.id })
  shown.onclick = () => {
    focus()
    location.hash = address(row.id)
  }
}

/** Two short tones. */
function beep(): void {
  const context = new AudioContext()
  for (const [i, frequency] of [660, 880].entries()) {
    const tone = context.createOscillator(), volume = context.createGain()
    volume.gain.value = 0.08
    tone.frequency.value = frequency
    tone.connect(volume).connect(context.destination)
    tone.start(context.currentTime + i * 0.16)
    tone.stop(context.currentTime + i * 0.16 + 0.12)
  }
  setTimeout(() => void context.close(), 1000)
}

/** Asks once whether to notify, when somebody is waited for the first time. */
export function AskToNotify() {
  const [asked, setAsked] = useState(recall('asked-to-notify') === 'yes')
  const waiting = useWaiting()
  if (asked || !canNotify || Notification.permission !== 'default' || !waiting) return null
  const answer = (yes: boolean) => {
    remember('asked-to-notify', 'yes')
    setAsked(true)
    if (yes) void Notification.requestPermission()
  }
  return (
    <p class="ask-notify" role="status"><Icon name="bell" /> Notify you when an agent needs you?
      <button type="button" class="small" onClick={() => answer(true)}>Notify me</button>
      <button type="button" class="small quiet" onClick={() => answer(false)}>No</button>
    </p>
  )
}

export function SoundButton() {
  const on = sound.use()
  const toggle = () => {
    sound.set(!on)
    remember('sound', on ? 'off' : 'on')
    if (!on) beep()
  }
  return <button type="button" class="quiet square" aria-pressed={on} aria-label="Sound when an agent needs you" title={`Sound when an agent needs you: ${on ? 'on' : 'off'}`} onClick={toggle}><Icon name={on ? 'bell' : 'quiet'} /></button>
}
