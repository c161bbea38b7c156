/** A JSON text as a value, or why it is none. `cut` tells that the end was missing and has been made up. */
interface ParsedJSON {
  value?: unknown
  cut: boolean
  ok: boolean
}

export function parseJSON(text: string): ParsedJSON {
  try {
    return { value: JSON.parse(text), cut: false, ok: true }
  } catch {
    return parseCut(text)
  }
}

/** What is left of a text that was cut: open strings, lists and objects are closed. */
function parseCut(text: string): ParsedJSON {
  if (!/^\s*[[{"]/.test(text)) return { cut: false, ok: false }
  let end = closed(text)
  for (let tries = 0; tries < 12 && end !== undefined; tries++) {
    try {
      return { value: JSON.parse(end.text), cut: true, ok: true }
    } catch {
      if (end.back <= 0) break
      end = closed(text.slice(0, end.back))
    }
  }
  return { cut: false, ok: false }
}

/** The text with all that is open closed, and where a shorter attempt would end. */
function closed(text: string): { text: string; back: number } | undefined {
  const open: string[] = []
  let inString = false, back = 0, escape = -1
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (inString) {
      if (c === '\\') (escape = i), i++
      else if (c === '"') inString = false
    } else if (c === '"') inString = true
    else if (c === '{' || c === '[') open.push(c === '{' ? '}' : ']'), (back = i + 1)
    else if (c === '}' || c === ']') open.pop()
    else if (c === ',') back = i
  }
  if (!open.length && !inString) return undefined
  let body = text
  if (inString) {
    // An escape of which only the beginning is left goes.
    const rest = escape < 0 ? '' : text.slice(escape)
    if (rest === '\\' || /^\\u[0-9a-f]{0,3}$/i.test(rest)) body = text.slice(0, escape)
    body += '"'
  }
  return { text: body + open.reverse().join(''), back: back === text.length ? back - 1 : back }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
