// What the client does, in order. Every step waits for what it causes, so that
// two recordings differ in times and generated ids only.
import { EmptyResultSchema } from "@modelcontextprotocol/sdk/types.js";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const WATCHED = "demo://resource/dynamic/text/1";

// Arguments of every tool that is simply called; the others have steps of their own.
const TOOLS = {
  echo: { message: "Grüße, 世界 😀" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-env": {},
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Blob", resourceId: 3 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 2, b: 40.5 },
  "get-tiny-image": {},
  "gzip-file-as-resource": { name: "note.txt.gz", data: "data:text/plain,hello%20collector" },
  "get-roots-list": {},
  "trigger-sampling-request": { prompt: "Say something short.", maxTokens: 20 },
};

const STEPS_OF_THEIR_OWN = [
  "simulate-research-query", // in waits.mjs
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-elicitation-request", // in waits.mjs
  "trigger-long-running-operation",
  "trigger-url-elicitation", // in waits.mjs
];

export async function drive(client, seen) {
  await rootsAreKnown(seen);
  await client.setLoggingLevel("debug");
  await client.ping();
  await callEveryTool(client);
  await toggles(client, seen);
  await longRunning(client);
  await resources(client);
  await promptsAndCompletion(client);
  await failures(client);
  await cancelled(client);
  await rootsChange(client, seen);
}

async function callEveryTool(client) {
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  const known = [...Object.keys(TOOLS), ...STEPS_OF_THEIR_OWN];
  const missing = [...listed.filter((n) => !known.includes(n)), ...known.filter((n) => !listed.includes(n))];
  if (missing.length > 0) {
    throw new Error(`tools listed and driven differ: ${missing.join(", ")}`);
  }
  for (const [name, args] of Object.entries(TOOLS)) {
    await client.callTool({ name, arguments: args });
  }
  const _meta = { traceparent: TRACEPARENT, tracestate: "vendor=1", "mcp.request_id": "request-0001" };
  await client.callTool({ name: "echo", arguments: { message: "in a trace" }, _meta });
}

// Both send once at once and then every five seconds: off again before that.
async function toggles(client, seen) {
  await client.subscribeResource({ uri: WATCHED });
  for (const [name, method] of [
    ["toggle-subscriber-updates", "notifications/resources/updated"],
    ["toggle-simulated-logging", "notifications/message"],
  ]) {
    const arrives = seen((frame) => frame.method === method);
    await client.callTool({ name });
    await arrives;
    await client.callTool({ name });
  }
  await client.unsubscribeResource({ uri: WATCHED });
}

async function longRunning(client) {
  const call = { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } };
  await client.callTool(call, undefined, { onprogress: () => {} });
}

async function resources(client) {
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: "demo://resource/dynamic/text/2" });
  await client.readResource({ uri: "demo://resource/dynamic/blob/7" });
  await client.readResource({ uri: "demo://resource/session/note.txt.gz" });
}

async function promptsAndCompletion(client) {
  await client.listPrompts();
  await client.getPrompt({ name: "args-prompt", arguments: { city: "Zürich", state: "ZH" } });
  await client.complete({
    ref: { type: "ref/prompt", name: "completable-prompt" },
    argument: { name: "department", value: "E" },
  });
}

async function failures(client) {
  await client.callTool({ name: "get-sum", arguments: { a: "two" } }); // isError, schema
  await client.callTool({ name: "no-such-tool" }); // isError, unknown
  await client.callTool({ name: "get-resource-reference", arguments: { resourceId: -1 } }); // isError, its own text
  const url = { url: "https://example.com/pay", message: "Pay first.", elicitationId: "e-2", errorPath: true };
  await refused(client.callTool({ name: "trigger-url-elicitation", arguments: url }));
  await refused(client.readResource({ uri: "demo://no/such/resource" }));
  await refused(client.getPrompt({ name: "no-such-prompt" }));
  await refused(client.request({ method: "no/such/method", params: { a: 1 } }, EmptyResultSchema));
}

async function refused(call) {
  const done = await call.then(() => true, (error) => {
    if (typeof error.code !== "number") {
      throw error;
    }
  });
  if (done) {
    throw new Error("a call that the server should refuse succeeded");
  }
}

async function cancelled(client) {
  const abort = new AbortController();
  const call = { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 1 } };
  const ended = client.callTool(call, undefined, { signal: abort.signal }).catch(() => {});
  await client.ping(); // the server has read the call when it answers this
  abort.abort("the user pressed stop");
  await ended;
}

async function rootsChange(client, seen) {
  const again = rootsAreKnown(seen);
  await client.sendRootsListChanged();
  await again;
}

// The server asks for the roots some time after the start and says when it has them.
export function rootsAreKnown(seen) {
  return seen((frame) => frame.params?.data?.startsWith?.("Roots updated"));
}
