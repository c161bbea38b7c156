import { Cell } from './state'

/** Where the reader is: the board, or a session and perhaps a span of it. */
export interface Route {
  session: string
  span: string
}

function read(): Route {
  const [path = '', search = ''] = location.hash.slice(1).split('?')
  const session = /^\/session\/([A-Za-z0-9_-]{1,128})$/.exec(path)?.[1] ?? ''
  return { session, span: new URLSearchParams(search).get('span') ?? '' }
}

export const route = new Cell(read())
addEventListener('hashchange', () => route.set(read()))

export function address(session: string, span = ''): string {
  if (!session) return '#/'
  return `#/session/${session}${span ? `?span=${encodeURIComponent(span)}` : ''}`
}

/** Another span of the same session: no step for the browser's back button. */
export function point(session: string, span: string): void {
  history.replaceState(null, '', address(session, span))
}
