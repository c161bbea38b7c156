// An agent of LangGraph, which several instrumentations watch.
import { ChatOpenAI } from '@langchain/openai'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { start } from './model.mjs'

export async function ask(createReactAgent) {
  const model = await start()
  const weather = tool(async ({ city }) => {
    if (city !== 'Oslo') throw new Error('no such city')
    return '{"celsius":21}'
  }, { name: 'weather', description: 'The weather in a city', schema: z.object({ city: z.string() }) })
  const llm = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'none', configuration: { baseURL: model.url } })
  const agent = createReactAgent({ llm, tools: [weather], name: 'weather-agent', prompt: 'You are brief.' })
  await agent.invoke(
    { messages: [{ role: 'user', content: 'How warm is it in Oslo and Nowhere?' }] },
    { configurable: { thread_id: 'conversation-1' }, metadata: { session_id: 'conversation-1' } },
  )
  model.close()
}
