// Tools that wait: for an answer of the user, and for a task, run by the server
// (the call is answered with a task, then polled) or by the client (the server's
// own request is).
import { rootsAreKnown } from "./drive.mjs";

export async function driveWaits(client, seen) {
  await rootsAreKnown(seen);
  await client.listTools(); // tells the client which tools are tasks
  await client.callTool({ name: "trigger-elicitation-request", arguments: {} });
  await client.callTool({
    name: "trigger-url-elicitation",
    arguments: { url: "https://example.com/authorize", message: "Please log in.", elicitationId: "e-1" },
  });
  await client.callTool({
    name: "trigger-sampling-request-async",
    arguments: { prompt: "Say it later.", maxTokens: 20 },
  });
  await client.callTool({ name: "trigger-elicitation-request-async", arguments: {} });
  await research(client);
  await client.experimental.tasks.listTasks();
}

async function research(client) {
  const call = { name: "simulate-research-query", arguments: { topic: "collectors", ambiguous: true } };
  let last;
  for await (const message of client.experimental.tasks.callToolStream(call)) {
    last = message;
  }
  if (last?.type !== "result") {
    throw new Error(`the task gave no result: ${last?.error}`);
  }
}
