import path from 'node:path'
import { mkdirSync } from 'node:fs'
import * as agents from '@openai/agents'
import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { start } from '../model.mjs'
import { provider, write } from '../telemetry.mjs'

const { tracerProvider, memory } = provider('openai-agents')
const instrumentation = new OpenAIAgentsInstrumentation({ tracerProvider })
instrumentation.manuallyInstrument(agents)
const model = await start()
agents.setDefaultOpenAIClient(new OpenAI({ apiKey: 'none', baseURL: model.url }))
const weather = agents.tool({
  name: 'weather', description: 'The weather in a city', parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => { if (city !== 'Oslo') throw new Error('no such city'); return '{"celsius":21}' },
})
const agent = new agents.Agent({ name: 'weather-agent', instructions: 'You are brief.', model: 'gpt-4o', tools: [weather] })
const runner = new agents.Runner({ workflowName: 'weather-workflow', groupId: 'conversation-1' })
await runner.run(agent, 'How warm is it in Oslo and Nowhere?')
await agents.getGlobalTraceProvider().forceFlush()
model.close()
const to = path.join(process.argv[2], 'openinference')
mkdirSync(to, { recursive: true })
write(path.join(to, 'openai-agents-js.json'), memory.getFinishedSpans())
