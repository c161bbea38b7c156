// The model server of test/agents, which record.mjs builds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

// start serves until the returned server is closed; its address is url.
export async function start() {
  const server = spawn(process.env.MODEL_SERVER, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [address] = await once(server.stdout.setEncoding('utf8'), 'data')
  return { url: `${address.trim()}/v1`, close: () => server.stdin.end() }
}
