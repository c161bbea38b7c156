// Records a session of the real everything server with the real SDK client:
//   node record.mjs transcripts/everything.ndjson
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { newClient } from "./lib/client.mjs";
import { drive } from "./lib/drive.mjs";
import { Records } from "./lib/records.mjs";
import { RecordedStdio } from "./lib/transport.mjs";

const LIMIT_MS = 60_000;

// The server's process gets this environment and no more: its get-env tool
// prints all of it, and the transcript is public.
const SERVER = {
  command: process.execPath,
  args: [serverScript(), "stdio"],
  env: { GREETING: "hello", TZ: "UTC" },
};

function serverScript() {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
  return join(dirname(manifest), "dist", "index.js");
}

// seen(what, test) resolves with the next frame from the server that passes the test.
function watcher() {
  const waiting = new Set();
  const offer = (frame) => {
    for (const each of waiting) {
      if (each.test(frame)) {
        waiting.delete(each);
        each.resolve(frame);
      }
    }
  };
  const seen = (what, test) => new Promise((resolve) => waiting.add({ what, test, resolve }));
  return { offer, seen };
}

async function record(path) {
  const records = new Records(path);
  const { offer, seen } = watcher();
  const { client, dispose } = newClient();
  const transport = new RecordedStdio(SERVER, (direction, raw) => {
    records.frame(direction, raw);
    if (direction === "server_to_client") {
      offer(JSON.parse(raw));
    }
  });
  await client.connect(transport);
  await drive(client, seen);
  records.end(await transport.close());
  dispose();
}

const [path] = process.argv.slice(2);
if (!path) {
  console.error("usage: node record.mjs FILE");
  process.exit(2);
}
setTimeout(() => {
  console.error(`no end after ${LIMIT_MS} ms`);
  process.exit(1);
}, LIMIT_MS).unref();
await record(path);
