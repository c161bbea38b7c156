// Replays what opencode called a plugin with: node replay.mjs PLUGIN CALLS MODE.
// It prints the bodies of what the plugin posts. MODE is what the collector does:
// answer, refuse (no collector), later (none at first), hang, busy-STATUS (answers so at
// first) or always-STATUS. REPLAY_BURST is a number of events of a megabyte at the end.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [plugin, calls, mode] = process.argv.slice(2)
let clock = 1795342795600
Date.now = () => clock
let refused = 0
const asked = new Map() // body: how often it came
const [manner, status] = mode.split("-")
globalThis.fetch = async (url, { body, headers, signal }) => {
  if (mode === "refuse" || (mode === "later" && refused++ < 1)) throw new Error("connection refused")
  if (mode === "hang") {
    await new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)))
  }
  if (headers["Content-Type"] !== "application/x-ndjson") throw new Error("content type")
  asked.set(body, (asked.get(body) ?? 0) + 1)
  if (manner === "always" || (manner === "busy" && asked.get(body) === 1)) {
    return { ok: false, status: Number(status), arrayBuffer: async () => {} }
  }
  if (body.length > 1e6) console.error("large " + Buffer.byteLength(body))
  const { "Content-Type": _, ...more } = headers
  if (Object.keys(more).length > 0) console.error("headers " + JSON.stringify(more))
  console.error(String(url))
  console.log(body)
  return { ok: true, status: 202, arrayBuffer: async () => {} }
}

// time is the latest time in milliseconds that a call mentions.
const time = (text) => Math.max(clock, ...(text.match(/\b1795342\d{6}\b/g) ?? []).map(Number))

const { OtelcolMcp } = await import(pathToFileURL(plugin))
const hooks = await OtelcolMcp({ directory: "/home/user/project" })
await hooks.config({ mcp: { local: {}, remote: {} }, experimental: { openTelemetry: true } })
for (const line of readFileSync(calls, "utf8").trim().split("\n")) {
  const call = JSON.parse(line)
  clock = time(line)
  if (call.hook === "event") await hooks.event({ event: call.event })
  else await hooks[call.hook](call.input, call.output)
}
// What no version sends must not disturb it either.
await hooks.event({})
await hooks.event({ event: { type: "message.updated" } })
await hooks["tool.execute.before"]()
await hooks.dispose()
const burst = Number(process.env.REPLAY_BURST ?? 0)
for (let i = 0; i < burst; i++) void hooks["tool.execute.before"]({ tool: "t", sessionID: "s", callID: "burst-" + i }, { args: "\u00e4".repeat(5e5) })
if (burst) await hooks.dispose()
if (manner === "always") console.error("asked at most " + ["never", "once", "twice"][Math.max(...asked.values())])
if (mode === "later") await new Promise((done) => setTimeout(done, 4000))
