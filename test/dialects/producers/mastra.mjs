import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-node'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'
import { z } from 'zod'
import { start } from '../model.mjs'
import { write } from '../telemetry.mjs'

const model = await start()
const memory = new InMemorySpanExporter()
const weather = createTool({
  id: 'weather', description: 'The weather in a city', inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => { if (city !== 'Oslo') throw new Error('no such city'); return { celsius: 21 } },
})
const agent = new Agent({
  id: 'weather-agent', name: 'Weather Agent', instructions: 'You are brief.', tools: { weather },
  model: { id: 'openai/gpt-4o', url: model.url, apiKey: 'none' },
})
const exporters = [new OtelExporter({ provider: { custom: { endpoint: 'http://127.0.0.1:1' } }, exporter: memory, signals: { logs: false } })]
const mastra = new Mastra({
  agents: { agent }, logger: false,
  observability: new Observability({ configs: { otel: { serviceName: 'mastra-agent', exporters } } }),
})
const result = await mastra.getAgent('agent').generate('How warm is it in Oslo and Nowhere?', { memory: { thread: 'conversation-1', resource: 'u-1' } })
await Promise.all(exporters.map((e) => e.flush()))
model.close()
const to = path.join(process.argv[2], 'mastra')
mkdirSync(to, { recursive: true })
write(path.join(to, 'otel-exporter-js.json'), memory.getFinishedSpans())
if (!result.text) throw new Error('no answer')
process.exit(0)
