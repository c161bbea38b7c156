// Sessions as agents make them, made up. Times are relative to now, so that ages look as they would.
import { chart } from './png.mjs'
import { iso } from './store.mjs'

const second = 1000
const minute = 60 * second
const say = (role, text) => ({ role, content: { type: 'text', text } })

function tool(name, input, content, extra = {}) {
  return {
    'mcp.tool.name': name, 'gen_ai.tool.name': name, 'mcp.rpc.method': 'tools/call', 'mcp.method.name': 'tools/call', 'mcp.rpc.transport': 'stdio', 'mcp.rpc.direction': 'outbound',
    'mcp.tool.input_json': JSON.stringify(input), ...(content ? { 'mcp.tool.output_json': JSON.stringify({ content, isError: false }) } : {}), ...extra,
  }
}

/** A coding agent at work: phases, tools, sub-agents, a model, another service, an error. */
export function busy(store, now) {
  const start = now - 9 * minute
  const s = store.session('refactor-billing-7f3a', {
    sources: ['hooks', 'mcp'],
    start, host: 'claude-code', server: 'filesystem', title: 'Refactor the billing importer', workflow_type: 'host_session',
    current_task: 'Moving retry logic out of import_invoices.py into a client', phase: 'working', phase_since: iso(now - 94 * second),
  })
  s.line({ name: 'session.start', start, end: start, attributes: { 'mcp.session.title': s.row.title, 'mcp.workflow.type': 'host_session' } })
  phases(s, start, [['thinking', 48], ['working', 130], ['waiting_approval', 35], ['working', 160], ['compacting', 12], ['thinking', 61]])
  let t = start + 2 * second
  const step = (ms) => (t += ms)
  s.line({ name: 'tools/list', kind: 'CLIENT', start: t, end: t + 38 })
  s.line({ name: 'tool.call', kind: 'CLIENT', start: step(46 * second), end: t + 212, attributes: tool('list_directory', { path: 'src/billing' }, [{ type: 'text', text: 'import_invoices.py\nretry.py\nschema.sql\ntests/' }]) })
  const files = ['import_invoices.py', 'retry.py', 'schema.sql', 'tests/test_import.py']
  files.forEach((f, i) => s.line({ name: 'tool.call', kind: 'CLIENT', start: step(900), end: t + 140 + i * 66, attributes: tool('read_text_file', { path: `src/billing/${f}`, head: 400 }, [{ type: 'text', text: 'def import_invoices(batch):\n    for invoice in batch:\n        ...' }]) }))
  s.line({ name: 'llm.generate', kind: 'CLIENT', service: 'mcp-server', start: step(2100), end: t + 11_400, attributes: llm() })
  research(s, step(14 * second))
  s.line({ name: 'tool.call', kind: 'CLIENT', start: step(52 * second), end: t + 3120, error: 'Path is outside of the allowed directories: /etc/hosts', attributes: tool('read_text_file', { path: '/etc/hosts' }, undefined, { 'mcp.error.code': 'SERVER_ERROR', 'mcp.error.message': 'Path is outside of the allowed directories: /etc/hosts', 'mcp.tool.output_json': '{"content":[{"type":"text","text":"Path is outside of the allowed directories: /etc/hosts"}],"isError":true}' }) })
  s.line({ name: 'signal.wait', start: step(26 * second), end: t + 35 * second, attributes: { 'mcp.signal.name': 'elicitation', 'mcp.signal.prompt': 'Run the migration against the staging database?', 'mcp.signal.action': 'accept', 'mcp.signal.schema_json': '{"type":"object","properties":{"confirm":{"type":"boolean","title":"Run it"}},"required":["confirm"]}' } })
  remote(store, s, step(40 * second))
  s.line({ name: 'notifications/message', start: step(3 * second), end: t, service: 'mcp-server', attributes: { 'mcp.log.level': 'warning', 'mcp.log.message': 'The index is 3 days old', 'mcp.log.data_json': '{"index":"billing","age_days":3}' } })
  s.line({ name: 'resource.fetch', kind: 'CLIENT', start: step(6 * second), end: t + 92, attributes: { 'mcp.resource.uri': 'file:///docs/billing/runbook.md', 'mcp.resource.mime_type': 'text/markdown', 'mcp.resource.bytes': 18_204 } })
  s.line({ name: 'prompt.apply', kind: 'CLIENT', start: step(2 * second), end: t + 41, attributes: { 'mcp.prompt.template_id': 'code_review', 'mcp.prompt.parameters_json': '{"language":"python","strict":true}' } })
  s.line({ name: 'tool.call', kind: 'CLIENT', start: step(9 * second), end: t + 8200, attributes: tool('render_chart', { kind: 'histogram', of: 'invoice_age' }, [{ type: 'text', text: 'Invoices by age' }, { type: 'image', mimeType: 'image/png', data: chart([3, 5, 9, 14, 12, 8, 5, 4, 2, 1, 1]) }], { 'mcp.tool.structured_output_json': '{"buckets":[{"days":7,"n":412},{"days":30,"n":96},{"days":90,"n":11}],"total":519}' }) })
  for (let i = 0; i < 60; i++) s.tokens(9000 + i * 2350 - (i > 44 ? 61_000 : 0), 200_000, start + i * 9 * second)
  for (let i = 0; i < 18; i++) s.line({ name: 'notifications/host.heartbeat', start: start + i * 30 * second, end: start + i * 30 * second, attributes: { 'mcp.host.tool_calls.total': i } })
  s.open({ name: 'tool.call', detail: 'run_tests', about: 'selection: tests/billing', kind: 'CLIENT', start: now - 41 * second, attributes: tool('run_tests', { selection: 'tests/billing' }) })
  s.open({ name: 'agent.call', detail: 'explore', about: 'Find all callers of import_invoices', start: now - 88 * second, attributes: { 'mcp.agent.name': 'explore', 'mcp.agent.task': 'Find all callers of import_invoices', 'mcp.agent.model': 'haiku' } })
  s.row.last_seen = iso(now - 3 * second)
  return s
}

/** A coding agent that tells of itself: turns, model calls, what they took, the same call from several sources. */
export function coder(store, now) {
  const start = now - 14 * minute
  const s = store.session('claude-5e1f0b', {
    start, host: 'claude-code', server: 'github', title: 'Fix the rounding of the cart total', workflow_type: 'host_session', phase: 'working', phase_since: iso(now - 21 * second),
    model: 'claude-sonnet-4-5', directory: '/home/me/src/shop', branch: 'fix/cart', sources: ['hooks', 'otlp_logs', 'otlp_spans', 'tap'],
    host_error: { type: 'rate_limit', message: 'Number of requests has exceeded your rate limit', retrying: true, retry_count: 2, time: iso(now - 9 * second) },
  })
  s.line({ name: 'session.start', start, end: start, attributes: { 'mcp.session.title': s.row.title, 'mcp.workflow.type': 'host_session' } })
  phases(s, start + 2 * second, [['working', 160], ['waiting_approval', 44], ['working', 130], ['idle', 120], ['working', 190], ['idle', 100]])
  const sums = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cost_usd: 0 }
  let calls = 0
  const model = (parent, at, ms, input, cached, output) => {
    const cost = +(((input - cached) * 3 + cached * 0.3 + output * 15) / 1e6).toFixed(4)
    sums.input_tokens += input, sums.output_tokens += output, sums.cache_read_input_tokens += cached, sums.cost_usd += cost
    s.line({ name: 'llm.generate', kind: 'CLIENT', parent, start: at, end: at + ms, attributes: { 'mcp.llm.model': 'claude-sonnet-4-5', 'gen_ai.request.model': 'claude-sonnet-4-5', 'gen_ai.response.id': `msg_${++calls}`, 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.cache_read.input_tokens': cached, 'gen_ai.usage.output_tokens': output, 'mcp.llm.cost_usd': cost, 'mcp.llm.ttft_ms': 480 } })
    s.tokens(input, 200_000, at + ms)
  }
  const used = (parent, id, name, at, ms, more = {}) => s.line({ name: 'tool.call', parent, start: at, end: at + ms, attributes: { 'mcp.tool.name': name, 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id, 'mcp.tool.input_json': '{"path":"src/cart.ts"}', ...more.attributes }, error: more.error })
  const turns = [[2, 334, 1], [456, 190, 2]]
  for (const [from, seconds, index] of turns) {
    const at = start + from * second
    const before = { ...sums }
    const turn = `${'0'.repeat(15)}${index}`
    for (let i = 0; i < 5; i++) {
      const step = at + i * (seconds / 5.2) * second
      model(turn, step + 400, 5200 + i * 700, 18_200 + (index - 1) * 42_000 + i * 7400, 15_100 + (index - 1) * 39_000 + i * 6800, 420 + i * 130)
      const id = `toolu_${index}${i}`
      const tool = used(turn, id, ['Read', 'Grep', 'Edit', 'get_issue', 'Bash'][i], step + 9000, 900 + i * 800, i === 4 && index === 1 ? { error: failure, attributes: { ...work[i], 'mcp.tool.output_json': undefined, 'mcp.error.message': failure } } : { attributes: work[i] })
      if (i === 3) s.line({ name: 'tool.call', kind: 'CLIENT', parent: tool, service: 'mcp-client', start: step + 9200, end: step + 11_000, attributes: { 'mcp.tool.name': 'get_issue', 'mcp.server.name': 'github', 'gen_ai.tool.call.id': id, 'mcp.rpc.id': '4', 'mcp.rpc.method': 'tools/call', 'mcp.tool.output_json': '{"content":[{"type":"text","text":"Cart total is off by one cent"}],"isError":false}' } })
      if (i < 2) s.line({ name: 'claude_code.tool', start: step + 9010, end: step + 9880, attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': ['Read', 'Grep'][i], 'gen_ai.tool.call.id': id, 'mcp.duplicate_of': tool } })
    }
    s.line({ id: turn, name: 'agent.turn', start: at, end: at + seconds * second, attributes: { 'mcp.turn.index': index, 'mcp.turn.prompt': prompts[index - 1], 'mcp.workflow.output_json': JSON.stringify(answers[index - 1]), 'gen_ai.usage.input_tokens': sums.input_tokens - before.input_tokens, 'gen_ai.usage.output_tokens': sums.output_tokens - before.output_tokens, 'mcp.llm.cost_usd': +(sums.cost_usd - before.cost_usd).toFixed(4) } })
  }
  used(undefined, 'toolu_x', 'Bash', start + 210 * second, 2000, { attributes: { 'mcp.tool.input_json': '{"command":"git push origin main"}', 'mcp.tool.decision': 'reject', 'mcp.tool.decision_source': 'user_reject', 'mcp.tool.approval_ms': 44_000 } })
  s.open({ name: 'tool.call', detail: 'Bash', about: 'npm test', start: now - 21 * second, attributes: { 'mcp.tool.name': 'Bash', 'gen_ai.tool.call.id': 'toolu_y', 'mcp.tool.input_json': '{"command":"npm test"}' } })
  Object.assign(s.row, { usage: { ...sums, cost_usd: +sums.cost_usd.toFixed(4) }, turns: 2, refusals: 1, llm_calls: 10, tool_calls: 11, last_seen: iso(now - 2 * second) })
  return s
}

const prompts = ['Fix the rounding of the cart total. The tests are in `src/cart.test.ts`.', 'Now do the same for refunds, and say what changed.']
const answers = [
  'The total is rounded once now, at the end:\n\n```ts\nconst total = Math.round(items.reduce((sum, item) => sum + item.cents * item.count, 0))\n```\n\nOne test still fails: **refunds** are rounded for each line.',
  '## What changed\n\n| file | change |\n|---|---|\n| `src/cart.ts` | sums in cents |\n| `src/refund.ts` | uses `totalOf` |\n\n- all 214 tests pass\n- no API has changed',
]
const failure = 'Exit code 1\n src/cart.test.ts > refunds > rounds once\n AssertionError: expected 1001 to be 1000'
const work = [
  { 'mcp.tool.input_json': '{"file_path":"/home/me/src/shop/src/cart.ts"}', 'mcp.tool.output_json': JSON.stringify({ type: 'text', file: { filePath: 'src/cart.ts', content: 'export function totalOf(items: Item[]): number {\n  return items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.count, 0)\n}\n'.repeat(6) } }) },
  { 'mcp.tool.input_json': '{"pattern":"Math\\\\.round","path":"src"}', 'mcp.tool.output_json': '"src/cart.ts:2\\nsrc/refund.ts:14"' },
  { 'mcp.tool.input_json': JSON.stringify({ file_path: '/home/me/src/shop/src/cart.ts', old_string: 'export function totalOf(items: Item[]): number {\n  return items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.count, 0)\n}', new_string: 'export function totalOf(items: Item[]): number {\n  const cents = items.reduce((sum, item) => sum + item.price * 100 * item.count, 0)\n  return Math.round(cents)\n}' }), 'mcp.tool.output_json': '{"filePath":"src/cart.ts","success":true}' },
  { 'mcp.server.name': 'github', 'mcp.tool.input_json': '{"owner":"shop","repo":"shop","issue":1182}' },
  { 'mcp.tool.input_json': '{"command":"npm test -- --run src/cart.test.ts","description":"Run the tests"}', 'mcp.tool.output_json': JSON.stringify({ stdout: Array.from({ length: 40 }, (_, i) => ` ✓ src/cart.test.ts > total ${i + 1}`).join('\n') + '\n Tests  214 passed (214)', stderr: '' }) },
]

function phases(s, start, list) {
  let at = start
  for (const [phase, seconds] of list) {
    s.line({ name: 'host.phase', start: at, end: at + seconds * second, attributes: { 'mcp.host.phase': phase } })
    at += seconds * second
  }
}

function llm() {
  const long = 'Summarise what the importer does when the upstream answers 429. '.repeat(500)
  return {
    'mcp.llm.model': 'claude-sonnet', 'gen_ai.request.model': 'claude-sonnet', 'mcp.stop_reason': 'endTurn', 'gen_ai.usage.input_tokens': 41_200, 'gen_ai.usage.output_tokens': 812, 'mcp.llm.cost_usd': 0.1358, 'mcp.llm.system_prompt': 'You are a careful reviewer of Python code. Answer in at most five sentences.',
    'mcp.llm.prompt_json': JSON.stringify([say('user', 'Where should the retry logic of import_invoices live, and why?'), say('assistant', 'Before I answer: which of the callers handle RateLimited themselves?'), say('user', long)]).slice(0, 30_720),
    'mcp.llm.prompt_json_truncated': true, 'mcp.llm.prompt_json_original_bytes': 1_482_113,
    'mcp.llm.response_json': JSON.stringify({ role: 'assistant', content: { type: 'text', text: 'In the client. Two of three callers already wrap the import in their own loop, so a retry inside it multiplies the attempts: 3 × 5 in the worst case.\n\nMove RetryPolicy to BillingClient, let import_invoices raise RateLimited, and delete the loop in nightly.py.' } }),
  }
}

function research(s, start) {
  const agent = s.line({ name: 'agent.call', start, end: start + 48 * second, attributes: { 'mcp.agent.name': 'research', 'mcp.agent.id': 'a-2', 'mcp.agent.task': 'Collect the rate limits of the payment provider', 'mcp.agent.outcome': 'success', 'mcp.agent.tokens.used': 18_220, 'mcp.state.plan_json': '{"steps":["search the docs","read the limits page","summarise"],"done":2}' }, events: [{ name: 'spawned', time: start }, { name: 'completed', time: start + 48 * second }] })
  s.line({ name: 'tool.call', parent: agent, kind: 'CLIENT', start: start + 2 * second, end: start + 9 * second, attributes: tool('search', { query: 'payments api rate limits' }, [{ type: 'text', text: '12 results' }]), events: [1, 2, 3].map((i) => ({ name: 'progress', time: start + (2 + i * 2) * second, attributes: { 'mcp.progress.progress': i * 4, 'mcp.progress.total': 12 } })) })
  s.line({ name: 'tool.call', parent: agent, kind: 'CLIENT', start: start + 10 * second, end: start + 26 * second, error: 'MCP error -32001: Request timed out', attributes: tool('fetch', { url: 'https://docs.payments.example/limits' }, undefined, { 'mcp.error.code': 'TIMEOUT', 'mcp.error.message': 'MCP error -32001: Request timed out' }) })
  s.line({ name: 'tool.call', parent: agent, kind: 'CLIENT', start: start + 27 * second, end: start + 44 * second, attributes: tool('fetch', { url: 'https://docs.payments.example/limits' }, [{ type: 'text', text: '100 requests a minute' }]) })
}

/** A call whose server has a trace of its own, in another session. */
function remote(store, s, start) {
  const request = 'req-9d2c1b7e44'
  const call = s.line({ name: 'tool.call', kind: 'CLIENT', start, end: start + 21 * second, attributes: tool('reindex', { index: 'billing' }, [{ type: 'text', text: 'Reindexed 48 211 documents' }], { 'mcp.request_id': request }) })
  const other = store.session(request, { start, host: 'search-service', title: 'reindex', workflow_type: 'reindex', engine: 'inbound', state: 'done', status: 'completed', ended_at: iso(start + 20 * second), duration_ms: 20_000, end_reason: 'finished' })
  other.line({ name: 'workflow.run', id: other.root, parent: null, kind: 'SERVER', links: [{ trace: s.trace, span: call }], start: start + 180, end: start + 20.6 * second, attributes: { 'mcp.request_id': request, 'mcp.session.title': 'reindex' } })
  other.line({ name: 'SELECT documents', kind: 'CLIENT', start: start + 400, end: start + 5200 })
  other.line({ name: 'bulk index', kind: 'CLIENT', start: start + 5300, end: start + 20.2 * second })
}

/** An agent in its first turn: the turn has no line yet. */
function turning(store, now) {
  const start = now - 74 * second
  const s = store.session('gemini-77c0', { start, host: 'gemini-cli', title: 'Make the menu usable by keyboard', workflow_type: 'host_session', phase: 'working', phase_since: iso(start), model: 'gemini-2.5-pro', directory: '/home/me/src/site', branch: 'main', sources: ['hooks', 'otlp_logs'] })
  s.line({ name: 'session.start', start, end: start, attributes: { 'mcp.session.title': s.row.title, 'mcp.workflow.type': 'host_session' } })
  const turn = 'ab'.repeat(8)
  for (let i = 0; i < 3; i++) {
    const at = start + (2 + i * 21) * second
    s.line({ name: 'llm.generate', kind: 'CLIENT', parent: turn, start: at, end: at + 7 * second, attributes: { 'mcp.llm.model': s.row.model, 'gen_ai.request.model': s.row.model, 'gen_ai.response.id': `g${i}`, 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 9000 + i * 4000, 'gen_ai.usage.output_tokens': 300 } })
    s.line({ name: 'tool.call', parent: turn, start: at + 7.2 * second, end: at + 9 * second, attributes: { 'mcp.tool.name': ['read_file', 'search_file_content', 'replace'][i], 'gen_ai.tool.name': ['read_file', 'search_file_content', 'replace'][i], 'mcp.tool.input_json': '{"path":"src/menu.ts"}' } })
  }
  s.open({ name: 'tool.call', detail: 'run_shell_command', about: 'npm test', start: now - 6 * second, attributes: { 'mcp.tool.name': 'run_shell_command', 'gen_ai.tool.name': 'run_shell_command', 'mcp.tool.input_json': '{"command":"npm test"}' } })
  Object.assign(s.row, { usage: { input_tokens: 39_000, output_tokens: 900 }, last_seen: iso(now - second) })
}

/** The others on the board. */
export function crowd(store, now) {
  const row = (id, ago, more) => {
    const s = store.session(id, { start: now - ago * minute, workflow_type: 'host_session', ...more })
    s.line({ name: 'session.start', start: now - ago * minute, end: now - ago * minute, attributes: { 'mcp.session.title': s.row.title } })
    for (let i = 0; i < 12; i++) s.line({ name: 'tool.call', kind: 'CLIENT', start: now - ago * minute + i * 4000, end: now - ago * minute + i * 4000 + 300 * i, attributes: tool(['search', 'read_file', 'edit_file'][i % 3], { i }, [{ type: 'text', text: 'ok' }]) })
    s.row.last_seen = iso(now - (more.last_seen ? now - Date.parse(more.last_seen) : (ago * 700) % 40_000))
    return s
  }
  const spark = (s, from, to, limit, n = 30) => { for (let i = 0; i < n; i++) s.tokens(Math.round(from + ((to - from) * i) / n), limit, now - (n - i) * 20 * second) }
  const waiting = row('deploy-eu-west', 22, { state: 'waiting', status: 'paused', host: 'claude-code', server: 'kubernetes', title: 'Roll out api 4.12 to eu-west', phase: 'waiting_approval', phase_since: iso(now - 252 * second), waiting: { name: 'elicitation', prompt: 'Delete the 3 old replica sets in eu-west-1?', since: iso(now - 252 * second) } })
  spark(waiting, 12_000, 81_000, 200_000)
  waiting.line({ name: 'signal.start', start: now - 252 * second, end: now - 252 * second, parent: 'aaaabbbbccccdddd', attributes: { 'mcp.signal.name': 'elicitation', 'mcp.signal.prompt': 'Delete the 3 old replica sets in eu-west-1?' } })
  const stalled = row('flaky-tests-hunt', 64, { state: 'stalled', host: 'codex', server: 'ci-tools', title: 'Find out why test_checkout is flaky', phase: 'working', phase_since: iso(now - 9 * minute), stalled: { reason: 'call_stuck', detail: 'run_ci_job', since: iso(now - 7 * minute) }, current_task: 'Running the suite 50 times' })
  stalled.open({ name: 'tool.call', detail: 'run_ci_job', kind: 'CLIENT', start: now - 9 * minute, stuck: true, attributes: tool('run_ci_job', { job: 'checkout', times: 50 }) })
  spark(stalled, 40_000, 186_000, 200_000)
  const silent = row('triage-inbox', 95, { state: 'stalled', host: 'goose', server: 'github', title: 'Triage the bug inbox', phase: 'thinking', phase_since: iso(now - 14 * minute), stalled: { reason: 'host_silent', detail: 'thinking', since: iso(now - 11 * minute) } })
  spark(silent, 9000, 64_000, 128_000)
  const run2 = row('docs-translate-de', 6, { host: 'claude-code', server: 'filesystem', title: 'Translate the handbook to German', phase: 'thinking', phase_since: iso(now - 17 * second), current_task: 'Chapter 7 of 12' })
  spark(run2, 3000, 44_000, 200_000)
  const run3 = row('acp-7c1', 3, { host: 'zed', server: 'opencode', workflow_type: 'acp_session', title: 'Add dark mode to the settings screen', phase: 'working', phase_since: iso(now - 51 * second) })
  run3.open({ name: 'tool.call', detail: 'edit_file', about: 'settings.tsx', kind: 'CLIENT', start: now - 4 * second, attributes: tool('edit_file', { path: 'settings.tsx' }) })
  const idle = row('codex-019a', 12, { state: 'idle', host: 'codex', title: 'Write tests for the tax table', phase: 'idle', phase_since: iso(now - 3 * minute), model: 'gpt-5-codex', directory: '/home/me/src/shop', branch: 'tests/tax', sources: ['hooks', 'otlp_logs'], usage: { input_tokens: 214_000, cache_read_input_tokens: 188_000, output_tokens: 3100, cost_usd: 0.087, cost_estimated_usd: 0.087, cost_source: 'list prices' } })
  spark(idle, 11_000, 52_000, 272_000)
  turning(store, now)
  row('nightly-import-0131', 190, { state: 'failed', status: 'failed', host: 'mcp-agent', title: 'nightly_import', engine: 'temporal', error: 'Activity import_batch failed after 5 attempts: connection refused', ended_at: iso(now - 170 * minute), last_seen: iso(now - 170 * minute), duration_ms: 20 * minute, end_reason: 'finished' }).row.errors = 6
  for (let i = 0; i < 24; i++) {
    const titles = ['Review pull request', 'Update dependencies', 'Summarise support tickets', 'Write release notes', 'Check links in the docs']
    const done = row(`done-${String(i).padStart(3, '0')}`, 200 + i * 37, { state: 'done', status: 'completed', host: ['claude-code', 'goose', 'mcp-agent'][i % 3], server: ['github', 'filesystem', 'postgres'][i % 3], title: `${titles[i % 5]} ${1200 + i * 7}`, ended_at: iso(now - (190 + i * 37) * minute), last_seen: iso(now - (190 + i * 37) * minute), duration_ms: 10 * minute, end_reason: 'finished' })
    Object.assign(done.row, { model: ['claude-sonnet-4-5', 'gpt-5-codex', 'gemini-2.5-pro'][i % 3], usage: { input_tokens: 40_000 + i * 31_000, cache_read_input_tokens: i % 2 ? 30_000 + i * 20_000 : 0, output_tokens: 900 + i * 640, ...(i % 4 ? { cost_usd: +(0.04 + i * 0.037).toFixed(3) } : {}) } })
    spark(done, 2000, 20_000 + i * 5200, 200_000)
    done.row.last_seen = done.row.ended_at
  }
}
