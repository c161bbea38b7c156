import type { Counts, Health, Session, State, Stream } from '../wire'
import type { Packed } from './pack'
import type { View, ViewOptions } from './tree'

export interface Query {
  q: string
  states: State[]
}

/** From the web UI to the worker. */
export type Ask =
  | { type: 'exported'; data: string }
  | { type: 'query'; query: Query }
  | { type: 'more' }
  | { type: 'watch'; session: string }
  | { type: 'seen'; seen: boolean }
  | { type: 'view'; options: ViewOptions }
  | { type: 'line'; session: string; offset: number; length: number; ticket: number }

export type Link = 'connecting' | 'live' | 'lost'

/** From the worker to the web UI. */
export type Tell =
  | { type: 'link'; link: Link }
  | { type: 'health'; health: Health }
  | { type: 'clock'; ahead: number }
  | { type: 'page'; sessions: Session[]; fresh: boolean; more: boolean; total: number; counts: Counts }
  | { type: 'counts'; total: number; counts: Counts }
  | { type: 'failed'; what: string }
  | { type: 'rows'; changed: Session[]; removed: string[] }
  | { type: 'session'; session: Session }
  | { type: 'streams'; streams: Stream[]; fresh: boolean }
  | { type: 'reset' }
  | { type: 'spans'; session: string; packed: Packed }
  | { type: 'layout'; session: string; view: View }
  | { type: 'ready'; session: string }
  | { type: 'trace-failed'; session: string; status: number; message: string }
  | { type: 'line'; ticket: number; text?: string; error?: string }
