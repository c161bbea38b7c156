// Records what frameworks emit: node record.mjs [name...]. Each runs in a process of its own, because most of them
// patch what they watch. What it writes are fixtures of the normalizer:
// processor/mcpprocessor/internal/normalize/testdata/<dialect>/<producer>.json
// Those in Go are in the module goproducers.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

const here = path.dirname(fileURLToPath(import.meta.url))
const to = path.join(here, '../../processor/mcpprocessor/internal/normalize/testdata')
const bin = mkdtempSync(path.join(tmpdir(), 'dialects-'))
process.on('exit', () => rmSync(bin, { recursive: true, force: true }))

function run(command, args, cwd, env) {
  return spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
}

const server = path.join(bin, 'modelserver')
const gopher = path.join(bin, 'goproducers')
if (!run('go', ['build', '-o', server, './modelserver'], here) || !run('go', ['build', '-o', gopher, '.'], path.join(here, 'goproducers'))) process.exit(1)

const producers = new Map()
for (const file of readdirSync(path.join(here, 'producers')).sort()) producers.set(file.replace(/\.mjs$/, ''), [process.execPath, path.join(here, 'producers', file)])
for (const name of ['genkit', 'mcp_go']) producers.set(name, [gopher, name])

const names = process.argv.slice(2)
mkdirSync(to, { recursive: true })
for (const name of names.length ? names : producers.keys()) {
  const [command, argument] = producers.get(name) ?? ['false', '']
  const done = run(command, [argument, to], here, { MODEL_SERVER: server, OPENAI_API_KEY: 'none', OTEL_SDK_DISABLED: '' })
  console.log(done ? `recorded ${name}` : `FAILED ${name}`)
  if (!done) process.exitCode = 1
}
