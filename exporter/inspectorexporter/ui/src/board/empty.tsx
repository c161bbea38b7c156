import type { ComponentChildren } from 'preact'
import { CopyButton } from '../parts/copy'

const connect = `bin/mcptap connect --all    # or claude-code, codex, gemini-cli, cursor, copilot, opencode
bin/mcptap status           # what is connected, and what to do next`

const demo = `bin/mcptap demo             # five simulated agents, for a look around`

const otlp = `OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4328    # HTTP; gRPC is on port 4327
OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`

const wrap = `bin/mcptap wrap .mcp.json    # or ~/.cursor/mcp.json, or another agent's file`

const first = `curl -X POST http://localhost:4319/v1/observations \\
  -H 'Content-Type: application/json' \\
  -d '{"session":"hello","client":"my-agent","server":"my-server",
       "message":{"jsonrpc":"2.0","id":1,"method":"tools/call",
                  "params":{"name":"echo","arguments":{"text":"hello"}}}}'`

const reply = `curl -X POST http://localhost:4319/v1/observations \\
  -H 'Content-Type: application/json' \\
  -d '{"session":"hello","message":{"jsonrpc":"2.0","id":1,
       "result":{"content":[{"type":"text","text":"hello"}]}}}'`

/** What there is to do while there is nothing to see. */
export function Empty() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No session yet</h2>
      <p>A session appears here with the first message of an agent.</p>
      <Command title="Connect your coding agent" text={connect}>Run this in the folder of otelcol-mcp, restart the agent, and send it a prompt. <code>connect</code> prints what it changes, and <code>--undo</code> restores it.</Command>
      <Command title="Or look at simulated agents" text={demo}>They work until you press Ctrl-C.</Command>
      <Command title="Or send OpenTelemetry" text={otlp}>For frameworks, SDKs and agents with telemetry of their own.</Command>
      <Command title="Or watch MCP servers" text={wrap}>It changes the agent's configuration so that its MCP servers start through mcptap; <code>--undo</code> restores it.</Command>
      <Command title="Or send the first message" text={first}>A session appears here with one open call.</Command>
      <Command title="Then answer it" text={reply}>The call ends with an output.</Command>
      <p class="note">The addresses are the collector's defaults.</p>
    </section>
  )
}

function Command({ title, text, children }: { title: string; text: string; children: ComponentChildren }) {
  return (
    <div class="command">
      <header><h3>{title}</h3><CopyButton text={text} /></header>
      <pre tabIndex={0} aria-label={title}>{text}</pre>
      <p>{children}</p>
    </div>
  )
}
