import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { setLangfuseTracerProvider, startObservation } from '@langfuse/tracing'
import { provider, write } from '../telemetry.mjs'

const { tracerProvider, memory } = provider('langfuse-agent')
setLangfuseTracerProvider(tracerProvider)
const agent = startObservation('weather-agent', { input: 'How warm is it in Oslo?' }, { asType: 'agent' })
const attributes = { model: 'gpt-4o', input: [{ role: 'user', content: 'How warm is it in Oslo?' }], output: { role: 'assistant', content: 'It is 21 °C in Oslo.' }, usageDetails: { input: 56, output: 18, cache_read_input_tokens: 64 }, costDetails: { total: 0.0021 } }
const generation = agent.startObservation('answer', attributes, { asType: 'generation' })
generation.end()
const tool = agent.startObservation('weather', { input: { city: 'Oslo' } }, { asType: 'tool' })
tool.update({ output: { celsius: 21 } }).end()
const failed = agent.startObservation('forecast', { input: { city: 'Nowhere' }, level: 'ERROR', statusMessage: 'no such city' }, { asType: 'tool' })
failed.end()
agent.update({ output: 'It is 21 °C in Oslo.' })
agent.otelSpan.setAttribute('session.id', 'conversation-1')
agent.end()
const to = path.join(process.argv[2], 'langfuse')
mkdirSync(to, { recursive: true })
write(path.join(to, 'sdk-js.json'), memory.getFinishedSpans())
