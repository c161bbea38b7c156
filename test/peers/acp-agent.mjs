// An agent like the library's example: a turn says something, asks for
// permission, reads a file and runs two tools.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

async function turn({ params, client }) {
  const { sessionId } = params;
  const update = (update) => client.notify(methods.client.session.update, { sessionId, update });
  await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Looking — “Zürich” 😀" } });
  await update({ sessionUpdate: "plan", entries: [{ content: "Read", priority: "high", status: "pending" }] });
  await update({ sessionUpdate: "tool_call", toolCallId: "call-1", title: "Reading", kind: "read", status: "pending", rawInput: { path: "/a" } });
  const file = await client.request(methods.client.fs.readTextFile, { sessionId, path: "/a" });
  await update({ sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed", rawOutput: file });
  const toolCall = { toolCallId: "call-2", title: "Writing", kind: "edit", status: "pending", rawInput: { path: "/b" } };
  await update({ sessionUpdate: "tool_call", ...toolCall });
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall,
    options: [{ kind: "allow_once", name: "Allow", optionId: "allow" }],
  });
  await update({ sessionUpdate: "tool_call_update", toolCallId: "call-2", status: outcome.outcome === "selected" ? "completed" : "failed" });
  return { stopReason: "end_turn" };
}

let sessions = 0;
const app = agent({ name: "example-agent" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: false } }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `acp-${++sessions}` }))
  .onRequest(methods.agent.session.prompt, turn);
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
