// Has a whole session with a server of MCP's everything kind, the driver's
// client being the real SDK's:
//   node tap.mjs stdio COMMAND ARGS…
//   node tap.mjs streamableHttp URL
//   node tap.mjs sse URL
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { newClient } from "./lib/client.mjs";
import { drive } from "./lib/drive.mjs";
import { RecordedStdio } from "./lib/transport.mjs";

const LIMIT_MS = 50_000;
const [kind, where, ...args] = process.argv.slice(2);

// seen(test) resolves with the next frame from the server that passes the test.
const waiting = new Set();
const seen = (test) => new Promise((resolve) => waiting.add({ test, resolve }));
function offer(frame) {
  for (const each of waiting) {
    if (each.test(frame)) {
      waiting.delete(each);
      each.resolve(frame);
    }
  }
}

// The transport's messages are offered too, before the client gets them.
function watched(transport) {
  let handler;
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set: (given) => {
      handler = (message, extra) => {
        offer(message);
        given(message, extra);
      };
    },
  });
  return transport;
}

function newTransport() {
  switch (kind) {
    case "stdio":
      return new RecordedStdio({ command: where, args, env: process.env }, (direction, raw) => {
        if (direction === "server_to_client") {
          offer(JSON.parse(raw));
        }
      });
    case "streamableHttp":
      return watched(new StreamableHTTPClientTransport(new URL(where)));
    case "sse":
      return watched(new SSEClientTransport(new URL(where)));
  }
  throw new Error(`no such transport: ${kind}`);
}

setTimeout(() => {
  console.error(`no end after ${LIMIT_MS} ms`);
  process.exit(1);
}, LIMIT_MS).unref();

const { client, dispose } = newClient(false);
const transport = newTransport();
await client.connect(transport);
await drive(client, seen);
await transport.terminateSession?.();
const code = await transport.close();
dispose();
process.exitCode = kind === "stdio" ? code : 0;
