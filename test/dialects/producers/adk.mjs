import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { provider, write } from '../telemetry.mjs'

const { memory } = provider('adk-agent')
const { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent } = await import('@google/adk')
const { z } = await import('zod')

class Model extends BaseLlm {
  constructor() { super({ model: 'gemini-2.5-flash' }) }
  async * generateContentAsync(request) {
    const answered = request.contents.some((c) => c.parts.some((p) => p.functionResponse))
    yield {
      content: { role: 'model', parts: [answered ? { text: 'It is 21 °C in Oslo.' } : { functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } } }] },
      finishReason: 'STOP', usageMetadata: { promptTokenCount: 120, candidatesTokenCount: 18, cachedContentTokenCount: 64, totalTokenCount: 138 },
    }
  }
  async connect() { throw new Error('not live') }
}
const weather = new FunctionTool({ name: 'weather', description: 'The weather in a city', parameters: z.object({ city: z.string() }), execute: async () => ({ celsius: 21 }) })
const agent = new LlmAgent({ name: 'weather_agent', model: new Model(), instruction: 'You are brief.', tools: [weather] })
const runner = new InMemoryRunner({ agent, appName: 'weather' })
const session = await runner.sessionService.createSession({ appName: 'weather', userId: 'u-1', sessionId: 'conversation-1' })
for await (const event of runner.runAsync({ userId: 'u-1', sessionId: session.id, newMessage: { role: 'user', parts: [{ text: 'How warm is it in Oslo?' }] } })) void event
const to = path.join(process.argv[2], 'adk')
mkdirSync(to, { recursive: true })
write(path.join(to, 'adk-js.json'), memory.getFinishedSpans())
