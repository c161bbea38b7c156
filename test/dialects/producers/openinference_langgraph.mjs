import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import * as CallbackManagerModule from '@langchain/core/callbacks/manager'
import { provider, write } from '../telemetry.mjs'
import { ask } from '../langgraph.mjs'

const { tracerProvider, memory } = provider('langgraph-agent')
const instrumentation = new LangChainInstrumentation({ tracerProvider })
instrumentation.manuallyInstrument(CallbackManagerModule)
const { createReactAgent } = await import('@langchain/langgraph/prebuilt')
await ask(createReactAgent)
const to = path.join(process.argv[2], 'openinference')
mkdirSync(to, { recursive: true })
write(path.join(to, 'langgraph-js.json'), memory.getFinishedSpans())
