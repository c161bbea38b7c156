import { isRecord, parseJSON } from './json'
import { brief, diffsOf } from './call'
import { firstLine, lastSaid, textOf } from './content'
import type { Attributes } from '../wire'

export type Family =
  | 'workflow' | 'turn' | 'tool' | 'llm' | 'agent' | 'resource' | 'prompt' | 'wait' | 'phase' | 'notice' | 'other'

const most = 200 // characters of the one line

const targets = ['command', 'cmd', 'file_path', 'filePath', 'path', 'notebook_path', 'pattern', 'query', 'url', 'uri', 'description', 'prompt', 'message', 'skill', 'name']

/** The arguments of a tool call, parsed as far as they are JSON. */
export function inputOf(attributes: Attributes): unknown {
  const text = attributes['mcp.tool.input_json'] ?? attributes['gen_ai.tool.call.arguments']
  if (typeof text !== 'string') return text
  const parsed = parseJSON(text)
  return parsed.ok ? parsed.value : text
}

/** What an edit changed: sweep.go +3 −2. */
function change(input: unknown): string {
  return (diffsOf(input) ?? []).map(({ file, added, removed }) => `${file.split(/[\\/]/).pop()} +${added} −${removed}`).join(', ')
}

/** The command, the file or the arguments that a tool call is about. */
export function target(input: unknown): string {
  if (!isRecord(input)) return firstLine(textOf(input))
  for (const key of targets) {
    const value = input[key]
    if (typeof value === 'string' && value) return firstLine(value)
    if (Array.isArray(value) && value.length && value.every((part) => typeof part === 'string')) return firstLine(value.join(' '))
  }
  return brief(input) || (Object.keys(input).length ? JSON.stringify(input) : '')
}

const prompts = ['mcp.turn.prompt', 'mcp.workflow.input_json', 'mcp.agent.task', 'mcp.agent.input_json']

/** What a person or an agent asked for, '' if the span does not say. */
export function promptOf(attributes: Attributes): string {
  for (const key of prompts) {
    const said = textOf(attributes[key])
    if (said) return said
  }
  return lastSaid(attributes['gen_ai.input.messages'], 'user')
}

/** What an agent or a model answered, '' if the span does not say. */
export function answerOf(attributes: Attributes): string {
  return textOf(attributes['mcp.workflow.output_json']) || textOf(attributes['mcp.agent.output_json']) ||
    lastSaid(attributes['gen_ai.output.messages'], 'assistant') || lastSaid(attributes['mcp.llm.response_json'], 'assistant')
}

function first(attributes: Attributes, keys: string[]): string {
  for (const key of keys) {
    const value = attributes[key]
    if (value !== undefined && value !== '') return textOf(value)
  }
  return ''
}

/** One line of what a span is about: the command, the file, the prompt, the message. */
export function aboutOf(family: Family, attributes: Attributes): string {
  return short(firstLine(contentOf(family, attributes)))
}

function contentOf(family: Family, attributes: Attributes): string {
  switch (family) {
    case 'tool': return change(inputOf(attributes)) || target(inputOf(attributes)) || first(attributes, ['mcp.tool.title', 'full_command', 'file_path'])
    case 'turn': case 'agent': return promptOf(attributes)
    case 'llm': return answerOf(attributes)
    case 'wait': return first(attributes, ['mcp.wait.detail', 'mcp.signal.prompt'])
    case 'resource': return first(attributes, ['mcp.resource.uri'])
    case 'workflow': return ''
    default: return textOf(attributes['mcp.workflow.input_json']) || first(attributes, ['mcp.log.message', 'mcp.progress.message', 'mcp.reminder.body', 'mcp.host.current_task'])
  }
}

function short(line: string): string {
  return line.length > most ? line.slice(0, most - 1) + '…' : line
}
