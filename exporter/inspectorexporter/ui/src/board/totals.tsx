import { useEffect, useState } from 'preact/hooks'
import { costNote, costText, count, plural } from '../lib/format'
import { projectOf } from '../lib/sessions'
import { rows } from '../state'
import type { Spent, Totals as Sums } from '../wire'

const everyMs = 60_000
const base = new URL('../', document.baseURI.replace(/#.*$/, '').replace(/\/?$/, '/'))

/** Midnight here, some days before today. */
function midnight(daysAgo: number): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - daysAgo)
  return day.toISOString()
}

async function read(since: string): Promise<Sums | undefined> {
  const url = new URL('sessions/totals', base)
  url.searchParams.set('since', since)
  const response = await fetch(url).catch(() => undefined)
  return response?.ok ? ((await response.json()) as Sums) : undefined
}

const periods = [['Today', 0], ['7 days', 6]] as const

/** What the sessions of today and of the last week took, as the collector adds it up. */
export function Totals() {
  const some = rows.use().size > 0
  const [sums, setSums] = useState<(Sums | undefined)[]>([])
  useEffect(() => {
    if (!some) return
    const load = () => void Promise.all(periods.map(([, days]) => read(midnight(days)))).then(setSums)
    load()
    const timer = setInterval(load, everyMs)
    return () => clearInterval(timer)
  }, [some])
  if (!sums.some((one) => one?.sessions)) return null
  return (
    <div class="totals" role="group" aria-label="Totals">
      {periods.map(([name], i) => sums[i] && (
        <details name="totals">
          <summary><b>{name}</b> <Cost of={sums[i]} /> <span class="soft">{plural(sums[i].sessions, 'session')} · {count(sums[i].input_tokens + sums[i].output_tokens)} tokens</span></summary>
          <Table sums={sums[i]} />
        </details>
      ))}
    </div>
  )
}

function Cost({ of }: { of: Spent }) {
  return <span title={costNote(of)}>{costText(of) || (of.unpriced ? 'cost unknown' : '$0')}</span>
}

/** Cells that say their units where the heads of their columns are hidden. */
function Took({ of }: { of: Spent }) {
  return <><td data-unit={of.sessions === 1 ? 'session' : 'sessions'}>{of.sessions}</td><td data-unit="in">{count(of.input_tokens)}</td><td data-unit="out">{count(of.output_tokens)}</td><td><Cost of={of} /></td></>
}

function Table({ sums }: { sums: Sums }) {
  return (
    <div class="table-box" tabIndex={0}>
      <table>
        <thead><tr><th>Project</th><th>Model</th><th>Sessions</th><th>Tokens in</th><th>Tokens out</th><th>Cost</th></tr></thead>
        <tbody>
          {sums.by.map((one) => <tr><td title={one.project}>{one.project ? projectOf({ directory: one.project }) : 'No project'}</td><td>{one.model ?? 'Unknown model'}</td><Took of={one} /></tr>)}
        </tbody>
        <tfoot><tr><td>All</td><td /><Took of={sums} /></tr></tfoot>
      </table>
      {!!sums.cost_estimated_usd && <p class="soft">≈ {costNote(sums)}.</p>}
      {sums.unpriced > 0 && <p class="soft">{plural(sums.unpriced, 'session')} with tokens whose cost is not known.</p>}
    </div>
  )
}
