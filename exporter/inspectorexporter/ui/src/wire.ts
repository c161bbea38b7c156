// What the gateway sends, as openapi.yaml describes it.

export const states = ['stalled', 'waiting', 'running', 'idle', 'failed', 'done'] as const
export type State = (typeof states)[number]

export interface OpenCall {
  span_id: string
  trace_id: string
  name: string
  detail?: string
  about?: string // the command, the file, the address
  started_at: string
  stuck?: boolean
}

export interface Session {
  id: string
  original_id?: string
  status: string
  state: State
  title: string
  host?: string
  agent?: string // where the host calls itself otherwise
  server?: string
  trace_id?: string
  root_span_id?: string
  started_at: string
  ended_at?: string
  duration_ms?: number
  end_reason?: string
  error?: string
  last_seen: string
  no_record_since?: string // it was at work then; what it does now is unknown
  unknown_from?: string // the collector stood still or was away, for the last time
  unknown_until?: string
  phase?: string
  phase_since?: string
  current_task?: string
  waiting?: { kind?: string; name?: string; tool?: string; detail?: string; prompt?: string; span_id?: string; since: string }
  stalled?: { reason: string; detail?: string; since: string }
  host_error?: { type?: string; message?: string; retrying?: boolean; retry_count?: number; time: string }
  tokens?: { used: number; limit?: number; percent?: number }
  open_calls: OpenCall[]
  open_call_count: number
  tool_calls?: number
  llm_calls?: number
  agents?: number
  model?: string
  turns?: number
  refusals?: number
  sources?: string[]
  directory?: string
  branch?: string
  usage?: Usage
  errors: number
  span_count: number
  trace_bytes: number
  trace_epoch: number
  restored?: boolean // open, but not heard of since the collector was started again
}

/** What the model calls of a session took. */
export interface Usage {
  input_tokens?: number
  output_tokens?: number
  cache_read_input_tokens?: number
  cache_write_input_tokens?: number
  reasoning_output_tokens?: number
  cost_usd?: number
  cost_estimated_usd?: number // the part of it that is estimated by prices
  cost_source?: string // which prices
}

/** What sessions of one project and model took. */
export interface Spent {
  project?: string
  model?: string
  sessions: number
  input_tokens: number
  output_tokens: number
  cost_usd: number
  cost_estimated_usd?: number
  cost_source?: string
  unpriced: number // sessions with tokens whose cost is not known
}

export interface Totals extends Spent {
  since?: string
  by: Spent[]
}

export type Counts = Record<State, number>

export interface SessionPage {
  sessions: Session[]
  next_cursor?: string
  total: number
  counts: Counts
}

export const streamKinds = ['events', 'logs', 'messages'] as const
export type StreamKind = (typeof streamKinds)[number]

/** What belongs to no session, of one day. */
export interface Stream {
  id: string
  kind: StreamKind
  day: string
  items: number
  errors: number
  last_seen: string
  trace_bytes: number
  trace_epoch: number
}

/** How long the trace of a session or stream is. */
export type Length = Pick<Session | Stream, 'id' | 'trace_bytes' | 'trace_epoch'>

export interface Health {
  name: string
  version: string
  started_at: string
  trace_url: string
  storage: { ok: boolean; error?: string; restoring: boolean }
  sessions: number
}

export type Attributes = Record<string, unknown>

export interface SpanLine {
  trace_id: string
  span_id: string
  parent_span_id?: string
  name: string
  start_time: string
  end_time?: string
  attributes?: Attributes
  status?: { status_code?: string; description?: string }
  kind?: string
  events?: { name: string; time: string; attributes?: Attributes }[]
  links?: { context: { trace_id: string; span_id: string }; attributes?: Attributes }[]
  resource?: { attributes?: Attributes }
  scope?: { name?: string; version?: string }
}
