// The SDK's client with the capabilities that make the server talk back, and
// fixed answers to what the server asks.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const capabilities = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

// With these, the server also has tools whose requests the client runs as tasks.
const tasks = {
  list: {},
  cancel: {},
  requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
};

export function newClient(withTasks) {
  const taskStore = new InMemoryTaskStore();
  const options = withTasks ? { capabilities: { ...capabilities, tasks }, taskStore } : { capabilities };
  const client = new Client({ name: "peers-recorder", version: "1.0.0" }, options);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///srv/project", name: "project" }] }));
  client.setRequestHandler(CreateMessageRequestSchema, (request, extra) => answer(request, extra, sampled));
  client.setRequestHandler(ElicitRequestSchema, (request, extra) => answer(request, extra, elicited));
  return { client, dispose: () => taskStore.cleanup() };
}

// A request with `task` is run as a task of the client: the server gets the
// task at once and asks for its result later.
async function answer({ params }, extra, result) {
  if (!params.task) {
    return result(params);
  }
  const task = await extra.taskStore.createTask({ ttl: params.task.ttl, pollInterval: 1000 });
  await extra.taskStore.storeTaskResult(task.taskId, "completed", result(params));
  return { task };
}

function sampled() {
  return {
    role: "assistant",
    content: { type: "text", text: "A short answer — with “quotes” and a 😀." },
    model: "model-of-the-recorder",
    stopReason: "endTurn",
  };
}

function elicited(params) {
  if (params.mode === "url") {
    return { action: "accept" };
  }
  const properties = Object.keys(params.requestedSchema.properties);
  if (properties.includes("interpretation")) {
    return { action: "accept", content: { interpretation: "technical" } };
  }
  return { action: "accept", content: { name: "Ada" } };
}
