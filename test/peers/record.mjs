// Records a session of the real everything server with the real SDK client:
//   node record.mjs everything transcripts/everything.ndjson
//   node record.mjs waits transcripts/waits.ndjson
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { newClient } from "./lib/client.mjs";
import { drive } from "./lib/drive.mjs";
import { Records } from "./lib/records.mjs";
import { RecordedStdio } from "./lib/transport.mjs";
import { driveWaits } from "./lib/waits.mjs";

const SCENARIOS = { everything: drive, waits: driveWaits };
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

// seen(test) resolves with the next frame from the server that passes the test.
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
  const seen = (test) => new Promise((resolve) => waiting.add({ test, resolve }));
  return { offer, seen };
}

async function record(scenario, path) {
  const records = new Records(path, scenario);
  const { offer, seen } = watcher();
  const { client, dispose } = newClient(scenario === "waits");
  const transport = new RecordedStdio(SERVER, (direction, raw) => {
    records.frame(direction, raw);
    if (direction === "server_to_client") {
      offer(JSON.parse(raw));
    }
  });
  await client.connect(transport);
  await SCENARIOS[scenario](client, seen);
  records.end(await transport.close());
  dispose();
}

const [scenario, path] = process.argv.slice(2);
if (!Object.hasOwn(SCENARIOS, scenario ?? "") || !path) {
  console.error(`usage: node record.mjs ${Object.keys(SCENARIOS).join("|")} FILE`);
  process.exit(2);
}
setTimeout(() => {
  console.error(`no end after ${LIMIT_MS} ms`);
  process.exit(1);
}, LIMIT_MS).unref();
await record(scenario, path);
