#!/usr/bin/env node
// A development server for the web UI, with made-up sessions that go on by themselves: `npm run dev`, after
// `npx vite build --watch` in another terminal. NOT the gateway and no test of it.
//   --port 7811   --empty   --big 50000 (a session of so many spans)   --rate 0 (messages a second)
import { parseArgs } from 'node:util'
import { busy, coder, crowd } from './data.mjs'
import { serve } from './http.mjs'
import { iso, Store } from './store.mjs'

const { values } = parseArgs({ options: { port: { type: 'string', default: '7811' }, empty: { type: 'boolean' }, big: { type: 'string' }, rate: { type: 'string', default: '1' } } })
const store = new Store()
if (!values.empty) {
  const agent = busy(store, Date.now())
  coder(store, Date.now())
  crowd(store, Date.now())
  if (Number(values.rate)) setInterval(() => work(agent), 1000 / Number(values.rate))
}
if (values.big) big(Number(values.big))
serve(store, Number(values.port), new URL('../dist/', import.meta.url))
console.log(`development server, not the gateway: http://localhost:${values.port}/_inspector/ui`)

let used = 96_000
function work(agent) {
  const now = Date.now()
  const names = ['read_text_file', 'search', 'edit_file', 'run_tests']
  const name = names[Math.floor(Math.random() * names.length)]
  agent.line({ name: 'tool.call', kind: 'CLIENT', start: now - 400 - Math.random() * 600, end: now, error: Math.random() < 0.05 ? 'No such file' : undefined, attributes: { 'mcp.tool.name': name, 'mcp.tool.input_json': '{"path":"src/a.py"}' } })
  agent.tokens((used += 140), 200_000)
  agent.set({ last_seen: iso(now) })
}

function big(n) {
  const start = Date.now() - 3_600_000
  const s = store.session('big', { start, title: `${n} spans`, host: 'load', state: 'done', status: 'completed', ended_at: iso(Date.now()), duration_ms: 3_600_000 })
  s.line({ name: 'workflow.run', id: s.root, parent: null, start, end: Date.now(), attributes: { 'mcp.session.title': 'big' } })
  let agent
  for (let i = 1; i < n; i++) {
    const at = start + i * (3_500_000 / n)
    if (i % 100 === 1) agent = s.line({ name: 'agent.call', start: at, end: at + 7000, attributes: { 'mcp.agent.name': `agent ${i}` } })
    else s.line({ name: 'tool.call', parent: agent, kind: 'CLIENT', start: at, end: at + 20 + (i % 40), error: i % 97 ? undefined : 'No such file', attributes: { 'mcp.tool.name': `tool_${i % 20}`, 'mcp.tool.input_json': `{"path":"src/file_${i}.py"}`, 'mcp.tool.output_json': '{"content":[{"type":"text","text":"ok"}],"isError":false}' } })
  }
}
