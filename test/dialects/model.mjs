// A model that answers as OpenAI's chat completions do: first it calls a tool, then it tells what that said.
import http from 'node:http'

const usage = { prompt_tokens: 120, completion_tokens: 18, total_tokens: 138, prompt_tokens_details: { cached_tokens: 64 }, completion_tokens_details: { reasoning_tokens: 5 } }

function answer(request) {
  const asked = request.messages.some((m) => m.role === 'tool')
  const message = asked || !request.tools
    ? { role: 'assistant', content: 'It is 21 °C in Oslo.' }
    : { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] }
  return {
    id: asked ? 'chatcmpl-2' : 'chatcmpl-1', object: 'chat.completion', created: 1760000000, model: 'gpt-4o-2024-11-20', usage,
    choices: [{ index: 0, message, logprobs: null, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
  }
}

// start serves until the returned server is closed; its address is url.
export async function start() {
  const server = http.createServer((req, res) => {
    let body = ''
    req.on('data', (part) => { body += part })
    req.on('end', () => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(answer(JSON.parse(body))))
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() }
}
