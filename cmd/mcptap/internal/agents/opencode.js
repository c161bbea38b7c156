// opencode plugin of otelcol-mcp: reports sessions, prompts, tool calls, model
// calls and permissions to the collector at OTELCOL_MCP_URL (default
// http://localhost:4319). If opencode's own spans go to its OTLP address, which is
// MCPTAP_OTLP_ENDPOINT (default http://localhost:4328), it says so. Requests have the
// headers in MCPTAP_HEADERS (NAME=VALUE,NAME=VALUE). It never changes or delays what
// opencode does: events are sent in the background, and at its end opencode waits 300 ms at
// most. Without a collector, events wait in memory, as many as fit.

import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"

const url = (process.env.OTELCOL_MCP_URL || "http://localhost:4319").replace(/\/+$/, "") + "/v1/hooks/opencode"
const otlp = process.env.MCPTAP_OTLP_ENDPOINT || "http://localhost:4328"
const extra = "" || process.env.MCPTAP_HEADERS || "" // with values in percent-encoding
const limit = 1000 // ms that a request may take
const idleLimit = 300 // ms that opencode waits for the last request at its end
const pause = 100 // ms before a busy collector is asked once more
const downFor = 3000 // ms before a collector that does not answer is asked again
const bodyMax = 4 << 20 // bytes of events in one request
const queueMax = 1000 // events that wait to be sent
const queueBytes = 16 << 20 // bytes of them
const rememberMax = 1000 // sessions and calls that are remembered

export const OtelcolMcp = async ({ directory } = {}) => {
  const sender = newSender()
  const state = {
    directory,
    sender,
    servers: [], // names of MCP servers, the longest first
    roots: new Map(), // id of a session: its title
    agents: new Map(), // id of a sub-agent's session: where it belongs
    calls: new Map(), // id of an open tool call: what was called
    asked: new Map(), // id of a question: id of the tool call
    steps: new Map(), // id of a message: when the model wrote it
    done: new Map(), // ids of messages that were reported
  }
  const safely = (report) => async (...args) => {
    try {
      report(state, ...args)
    } catch {
      // What cannot be reported is none of opencode's business.
    }
  }
  return {
    config: safely(configured),
    event: safely((s, { event }) => happened(s, event)),
    "chat.message": safely(prompted),
    "tool.execute.before": safely(toolStarted),
    "tool.execute.after": safely(toolEnded),
    "experimental.session.compacting": safely((s, { sessionID }) => send(s, sessionID, "session.compacting")),
    dispose: async () => {
      try {
        for (const id of state.roots.keys()) send(state, id, "instance.disposed")
        await sender.idle()
      } catch {
        // likewise
      }
    },
  }
}

// newSender sends events in order, as many at once as have come together and fit.
// What does not fit the queue is lost.
function newSender() {
  let queue = []
  let waiting = 0 // bytes in the queue
  let busy = null
  let down = false // until the timer ends
  const id = processId()
  let query = id && "?process=" + id
  const start = () => (busy ??= Promise.resolve().then(drain))
  const later = (batch) => {
    queue.unshift(...batch)
    waiting += batch.reduce((sum, { size }) => sum + size, 0)
    down = true
    setTimeout(() => {
      down = false
      start()
    }, downFor).unref?.()
  }
  const drain = async () => {
    while (queue.length > 0) {
      const batch = queue.splice(0, fitting(queue))
      waiting -= batch.reduce((sum, { size }) => sum + size, 0)
      const body = batch.map(({ text }) => text).join("\n")
      try {
        if (await post(body, query)) continue
        await new Promise((done) => setTimeout(done, pause))
        if (await post(body, query)) continue
      } catch {
        // No collector answers.
      }
      later(batch)
      break
    }
    busy = null
  }
  return {
    telemetry(sources) {
      const parts = [sources && "otel=" + sources, id && "process=" + id].filter(Boolean)
      query = parts.length ? "?" + parts.join("&") : ""
    },
    push(event) {
      if (queue.length >= queueMax) return
      const text = JSON.stringify(event)
      const size = Buffer.byteLength(text) + 1
      if (waiting + size > queueBytes) return
      waiting += size
      queue.push({ text, size })
      if (!down) start()
    },
    async idle() {
      let timer
      await Promise.race([busy, new Promise((done) => (timer = setTimeout(done, idleLimit)))])
      clearTimeout(timer)
    },
  }
}

// processId names this process as mcptap does, whose servers opencode starts; "" where the
// system does not tell as Linux does.
function processId() {
  const read = (path) => readFileSync(path, "utf8").trim()
  try {
    const stat = read("/proc/self/stat")
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] // proc_pid_stat(5), field 22
    const boot = read("/proc/sys/kernel/random/boot_id") + "\0" + readlinkSync("/proc/self/ns/pid")
    return `${process.pid}.${start}.${createHash("sha256").update(boot).digest("hex").slice(0, 8)}`
  } catch {
    return ""
  }
}

// fitting is how many events go into one request: at least one.
function fitting(queue) {
  let size = 0
  const over = queue.findIndex((event) => (size += event.size) > bodyMax)
  return over < 0 ? queue.length : Math.max(over, 1)
}

// post is false if the collector is busy and wants to be asked again.
async function post(body, query) {
  const headers = { ...extraHeaders(), "Content-Type": "application/x-ndjson" }
  if (process.env.OTELCOL_MCP_TOKEN) headers.Authorization = "Bearer " + process.env.OTELCOL_MCP_TOKEN
  const answer = await fetch(url + query, { method: "POST", headers, body, signal: AbortSignal.timeout(limit) })
  await answer.arrayBuffer()
  return answer.status !== 503 && answer.status !== 429
}

// extraHeaders are those that mcptap connect or the environment says. What cannot be read
// is left out, and what no header can have. fetch sends a byte for each character.
function extraHeaders() {
  const headers = {}
  for (const pair of extra.split(",")) {
    const [, name, value] = /^([\w-]+)=(.+)$/.exec(pair) ?? []
    try {
      const bytes = name && Buffer.from(decodeURIComponent(value)).toString("latin1")
      if (bytes && !/[\0-\x1f\x7f]/.test(bytes)) headers[name] = bytes
    } catch {
      // It is not valid.
    }
  }
  return headers
}

// remember keeps the newest entries only.
function remember(map, key, value) {
  map.delete(key)
  map.set(key, value)
  if (map.size > rememberMax) map.delete(map.keys().next().value)
}

// send reports an event of a session. The session of a sub-agent is part of the
// session that started it.
function send(s, sessionID, name, members = {}) {
  if (!sessionID) return
  const agent = s.agents.get(sessionID)
  const root = agent ? agent.root : sessionID
  if (!s.roots.has(root)) remember(s.roots, root, true)
  s.sender.push({
    hook_event_name: name,
    session_id: root,
    ...(agent && { agent_id: sessionID, agent_type: agent.type }),
    timestamp: Date.now(),
    cwd: s.directory,
    ...members,
  })
}

function configured(s, config) {
  s.servers = Object.keys(config?.mcp ?? {}).sort((a, b) => b.length - a.length)
  s.sender.telemetry(config?.experimental?.openTelemetry && tracesAreOurs() ? "traces" : "")
}

// tracesAreOurs: spans that go elsewhere are not to be waited for.
function tracesAreOurs() {
  const theirs = hostAndPort(process.env.OTEL_EXPORTER_OTLP_ENDPOINT)
  return theirs !== undefined && theirs === hostAndPort(otlp)
}

// hostAndPort is undefined for what is no URL of a host.
function hostAndPort(address) {
  try {
    const { protocol, hostname, port } = new URL(address)
    if (!hostname) return
    const host = /^(127\.0\.0\.1|\[::1\])$/.test(hostname) ? "localhost" : hostname
    return host + ":" + (port || (protocol === "https:" ? 443 : 80))
  } catch {
    // There is none, then.
  }
}

function happened(s, { type, properties: p = {} }) {
  switch (type) {
    case "session.created":
      return created(s, p.info ?? {})
    case "session.updated":
      return updated(s, p.info ?? {})
    case "session.deleted":
      return deleted(s, p.info?.id ?? p.sessionID)
    case "session.idle":
    case "session.compacted":
      return send(s, p.sessionID, type)
    case "session.error":
      return send(s, p.sessionID, type, { error: { name: p.error?.name, message: p.error?.data?.message } })
    case "message.updated":
      return messageUpdated(s, p.info ?? {})
    case "message.part.updated":
      return partUpdated(s, p.part ?? {}, p.time ?? Date.now())
    case "session.status":
      return retried(s, p)
    case "permission.asked":
    case "question.asked":
      return asked(s, type, p)
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return answered(s, type, p)
  }
}

function created(s, { id, parentID, title, version, agent }) {
  if (parentID) {
    const root = s.agents.get(parentID)?.root ?? parentID
    remember(s.agents, id, { root, type: agent ?? "subagent" })
  } else remember(s.roots, id, title)
  send(s, id, "session.created", parentID ? { task: title, version } : { session_title: title, version })
}

// updated: only the title is of interest.
function updated(s, { id, title }) {
  if (!id || !title || s.agents.has(id) || s.roots.get(id) === title) return
  remember(s.roots, id, title)
  send(s, id, "session.updated", { session_title: title })
}

function deleted(s, id) {
  send(s, id, "session.deleted")
  s.roots.delete(id)
  s.agents.delete(id)
}

function prompted(s, { sessionID, model }, { parts = [] } = {}) {
  const text = parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text)
  send(s, sessionID, "chat.message", { prompt: text.join("\n"), model: model?.modelID })
}

// mcpServer is the server of a tool that is called {server}_{tool}.
function mcpServer(s, tool) {
  for (const name of s.servers) {
    const prefix = name.replace(/[^a-zA-Z0-9_-]/g, "_") + "_"
    if (tool.startsWith(prefix)) return { name, tool: tool.slice(prefix.length) }
  }
}

function toolStarted(s, { tool, sessionID, callID }, { args } = {}) {
  const call = { tool_name: tool, tool_use_id: callID, tool_input: args, mcp_server: mcpServer(s, tool) }
  remember(s.calls, callID, { ...call, start: Date.now() })
  send(s, sessionID, "tool.execute.before", call)
}

function toolEnded(s, { tool, sessionID, callID, args }, output = {}) {
  const { start, ...call } = s.calls.get(callID) ?? { tool_name: tool, tool_use_id: callID, tool_input: args, mcp_server: mcpServer(s, tool) }
  s.calls.delete(callID)
  const text = output.output ?? output.content
  send(s, sessionID, "tool.execute.after", { ...call, tool_response: text, ...(start && { duration_ms: Date.now() - start }) })
}

// partUpdated: parts of a message show when the model began and stopped to write,
// since a message ends with the tools that it called.
function partUpdated(s, part, time) {
  const { type, messageID, state } = part
  if (type === "step-start") remember(s.steps, messageID, { first: time, last: time })
  const step = s.steps.get(messageID)
  if (step && (type === "text" || type === "reasoning" || state?.status === "pending")) step.last = time
  if (type === "tool" && state?.status === "error") toolFailed(s, part)
}

// toolFailed: a tool that fails has no tool.execute.after, nor has one that was
// refused.
function toolFailed(s, { sessionID, callID, state }) {
  if (!s.calls.has(callID)) return
  const { start, ...call } = s.calls.get(callID)
  s.calls.delete(callID)
  const error = String(state.error ?? "")
  const refused = /^The user (has specified a rule|rejected permission)/.test(error)
  send(s, sessionID, refused ? "tool.execute.denied" : "tool.execute.error", { ...call, error, duration_ms: Date.now() - start })
}

// retried: a call of a model failed, and is tried again.
function retried(s, { sessionID, status }) {
  if (status?.type !== "retry") return
  send(s, sessionID, "session.status", { status: "retry", error: { message: status.message }, usage: { attempt: status.attempt } })
}

function asked(s, type, { id, sessionID, permission, tool }) {
  const { start, ...call } = s.calls.get(tool?.callID) ?? {}
  remember(s.asked, id, tool?.callID)
  send(s, sessionID, type, { tool_name: permission, ...call, reason: permission })
}

function answered(s, type, { requestID, sessionID, reply }) {
  const { start, ...call } = s.calls.get(s.asked.get(requestID)) ?? {}
  s.asked.delete(requestID)
  send(s, sessionID, type, { ...call, status: reply })
}

// messageUpdated: a message of the assistant is one call of a model.
function messageUpdated(s, m) {
  const ended = m.time?.completed
  if (m.role !== "assistant" || !ended || s.done.has(m.id)) return
  remember(s.done, m.id, true)
  const { input = 0, output = 0, reasoning = 0, cache = {} } = m.tokens ?? {}
  const { first, last } = s.steps.get(m.id) ?? {}
  s.steps.delete(m.id)
  send(s, m.sessionID, "message.updated", {
    model: m.modelID,
    usage: {
      id: m.id, provider: m.providerID, purpose: m.agent ?? m.mode, summary: m.summary === true, finish: m.finish, cost: m.cost,
      input, output, reasoning, cache_read: cache.read ?? 0, cache_write: cache.write ?? 0,
      started: m.time.created, first, ended: last ?? ended,
    },
    ...(m.error && { error: { name: m.error.name, message: m.error.data?.message, status: m.error.data?.statusCode } }),
  })
}
