// The SDK of the era with sessions.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { drive } from "./drive.mjs";

await drive(async (url) => {
  const client = new Client({ name: "host-sdk", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  const end = async () => {
    await transport.terminateSession();
    await client.close();
  };
  return { client, revision: transport.protocolVersion, session: transport.sessionId, end };
});
