import type { SpanLine } from '../wire'

/** Reports whether either status says so: some senders set only OpenTelemetry's, others only mcp.status.code. */
export function isFailed(line: SpanLine): boolean {
  return line.status?.status_code === 'ERROR' || line.attributes?.['mcp.status.code'] === 'error'
}

/** What both statuses come to, in a word. */
export function outcome(line: SpanLine, running: boolean): string {
  if (isFailed(line)) return 'Error'
  return running ? 'No end yet' : 'OK'
}

/** Both statuses as they were sent. */
export function statuses(line: SpanLine): string {
  const otel = line.status?.status_code
  const mcp = line.attributes?.['mcp.status.code']
  return [otel && `OpenTelemetry: ${otel.toLowerCase()}`, mcp !== undefined && `mcp.status.code: ${String(mcp)}`].filter(Boolean).join(', ')
}

/** Why a span failed, as far as it says. */
export function whyFailed({ attributes = {}, status }: SpanLine): { code: string; text: string } {
  const told = [attributes['mcp.error.message'], status?.description].map((text) => String(text ?? '')).filter(Boolean)
  return { code: String(attributes['mcp.error.code'] ?? ''), text: [...new Set(told)].join(' · ') || 'Error, without a message' }
}
