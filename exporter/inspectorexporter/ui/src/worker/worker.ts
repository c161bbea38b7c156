// Everything that takes time happens here: reading, parsing, laying out. The web UI only draws.
import { Feed } from './feed'
import { useArchive } from './gateway'
import type { Ask, Tell } from './messages'
import { readLine } from './trace'
import type { ViewOptions } from './tree'
import { Watch } from './watch'

const port = self as unknown as {
  postMessage(message: Tell, move: Transferable[]): void
  onmessage: ((event: MessageEvent<Ask>) => void) | null
}
const tell = (message: Tell, move: Transferable[] = []) => port.postMessage(message, move)

let watch: Watch | undefined
let options: ViewOptions = { collapsed: [], query: '', only: 'all', records: false }
const feed = new Feed(tell, (row) => watch?.row(row), (session) => watch?.removed(session))

port.onmessage = ({ data }) => {
  switch (data.type) {
    case 'exported':
      return useArchive(data.data)
    case 'query':
      return feed.ask(data.query)
    case 'more':
      return feed.more()
    case 'watch':
      return follow(data.session)
    case 'seen':
      return seen(data.seen)
    case 'view':
      options = data.options
      return watch?.view(options)
    case 'line':
      return void line(data)
  }
}

function follow(session: string): void {
  if (watch?.session === session) return
  watch?.close()
  watch = session ? new Watch(session, options, tell) : undefined
  feed.follow(session)
}

const linger = 10_000 // ms, since many look away for a moment only
let leaving: ReturnType<typeof setTimeout> | undefined

function seen(yes: boolean): void {
  clearTimeout(leaving)
  if (yes) feed.start()
  else leaving = setTimeout(() => feed.stop(), linger)
}

async function line({ session, offset, length, ticket }: Extract<Ask, { type: 'line' }>): Promise<void> {
  try {
    tell({ type: 'line', ticket, text: await readLine(session, offset, length) })
  } catch (error) {
    tell({ type: 'line', ticket, error: error instanceof Error ? error.message : String(error) })
  }
}
