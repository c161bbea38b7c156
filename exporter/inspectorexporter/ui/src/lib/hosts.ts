import { states, type Session, type State } from '../wire'

/** Sessions that may be one agent's, but are not certain to be. */
export interface Group {
  key: string
  name: string
  rows: Session[] // in the order of the board
  worst: State
  errors: number
  seen: string // the last time that any of them was
}

/** A row of the board: a session, or the head of a group. */
export type Item = { row: Session; inGroup: boolean } | { group: Group; folded: boolean }

const own = ['hooks', 'otlp_logs', 'otlp_spans', 'inspector']

/** A connection to one server, or nothing but heartbeats: other sessions may be of the same agent. */
function isPiece({ workflow_type: kind, sources = [] }: Session): boolean {
  return (kind === 'mcp_session' || kind === 'host_session') && !sources.some((source) => own.includes(source))
}

/** What is at the collector's own MCP server is there to send heartbeats. */
const isBeats = (row: Session) => isPiece(row) && (row.workflow_type === 'host_session' || row.server === 'otelcol-mcp')

function ends(row: Session): number {
  if (row.ended_at) return Date.parse(row.ended_at)
  return row.state === 'done' || row.state === 'failed' ? Date.parse(row.last_seen) : Infinity
}

/** Those that were there while one of the others was. */
function during(others: Session[], rows: Session[]): Session[] {
  const from = Math.min(...others.map((row) => Date.parse(row.started_at))), to = Math.max(...others.map(ends))
  return rows.filter((row) => Date.parse(row.started_at) <= to && ends(row) >= from)
}

/** The groups of the sessions of one agent's name: one for each process of it that is known, and what says of none. */
function divide(rows: Session[]): Session[][] {
  const processes = new Set(rows.flatMap((row) => row.host_id ?? []))
  const of = (row: Session) => row.host_id ?? (processes.has(row.id) ? row.id : '')
  const known = new Map([...processes].map((id) => [id, [] as Session[]]))
  const loose: Session[] = []
  for (const row of rows) (known.get(of(row)) ?? loose).push(row)
  // Heartbeats say no process. They are of the only one there is, or of what else says none.
  const sure = processes.size === 1 ? known.get([...processes][0]!)! : loose.filter(isBeats)
  if (sure.length) {
    const near = during(sure, loose)
    const agents = near.filter((row) => !isPiece(row))
    const joined = near.filter((row) => !sure.includes(row) && (isPiece(row) || agents.length === 1))
    if (processes.size === 1) sure.push(...joined)
    else known.set('', [...sure, ...joined])
  }
  return [...known.values()].filter((group) => group.length > 1 && group.some(isPiece))
}

function groupOf(name: string, key: string, members: Set<Session>, order: Session[]): Group {
  const rows = order.filter((row) => members.has(row))
  return {
    key, name, rows, worst: states.find((state) => rows.some((row) => row.state === state)) ?? 'running',
    errors: rows.reduce((sum, row) => sum + row.errors, 0), seen: rows.reduce((last, row) => (Date.parse(row.last_seen) > Date.parse(last) ? row.last_seen : last), rows[0]!.last_seen),
  }
}

/** The board's rows: each group is where the first of its sessions is. */
export function groupByHost(sessions: Session[], folded: ReadonlySet<string>): Item[] {
  const byName = new Map<string, Session[]>()
  for (const row of sessions) {
    const name = row.agent ?? row.host
    if (name) byName.set(name, [...(byName.get(name) ?? []), row])
  }
  const groups = new Map<Session, Group>()
  for (const [name, rows] of byName) {
    if (rows.length < 2 || !rows.some(isPiece)) continue
    for (const members of divide(rows)) {
      const process = members.find((row) => row.host_id)?.host_id ?? ''
      const group = groupOf(name, `${name} ${process}`, new Set(members), rows)
      members.forEach((row) => groups.set(row, group))
    }
  }
  return sessions.flatMap((row): Item[] => {
    const group = groups.get(row)
    if (!group) return [{ row, inGroup: false }]
    if (group.rows[0] !== row) return []
    const isFolded = folded.has(group.key)
    return [{ group, folded: isFolded }, ...(isFolded ? [] : group.rows.map((one) => ({ row: one, inGroup: true })))]
  })
}

/** 1 stalled, 2 running. */
export function stateCounts({ rows }: Group): string {
  return states.flatMap((state) => {
    const n = rows.filter((row) => row.state === state).length
    return n ? `${n} ${state}` : []
  }).join(', ')
}
