import { streamKinds, type Stream, type StreamKind } from '../wire'

const names: Record<StreamKind, string> = { events: 'MCP Events', logs: 'Connection logs', messages: 'Messages without a session' }

/** The kind in a stream's id, or undefined if it is none. */
export function kindOf(id: string): StreamKind | undefined {
  return streamKinds.find((kind) => id.startsWith(`${kind}_`))
}

export function streamName(id: string): string {
  const kind = kindOf(id)
  return kind ? names[kind] : id
}

/** The latest day of each stream. */
export function latest(streams: Iterable<Stream>): Stream[] {
  const all = [...streams]
  return streamKinds.flatMap((kind) => all.filter((s) => s.kind === kind).sort((a, b) => (a.day < b.day ? 1 : -1)).slice(0, 1))
}

/** The days of a stream, the latest first. */
export function daysOf(streams: Iterable<Stream>, kind: StreamKind): string[] {
  return [...streams].filter((s) => s.kind === kind).map((s) => s.day).sort().reverse()
}
