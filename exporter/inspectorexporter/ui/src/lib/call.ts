import { structuredPatch } from 'diff'
import { isRecord } from './json'

/** A line of a difference: added, removed, the same, or the place of a hunk. */
interface DiffLine {
  sign: '+' | '-' | ' ' | '@'
  text: string
}

export interface Diff {
  file: string
  lines: DiffLine[]
  added: number
  removed: number
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function pick(input: Record<string, unknown>, ...keys: string[]): string | undefined {
  return keys.map((key) => text(input[key])).find((value) => value !== undefined)
}

/** The command that a call ran, '' if it is none. */
export function commandOf(input: unknown): string {
  if (!isRecord(input)) return ''
  const command = input.command ?? input.cmd
  if (Array.isArray(command) && command.every((part) => typeof part === 'string')) return patchOf(input) ? '' : command.slice(command[0] === 'bash' && command[1] === '-lc' ? 2 : 0).join(' ')
  return typeof command === 'string' && !command.includes('*** Begin Patch') ? command : ''
}

/** The file that a call names, '' if it is none. */
export function fileOf(input: unknown): string {
  return isRecord(input) ? (pick(input, 'file_path', 'filePath', 'path', 'notebook_path', 'filename', 'file') ?? '') : ''
}

/** Arguments of one line: a: 3, b: 4; '' if they are longer. */
export function brief(input: unknown): string {
  if (!isRecord(input) || Object.values(input).some((value) => typeof value === 'object' && value !== null)) return ''
  const line = Object.entries(input).map(([key, value]) => `${key}: ${String(value)}`).join(', ')
  return line.length <= 160 && !line.includes('\n') ? line : ''
}

function patchOf(input: Record<string, unknown>): string {
  const parts = [input.patch, input.input, input.patchText, ...(Array.isArray(input.command) ? input.command : [input.command])]
  return parts.flatMap((part) => (typeof part === 'string' && part.includes('*** Begin Patch') ? [part] : []))[0] ?? ''
}

/** What an edit or a write changed, by its arguments; undefined if the call is neither. */
export function diffsOf(input: unknown): Diff[] | undefined {
  if (!isRecord(input)) return undefined
  const patch = patchOf(input)
  if (patch) return fromPatch(patch)
  const file = fileOf(input)
  const edits = Array.isArray(input.edits) ? input.edits.filter(isRecord) : [input]
  const changes = edits.flatMap((edit) => {
    const before = pick(edit, 'old_string', 'oldString', 'old_str', 'oldText'), after = pick(edit, 'new_string', 'newString', 'new_str', 'newText')
    return before !== undefined && after !== undefined ? [compare(file, before, after)] : []
  })
  if (changes.length) return changes
  const written = pick(input, 'content', 'file_text', 'contents')
  return file && written !== undefined ? [compare(file, '', written)] : undefined
}

const longest = 200_000 // characters: comparing more takes too long

function compare(file: string, before: string, after: string): Diff {
  if (before.length + after.length > longest) return counted(file, [...signed(before, '-'), ...signed(after, '+')])
  const { hunks } = structuredPatch(file, file, before, after, '', '', { context: 3 })
  const several = hunks.length > 1
  return counted(file, hunks.flatMap((hunk) => [...(several ? [{ sign: '@' as const, text: `Line ${hunk.oldStart}` }] : []), ...hunk.lines.flatMap(lineOf)]))
}

function signed(of: string, sign: '+' | '-'): DiffLine[] {
  return of ? of.replace(/\n$/, '').split('\n').map((line) => ({ sign, text: line })) : []
}

function lineOf(line: string): DiffLine[] {
  const sign = line[0]
  return sign === '+' || sign === '-' || sign === ' ' ? [{ sign, text: line.slice(1) }] : []
}

/** A patch in the form of Codex. */
function fromPatch(patch: string): Diff[] {
  const found: Diff[] = []
  for (const line of patch.split('\n')) {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/.exec(line)?.[1]
    if (file !== undefined) found.push({ file, lines: [], added: 0, removed: 0 })
    else if (line.startsWith('@@')) found[found.length - 1]?.lines.push({ sign: '@', text: line.slice(2).trim() })
    else if (!line.startsWith('***')) found[found.length - 1]?.lines.push(...lineOf(line))
  }
  return found.map(({ file, lines }) => counted(file, lines))
}

function counted(file: string, lines: DiffLine[]): Diff {
  return { file, lines, added: lines.filter((l) => l.sign === '+').length, removed: lines.filter((l) => l.sign === '-').length }
}
