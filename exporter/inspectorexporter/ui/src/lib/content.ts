import { isRecord, parseJSON } from './json'

/** A piece of what was said. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'image'; src: string; type: string }
  | { kind: 'data'; title: string; value: unknown }

export interface Message {
  role: string
  blocks: Block[]
}

// Pictures that a browser shows without running anything.
const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp)$/
const base64 = /^[A-Za-z0-9+/=\s]+$/

function picture(type: unknown, data: unknown): Block | undefined {
  if (typeof type !== 'string' || typeof data !== 'string' || !pictures.test(type) || !base64.test(data)) return undefined
  return { kind: 'image', src: `data:${type};base64,${data}`, type }
}

/** The pieces of a content: MCP's blocks, GenAI's parts, and what LLM vendors send. */
export function blocks(content: unknown): Block[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (Array.isArray(content)) return content.flatMap(blocks)
  if (!isRecord(content)) return [{ kind: 'text', text: String(content) }]
  return [block(content)]
}

function block(b: Record<string, unknown>): Block {
  if (b.type === 'text' && typeof (b.text ?? b.content) === 'string') return { kind: 'text', text: String(b.text ?? b.content) }
  const source = isRecord(b.source) ? b.source : {}
  const resource = isRecord(b.resource) ? b.resource : {}
  const image =
    picture(b.mimeType ?? b.mime_type, b.data ?? b.content) ??
    picture(source.media_type, source.data) ??
    picture(resource.mimeType, resource.blob)
  if (image) return image
  if (b.type === 'resource' && typeof resource.text === 'string') return { kind: 'text', text: resource.text }
  return { kind: 'data', title: [b.type, b.name].filter((x) => typeof x === 'string').join(' '), value: b }
}

/** The messages of a prompt or an answer, in whichever form it was told. */
export function messages(value: unknown, role: string): Message[] {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value) && value.every((m) => isRecord(m) && ('role' in m || 'parts' in m))) {
    return value.flatMap((m) => messages(m, role))
  }
  if (isRecord(value) && ('role' in value || 'parts' in value || 'content' in value)) {
    const said = typeof value.role === 'string' ? value.role : role
    return [{ role: said, blocks: blocks(value.parts ?? value.content) }]
  }
  if (isRecord(value) && Array.isArray(value.messages)) return messages(value.messages, role)
  return [{ role, blocks: blocks(value) }]
}

/** As `messages`, of an attribute's text: JSON or the plain words. */
export function messagesOf(text: unknown, role: string): Message[] {
  if (typeof text !== 'string') return messages(text, role)
  const parsed = parseJSON(text)
  return messages(parsed.ok ? parsed.value : text, role)
}

/** The blocks of a tool's or a prompt's result, or undefined if it has none. */
export function resultBlocks(value: unknown): Block[] | undefined {
  if (!isRecord(value)) return undefined
  const content = value.content ?? value.contents
  if (!Array.isArray(content) || !content.length || !content.every((b) => isRecord(b) && typeof b.type === 'string')) return undefined
  return blocks(content)
}

const texts = ['text', 'content', 'output', 'stdout', 'llmContent', 'result', 'response', 'message', 'returnDisplay']

/** The plain words in whatever an attribute or a tool's output holds, '' if there are none. */
export function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') {
    if (!/^\s*["[{]/.test(value)) return value
    const parsed = parseJSON(value)
    return parsed.ok && depth < 4 ? textOf(parsed.value, depth + 1) || (typeof parsed.value === 'string' ? '' : value) : value
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.map((part) => textOf(part, depth + 1)).filter(Boolean).join('\n')
  if (!isRecord(value) || depth > 6) return ''
  if (isRecord(value.file)) return textOf(value.file, depth + 1)
  const said = texts.map((key) => (key in value ? textOf(value[key], depth + 1) : '')).find(Boolean) ?? ''
  const errors = typeof value.stderr === 'string' ? value.stderr : ''
  return [said, errors].filter(Boolean).join('\n')
}

/** The last words of that role in messages, '' if there are none. */
export function lastSaid(value: unknown, role: string): string {
  if (value === undefined) return ''
  const said = messagesOf(value, role).filter((message) => message.role === role)
  const last = said[said.length - 1]
  return (last?.blocks ?? []).flatMap((b) => (b.kind === 'text' ? [b.text] : [])).join('\n').trim()
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!.trim()
}
