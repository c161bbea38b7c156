const toSeconds = 19 // YYYY-MM-DDTHH:MM:SS

// Of many times one after the other most are of the same second.
let last = { second: '', ms: NaN }

/**
 * Milliseconds since 1970 of an RFC 3339 time, with the fraction kept to a quarter of a microsecond.
 * NaN if it is none.
 */
export function parseTime(text: string | undefined): number {
  if (!text) return NaN
  if (!text.endsWith('Z') || text.charCodeAt(toSeconds) !== 46) return Date.parse(text)
  const second = text.slice(0, toSeconds)
  if (second !== last.second) last = { second, ms: Date.parse(second + 'Z') }
  return last.ms + Number('0' + text.slice(toSeconds, -1)) * 1000
}

/** A duration in words as short as they can be read: 0.4 ms, 12.3 s, 4m 05s, 2h 13m, 3d 4h. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  if (ms < 0) ms = 0
  if (ms < 1) return ms === 0 ? '0 ms' : `${(ms * 1000).toFixed(0)} µs`
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`
  return longer(Math.round(ms / 1000))
}

/** An age in whole units, for what is counted up every second. */
export function age(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds}s` : longer(seconds)
}

function longer(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours}h ${two(minutes % 60)}m`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

const steps = [1, 2, 5]

/** Times in ms from the beginning where a scale from a to b has its marks, about `count` of them. */
export function ticks(a: number, b: number, count: number): number[] {
  const span = b - a
  if (!(span > 0) || count < 1) return []
  const step = niceStep(span / count)
  const marks: number[] = []
  for (let i = Math.ceil(a / step); i * step <= b; i++) marks.push(i * step)
  return marks
}

const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400]

function niceStep(rough: number): number {
  if (rough >= 1000) {
    const found = clockSteps.find((s) => s * 1000 >= rough)
    return found ? found * 1000 : Math.ceil(rough / 86_400_000) * 86_400_000
  }
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = steps.find((s) => s * power >= rough)
  return factor ? factor * power : 10 * power
}

/** A mark of the scale: as exact as the step needs. */
export function tick(ms: number): string {
  if (ms === 0) return '0'
  if (ms < 1) return `${+(ms * 1000).toFixed(1)} µs`
  if (ms < 1000) return `${+ms.toFixed(2)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${+seconds.toFixed(3)} s`
  const minutes = Math.floor(seconds / 60)
  const rest = +(seconds % 60).toFixed(2)
  if (minutes < 60) return rest ? `${minutes}m ${rest}s` : `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 ? `${hours}h ${minutes % 60}m` : `${hours}h`
}

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
})

/** A moment in the reader's own time zone, to the millisecond. */
export function clock(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  return `${clockFormat.format(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`
}
