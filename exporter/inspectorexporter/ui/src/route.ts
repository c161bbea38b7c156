import { Cell } from './state'

/** Where the reader is: the board, or a session or stream and perhaps a span of it. */
export interface Route {
  session: string
  stream: string
  span: string
}

function read(): Route {
  const [path = '', search = ''] = location.hash.slice(1).split('?')
  const [, kind, id = ''] = /^\/(session|stream)\/([A-Za-z0-9_-]{1,128})$/.exec(path) ?? []
  return { session: kind === 'session' ? id : '', stream: kind === 'stream' ? id : '', span: new URLSearchParams(search).get('span') ?? '' }
}

export const route = new Cell(read())
addEventListener('hashchange', () => route.set(read()))

export function address(session: string, span = ''): string {
  if (!session) return '#/'
  return `#/session/${session}${span ? `?span=${encodeURIComponent(span)}` : ''}`
}

export function streamAddress(stream: string, span = ''): string {
  return address(stream, span).replace('#/session/', '#/stream/')
}

/** Another span of the same session: no step for the browser's back button. */
export function point(to: string): void {
  history.replaceState(null, '', to)
}
