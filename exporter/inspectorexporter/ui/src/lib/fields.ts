import type { Attributes } from '../wire'
import { byteLength, bytes } from './format'

export type Tab = 'Overview' | 'Input' | 'Output' | 'Structured' | 'State'

const inputs = [
  'mcp.tool.input_json', 'mcp.prompt.parameters_json', 'mcp.workflow.input_json', 'mcp.agent.input_json', 'mcp.agent.task',
  'mcp.llm.system_prompt', 'gen_ai.system_instructions', 'mcp.llm.prompt_json', 'mcp.llm.history_snapshot',
  'gen_ai.input.messages', 'mcp.model.preferences_json', 'mcp.signal.prompt', 'mcp.signal.schema_json',
  'gen_ai.tool.call.arguments', 'mcp.notification.params_json', 'mcp.rpc.request_json', 'mcp.reminder.body',
]
const outputs = [
  'mcp.tool.output_json', 'mcp.llm.response_json', 'gen_ai.output.messages', 'mcp.workflow.output_json', 'mcp.agent.output_json',
  'mcp.signal.action', 'gen_ai.tool.call.result', 'mcp.log.data_json', 'mcp.log.message', 'mcp.event.data_json',
  'mcp.rpc.response_json',
]
const structured = ['mcp.tool.structured_output_json']

/** The part of the content that this attribute is; the others are details. */
export function tabOf(key: string): Tab {
  if (inputs.includes(key)) return 'Input'
  if (outputs.includes(key)) return 'Output'
  if (structured.includes(key)) return 'Structured'
  return isState(key) ? 'State' : 'Overview'
}

function isState(key: string): boolean {
  if (!key.endsWith('_json')) return false
  return /^mcp\.(state|result)\./.test(key) || (key.startsWith('mcp.') && /_(state|result)_json$/.test(key))
}

const flag = /(_truncated|_original_bytes)$/

/** The keys of a part, in the order of the lists above. */
export function keysOf(attributes: Attributes, tab: Tab): string[] {
  const keys = Object.keys(attributes).filter((key) => tabOf(key) === tab && !isFlag(key, attributes))
  const order = tab === 'Input' ? inputs : tab === 'Output' ? outputs : undefined
  return order ? keys.sort((a, b) => order.indexOf(a) - order.indexOf(b)) : keys.sort()
}

function isFlag(key: string, attributes: Attributes): boolean {
  return flag.test(key) && key.replace(flag, '') in attributes
}

/** "cut at 30 KB of 1.4 MB", or '' if the value is whole. */
export function cutNote(attributes: Attributes, key: string): string {
  if (attributes[`${key}_truncated`] !== true) return ''
  const value = attributes[key]
  const kept = typeof value === 'string' ? bytes(byteLength(value)) : 'the limit'
  const original = attributes[`${key}_original_bytes`]
  return `cut at ${kept}${typeof original === 'number' ? ` of ${bytes(original)}` : ''}`
}

/** A key without what is the same in all: mcp.tool.input_json → tool input. */
export function title(key: string): string {
  return key.replace(/^mcp\./, '').replace(/_json$/, '').replaceAll(/[._]/g, ' ').replace(/\b(llm|rpc|gen ai)\b/g, (word) => word.toUpperCase())
}
