import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { generateText, stepCountIs, tool } from 'ai-legacy'
import { MockLanguageModelV2 } from 'ai-legacy/test'
import { z } from 'zod'
import { provider, write } from '../telemetry.mjs'

const { memory } = provider('vercel-agent')
const usage = { inputTokens: 120, outputTokens: 18, totalTokens: 138, cachedInputTokens: 64, reasoningTokens: 5 }
let calls = 0
const model = new MockLanguageModelV2({
  provider: 'openai.chat', modelId: 'gpt-4o',
  doGenerate: async () => calls++ === 0
    ? { finishReason: 'tool-calls', usage, warnings: [], content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' }] }
    : { finishReason: 'stop', usage, warnings: [], content: [{ type: 'text', text: 'It is 21 °C in Oslo.' }] },
})
await generateText({
  model, system: 'You are brief.', prompt: 'How warm is it in Oslo?', stopWhen: stepCountIs(3),
  tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ celsius: 21 }) }) },
  experimental_telemetry: { isEnabled: true, functionId: 'weather-agent', metadata: { sessionId: 'conversation-1', userId: 'u-1' } },
})
const to = path.join(process.argv[2], 'vercel')
mkdirSync(to, { recursive: true })
write(path.join(to, 'ai-5.json'), memory.getFinishedSpans())
