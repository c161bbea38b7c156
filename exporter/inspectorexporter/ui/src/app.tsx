import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SoundButton, useAlerts, useWaiting } from './board/alerts'
import { Board } from './board/board'
import { exported, type Exported } from './lib/exported'
import { streamName } from './lib/streams'
import { Help } from './parts/help'
import { Icon } from './parts/icons'
import { ThemeButton } from './parts/theme'
import { isTyping } from './parts/typing'
import { boardAddress, route } from './route'
import { SessionPage } from './session/page'
import { StreamPage } from './stream/page'
import { health, isGone, link, rows, trace, watch } from './state'

export function App() {
  const { session, stream } = route.use()
  const [help, setHelp] = useState(false)
  useEffect(() => watch(session || stream), [session, stream])
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key === '?' && !isTyping(event)) setHelp(true)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>Skip to content</a>
      <Bar session={session} stream={stream} onHelp={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>{session ? <SessionPage key={session} id={session} /> : stream ? <StreamPage key={stream} id={stream} /> : <Board />}</main>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  )
}

// The fragment is the route, so the link must not change it.
function toMain(event: MouseEvent) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Bar({ session, stream, onHelp }: { session: string; stream: string; onHelp: () => void }) {
  const row = rows.use().get(session)
  const shown = trace.use()
  const gone = shown.session === session && isGone(shown)
  useAlerts()
  useTitle(stream ? streamName(stream) : !session ? 'Sessions' : gone ? 'No such session' : (row?.title ?? session))
  return (
    <header class="bar">
      <nav aria-label="Where you are">
        <a class="brand" href={boardAddress()} aria-label="otelcol-mcp">
          <Icon name="logo" /> <span>otelcol-mcp</span>
        </a>
        {(session || stream) && !exported && (
          <a class="back" href={boardAddress()}>
            <Icon name="back" /> Sessions
          </a>
        )}
      </nav>
      <div class="bar-end">
        {exported ? <ExportState exported={exported} /> : <LinkState />}
        {!exported && <SoundButton />}
        <button type="button" class="quiet square" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp}>
          <Icon name="keyboard" />
        </button>
        <ThemeButton />
      </div>
    </header>
  )
}

function useTitle(page: string) {
  const waiting = useWaiting()
  const title = waiting ? `(${waiting}) ${page}` : page
  const last = useRef('')
  useEffect(() => {
    if (last.current !== title) document.title = `${title} · otelcol-mcp`
    last.current = title
  }, [title])
}

/** When the file was made, and what it leaves out. */
function ExportState({ exported }: { exported: Exported }) {
  const at = new Date(exported.at)
  return <span class="link-state exported">Exported <time dateTime={at.toISOString()}>{at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}</time>{!exported.payloads && ', without payloads'}</span>
}

const words = { connecting: 'Connecting…', live: 'Live', lost: 'Connection lost, trying again…' }

function LinkState() {
  const state = link.use()
  const storage = health.use()?.storage
  const trouble = state === 'live' && storage && (storage.ok ? (storage.restoring ? 'Reading earlier sessions…' : '') : `Session files cannot be written${storage.error ? `: ${storage.error}` : ''}`)
  return (
    <span class={`link-state ${trouble ? 'trouble' : state}`} role="status">
      <i /> <span>{trouble || words[state]}</span>
    </span>
  )
}
