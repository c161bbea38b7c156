import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { provider, write } from '../telemetry.mjs'
import { McpInstrumentation } from '@traceloop/instrumentation-mcp'
import * as clientModule from '@modelcontextprotocol/sdk/client/index.js'
import * as serverModule from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { z } from 'zod'

const { tracerProvider, memory } = provider('mcp-program')
const instrumentation = new McpInstrumentation()
instrumentation.setTracerProvider(tracerProvider)
instrumentation.manuallyInstrument({ Client: clientModule.Client, Server: serverModule.Server })
const server = new McpServer({ name: 'weather-server', version: '1.0.0' })
server.registerTool('weather', { description: 'The weather in a city', inputSchema: { city: z.string() } }, async ({ city }) => city === 'Oslo'
  ? { content: [{ type: 'text', text: '21 °C' }] } : { isError: true, content: [{ type: 'text', text: 'no such city' }] })
const [a, b] = InMemoryTransport.createLinkedPair()
await server.connect(a)
const client = new clientModule.Client({ name: 'weather-agent', version: '1.0.0' })
await client.connect(b)
await client.listTools()
await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } })
await client.callTool({ name: 'weather', arguments: { city: 'Nowhere' } })
await client.close()
const to = path.join(process.argv[2], 'openllmetry')
mkdirSync(to, { recursive: true })
write(path.join(to, 'mcp-js.json'), memory.getFinishedSpans())
