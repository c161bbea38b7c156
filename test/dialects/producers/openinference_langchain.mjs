import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import * as CallbackManagerModule from '@langchain/core/callbacks/manager'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { tool } from '@langchain/core/tools'
import { RunnableLambda } from '@langchain/core/runnables'
import { z } from 'zod'
import { provider, write } from '../telemetry.mjs'

const { tracerProvider, memory } = provider('langchain-agent')
const instrumentation = new LangChainInstrumentation({ tracerProvider })
instrumentation.manuallyInstrument(CallbackManagerModule)
const weather = tool(async () => '{"celsius":21}', { name: 'weather', description: 'The weather in a city', schema: z.object({ city: z.string() }) })
const model = new FakeListChatModel({ responses: ['It is 21 °C in Oslo.'] })
const agent = RunnableLambda.from(async (question, config) => {
  await weather.invoke({ city: 'Oslo' }, config)
  return (await model.invoke([['system', 'You are brief.'], ['human', question]], config)).content
}).withConfig({ runName: 'weather-agent' })
await agent.invoke('How warm is it in Oslo?', { metadata: { session_id: 'conversation-1' } })
const to = path.join(process.argv[2], 'openinference')
mkdirSync(to, { recursive: true })
write(path.join(to, 'langchain-js.json'), memory.getFinishedSpans())
