// The SDK of the era without sessions, pinned to it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { drive } from "./drive.mjs";

const revision = "2026-07-28";

await drive(async (url) => {
  const client = new Client({ name: "host-client", version: "1.0.0" }, { versionNegotiation: { mode: { pin: revision } } });
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  return { client, revision, session: transport.sessionId ?? "", end: () => client.close() };
});
