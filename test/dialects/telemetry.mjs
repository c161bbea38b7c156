// Keeps the spans of a program and writes them as OTLP/JSON, with ids and times that do not change from one
// recording to the next.
import { writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { resourceFromAttributes } from '@opentelemetry/resources'

export function provider(service, ...processors) {
  const memory = new InMemorySpanExporter()
  const tracerProvider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [...processors, new SimpleSpanProcessor(memory)],
  })
  tracerProvider.register()
  return { tracerProvider, memory }
}

const start = 1760000000000000000n

export function write(file, spans) {
  const request = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)))
  const ids = new Map()
  const id = (old, bytes) => {
    if (!old) return old
    if (!ids.has(old)) ids.set(old, createHash('sha256').update(`${bytes}/${ids.size}`).digest('hex').slice(0, 2 * bytes))
    return ids.get(old)
  }
  let tick = 0n
  const time = () => String(start + 1000000n * tick++)
  for (const rs of request.resourceSpans) {
    rs.resource.attributes = rs.resource.attributes.filter((a) => a.key === 'service.name')
    for (const ss of rs.scopeSpans) {
      for (const span of ss.spans) {
        span.traceId = id(span.traceId, 16)
        span.spanId = id(span.spanId, 8)
        span.parentSpanId = id(span.parentSpanId, 8)
        span.startTimeUnixNano = time()
        span.endTimeUnixNano = time()
        for (const event of span.events ?? []) event.timeUnixNano = span.endTimeUnixNano
      }
    }
  }
  // What differs from one run or computer to the next: durations, ids that a library makes up, ports, paths.
  const made = new Map()
  const text = JSON.stringify(request, null, 2)
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1234')
    .replace(/("key": "gcp.vertex.agent.event_id",\s*"value": \{\s*"stringValue": ")[^"]*/g, '$1e-1')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z')
    .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/g, 'Thu, 01 Jan 2026 00:00:00 GMT')
    .replace(/(createdAt\\*":)\d{13}/g, '$11760000000000')
    .replace(/(?:\\n {4}at (?:[^"\\]|\\(?!n))*)+/g, '\\n    at app.mjs:1:1')
    .replace(/(?:aitxt|call|id)-[A-Za-z0-9]{16,24}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!made.has(id)) made.set(id, `made-up-${made.size + 1}`)
      return made.get(id)
    })
    .replace(/("key": "[^"]*(?:[mM]s[A-Z]|[mM]s|[dD]uration|PerSecond|time_to_first_chunk|time_per_output_chunk)[^"]*",\s*"value": \{\s*"(?:doubleValue|intValue)": )[\d.]+/g, '$11')
  writeFileSync(file, text + '\n')
}
