import path from 'node:path'
import { mkdirSync } from 'node:fs'
import OpenAI from 'openai'
import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai'
import { start } from '../model.mjs'
import { provider, write } from '../telemetry.mjs'

const { tracerProvider, memory } = provider('openllmetry-agent')
const instrumentation = new OpenAIInstrumentation()
instrumentation.setTracerProvider(tracerProvider)
instrumentation.manuallyInstrument(OpenAI)
const model = await start()
const client = new OpenAI({ apiKey: 'none', baseURL: model.url })
const tools = [{ type: 'function', function: { name: 'weather', description: 'The weather in a city', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }]
const messages = [{ role: 'system', content: 'You are brief.' }, { role: 'user', content: 'How warm is it in Oslo?' }]
const first = await client.chat.completions.create({ model: 'gpt-4o', messages, tools, max_tokens: 100 })
messages.push(first.choices[0].message, { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":21}' })
await client.chat.completions.create({ model: 'gpt-4o', messages, tools })
model.close()
const to = path.join(process.argv[2], 'openllmetry')
mkdirSync(to, { recursive: true })
write(path.join(to, 'openai-js.json'), memory.getFinishedSpans())
