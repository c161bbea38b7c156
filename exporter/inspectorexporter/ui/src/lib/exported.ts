import { parseTime } from './time'

/** The session in a file that the gateway exported; undefined where a gateway serves the page. */
export interface Exported {
  session: string
  at: number // ms since 1970
  payloads: boolean
}

const holder = typeof document === 'undefined' ? null : document.getElementById('exported')

export const exported: Exported | undefined = holder
  ? { session: holder.dataset.session ?? '', at: parseTime(holder.dataset.at ?? ''), payloads: holder.dataset.payloads !== 'false' }
  : undefined

/** The worker of an exported file, whose code is in the file too. */
export function exportedWorker(): Worker {
  const code = document.getElementById('worker')?.textContent ?? ''
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const worker = new Worker(address) // as a module it does not start in a file of Chromium's
  worker.postMessage({ type: 'exported', data: holder!.textContent ?? '' })
  return worker
}
