// Writes the dashboards: node src/main.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import collector from './collector.mjs'
import fleet from './fleet.mjs'
import servers from './servers.mjs'
import session from './session.mjs'

const folder = process.argv[2]
mkdirSync(folder, { recursive: true })
for (const [name, dashboard] of Object.entries({ collector, fleet, servers, session })) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(dashboard, null, 2)}\n`)
}
