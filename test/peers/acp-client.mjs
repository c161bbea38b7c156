// A client that starts an agent and has two sessions with it:
//   node acp-client.mjs COMMAND ARGS…
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.once("exit", resolve));
setTimeout(() => process.exit(1), 50_000).unref();

const app = client({ name: "example-client" })
  .onRequest(methods.client.fs.readTextFile, () => ({ content: "text" }))
  .onRequest(methods.client.session.requestPermission, () => ({ outcome: { outcome: "selected", optionId: "allow" } }))
  .onNotification(methods.client.session.update, () => {});
await app.connectWith(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (ctx) => {
  await ctx.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
  });
  for (const text of ["first", "second"]) {
    const { sessionId } = await ctx.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    await ctx.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }
});
child.stdin.end();
process.exitCode = await ended;
