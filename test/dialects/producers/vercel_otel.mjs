import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { generateText, isStepCount, registerTelemetry, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { OpenTelemetry } from '@ai-sdk/otel'
import { z } from 'zod'
import { provider, write } from '../telemetry.mjs'

const { memory } = provider('vercel-agent')
registerTelemetry(new OpenTelemetry())
const usage = { inputTokens: { total: 120, noCache: 56, cacheRead: 64, cacheWrite: undefined }, outputTokens: { total: 18, text: 13, reasoning: 5 } }
let calls = 0
const model = new MockLanguageModelV4({
  provider: 'openai.chat', modelId: 'gpt-4o',
  doGenerate: async () => calls++ === 0
    ? { finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [], content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' }] }
    : { finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [], content: [{ type: 'text', text: 'It is 21 °C in Oslo.' }] },
})
await generateText({
  model, instructions: 'You are brief.', prompt: 'How warm is it in Oslo?', stopWhen: isStepCount(3),
  tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ celsius: 21 }) }) },
  telemetry: { isEnabled: true, functionId: 'weather-agent' },
})
const to = path.join(process.argv[2], 'vercel_otel')
mkdirSync(to, { recursive: true })
write(path.join(to, 'ai-7.json'), memory.getFinishedSpans())
