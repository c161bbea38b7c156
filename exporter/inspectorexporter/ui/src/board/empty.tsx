import type { ComponentChildren } from 'preact'
import { CopyButton } from '../parts/copy'

const connect = `bin/mcptap connect --all    # or claude-code, codex, gemini-cli, cursor, copilot, opencode
bin/mcptap status           # what is connected, and what to do next`

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
      <p>This page shows each agent session as soon as its first message arrives. Nothing has arrived since the gateway was started, and no earlier session is stored.</p>
      <Command title="Connect your coding agent" text={connect}>Run this in the folder of otelcol-mcp, restart the agent, and send it a prompt. <code>connect</code> prints what it changes, and <code>--undo</code> restores it.</Command>
      <Command title="Or send the first message" text={first}>A session appears here with one open call.</Command>
      <Command title="Then answer it" text={reply}>The call ends, and its span has an output.</Command>
      <p class="note">The addresses are the default ones of the collector. Inspector events go to <code>/v1/inspector/events</code> of the same server; OpenTelemetry SDKs send to the <code>otlp</code> receiver.</p>
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
