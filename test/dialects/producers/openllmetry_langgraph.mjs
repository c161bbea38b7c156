import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { LangChainInstrumentation } from '@traceloop/instrumentation-langchain'
import * as callbackManagerModule from '@langchain/core/callbacks/manager'
import { provider, write } from '../telemetry.mjs'
import { ask } from '../langgraph.mjs'

const { tracerProvider, memory } = provider('langgraph-agent')
const instrumentation = new LangChainInstrumentation()
instrumentation.setTracerProvider(tracerProvider)
instrumentation.manuallyInstrument({ callbackManagerModule })
const { createReactAgent } = await import('@langchain/langgraph/prebuilt')
await ask(createReactAgent)
const to = path.join(process.argv[2], 'openllmetry')
mkdirSync(to, { recursive: true })
write(path.join(to, 'langgraph-js.json'), memory.getFinishedSpans())
