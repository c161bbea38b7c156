import { plural, whole } from '../lib/format'
import { latest, streamName } from '../lib/streams'
import { streamAddress } from '../route'
import { streams } from '../state'

/** The ways to what belongs to no session. */
export function Streams() {
  const found = latest(streams.use().values())
  if (!found.length) return null
  return (
    <nav class="streams" aria-label="Streams">
      <span class="soft">Streams</span>
      {found.map((stream) => (
        <a key={stream.id} class="button small" href={streamAddress(stream.id)} title={`Of ${stream.day}, UTC`}>
          {streamName(stream.id)} <b>{whole(stream.items)}</b>{stream.errors > 0 && <span class="bad">{plural(stream.errors, 'error')}</span>}
        </a>
      ))}
    </nav>
  )
}
