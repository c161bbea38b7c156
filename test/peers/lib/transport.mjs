// A stdio transport of the MCP SDK's shape that hands every frame, in both
// directions, to a recorder before the peer or the client sees it.
import { spawn } from "node:child_process";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";

export class RecordedStdio {
  #child;
  #ended;
  #rest = Buffer.alloc(0);

  constructor({ command, args, env }, onFrame) {
    this.command = command;
    this.args = args;
    this.env = env;
    this.onFrame = onFrame;
  }

  async start() {
    this.#child = spawn(this.command, this.args, { env: this.env, stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdout.on("data", (chunk) => this.#receive(chunk));
    this.#child.stdin.on("error", (error) => this.onerror?.(error));
    this.#ended.then(() => this.onclose?.());
    await new Promise((resolve, reject) => {
      this.#child.once("spawn", resolve);
      this.#child.once("error", reject);
    });
  }

  async send(message) {
    const line = serializeMessage(message);
    this.onFrame("client_to_server", line.slice(0, -1));
    await new Promise((resolve, reject) =>
      this.#child.stdin.write(line, (error) => (error ? reject(error) : resolve())),
    );
  }

  // The server has no end-of-input handling but leaves cleanly on SIGINT.
  async close() {
    this.#child.stdin.end();
    this.#child.kill("SIGINT");
    return this.#ended;
  }

  // The lines are cut here, not by the SDK's buffer: that one gives parsed
  // messages, and the record has to hold the bytes as they came.
  #receive(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      const line = this.#rest.toString("utf8", 0, end);
      this.#rest = this.#rest.subarray(end + 1);
      this.onFrame("server_to_client", line);
      this.onmessage?.(deserializeMessage(line));
    }
  }
}
