// Records what frameworks emit: node record.mjs [name...]. Each runs in a process of its own, because most of them
// patch what they watch. What it writes are fixtures of the normalizer:
// processor/mcpprocessor/internal/normalize/testdata/<dialect>/<producer>.json
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

const here = path.dirname(fileURLToPath(import.meta.url))
const to = path.join(here, '../../processor/mcpprocessor/internal/normalize/testdata')
const all = readdirSync(path.join(here, 'producers')).map((f) => f.replace(/\.mjs$/, '')).sort()
const names = process.argv.slice(2)
for (const name of names.length ? names : all) {
  mkdirSync(to, { recursive: true })
  const { status } = spawnSync(process.execPath, [path.join(here, 'producers', `${name}.mjs`), to], { stdio: 'inherit' })
  console.log(status === 0 ? `recorded ${name}` : `FAILED ${name}`)
  if (status !== 0) process.exitCode = 1
}
