// What a host does, whatever its SDK: node hosts/<sdk>.mjs URL NOTIFICATIONS.json
// It prints what it saw as JSON.
import { readFile } from "node:fs/promises";

export async function drive(connect) {
  const [url, path] = process.argv.slice(2);
  const notifications = JSON.parse(await readFile(path, "utf8"));
  const { client, revision, session, end } = await connect(new URL(url));
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const { structuredContent } = await client.callTool({
    name: "host_heartbeat",
    arguments: { phase: "thinking", detail: "plans" },
  });
  for (const notification of notifications) {
    await client.notification(notification);
  }
  await end();
  console.log(JSON.stringify({ revision, session, tools, recorded: structuredContent.recorded }));
}
