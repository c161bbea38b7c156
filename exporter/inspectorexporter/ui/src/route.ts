import { exported } from './lib/exported'
import { Cell } from './state'

export type View = '' | 'conversation' | 'timeline'

/** Where the reader is: the board, or a session or stream and perhaps a span of it. */
interface Route {
  session: string
  stream: string
  span: string
  view: View
  search: string // what the board shows
}

function read(): Route {
  const [path = '', search = ''] = location.hash.slice(1).split('?')
  const [, kind, id = ''] = /^\/(session|stream)\/([A-Za-z0-9_-]{1,128})$/.exec(path) ?? []
  const parameters = new URLSearchParams(search)
  const view = parameters.get('view')
  return {
    session: exported?.session ?? (kind === 'session' ? id : ''), stream: kind === 'stream' ? id : '', span: parameters.get('span') ?? '',
    view: view === 'conversation' || view === 'timeline' ? view : '', search: kind || exported ? '' : search,
  }
}

let board = '' // what the board showed last

function follow(): Route {
  const found = read()
  if (!found.session && !found.stream) board = found.search
  return found
}

export const route = new Cell(follow())
addEventListener('hashchange', () => route.set(follow()))

/** The board as it was left; in an exported file, its session. */
export function boardAddress(search = board): string {
  return exported ? address(exported.session) : `#/${search && `?${search}`}`
}

export function address(session: string, span = '', view: View = ''): string {
  const parameters = new URLSearchParams({ ...(view ? { view } : {}), ...(span ? { span } : {}) }).toString()
  return `#/session/${session}${parameters && `?${parameters}`}`
}

export function streamAddress(stream: string, span = ''): string {
  return address(stream, span).replace('#/session/', '#/stream/')
}

/** Another address of the same page: no step for the browser's back button. */
export function point(to: string): void {
  history.replaceState(null, '', to)
  route.set(follow())
}
