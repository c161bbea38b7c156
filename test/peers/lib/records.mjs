// Observation records: one NDJSON line a frame, the frame spliced in as raw text.
import { appendFileSync, writeFileSync } from "node:fs";

const AROUND = {
  transport: "stdio",
  server: "everything",
  server_uri: "stdio:///mcp-server-everything",
  client: "peers-recorder",
};

export class Records {
  #last = 0;

  constructor(path, scenario) {
    this.path = path;
    this.around = { connection: `c-${scenario}`, session: `s-${scenario}`, ...AROUND };
    writeFileSync(path, "");
  }

  frame(direction, raw) {
    this.#write({ direction }, `"message":${raw}`);
  }

  end(exitCode) {
    this.#write({}, `"end":${JSON.stringify({ reason: "closed", exit_code: exitCode })}`);
  }

  #write(keys, last) {
    const head = JSON.stringify({ time: this.#now(), ...this.around, ...keys });
    appendFileSync(this.path, `${head.slice(0, -1)},${last}}\n`);
  }

  // Microseconds, and never the same or an earlier one twice: the order of the
  // lines is then also the order of the times.
  #now() {
    const micros = Math.floor((performance.timeOrigin + performance.now()) * 1000);
    this.#last = Math.max(this.#last + 1, micros);
    const millis = Math.floor(this.#last / 1000);
    const fraction = String(this.#last % 1000).padStart(3, "0");
    return new Date(millis).toISOString().replace("Z", `${fraction}Z`);
  }
}
