import type { Session } from '../wire'

const lineFeed = 10

/** Answers as the gateway does, from the row and the lines of one session. */
export class Archive {
  constructor(private row: Session, private lines: Uint8Array<ArrayBuffer>) {}

  /** Reads gzip in base64: the row in the first line, then the lines of spans. */
  static async read(base64: string): Promise<Archive> {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
    const all = new Uint8Array(await new Response(unpacked).arrayBuffer())
    const first = all.indexOf(lineFeed)
    return new Archive(JSON.parse(new TextDecoder().decode(all.subarray(0, first))) as Session, all.subarray(first + 1))
  }

  answer(path: string, headers: Record<string, string> = {}): Response {
    const id = encodeURIComponent(this.row.id)
    if (path === `sessions/${id}`) return Response.json(this.row)
    if (path === `trace/${id}`) return this.range(headers.Range ?? 'bytes=0-')
    if (path.startsWith('sessions?')) return Response.json({ sessions: [], total: 1, counts: {} })
    return Response.json({ error: 'This file has one session.' }, { status: 404 })
  }

  private range(range: string): Response {
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
    const size = this.lines.length
    if (Number(from) >= size) return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${size}` } })
    const headers = { 'X-Trace-Epoch': String(this.row.trace_epoch) }
    return new Response(this.lines.subarray(Number(from), to ? Number(to) + 1 : size), { status: 206, headers })
  }
}
