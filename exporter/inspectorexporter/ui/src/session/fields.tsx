import { useMemo } from 'preact/hooks'
import { messagesOf, resultBlocks, type Block, type Message } from '../lib/content'
import { cutNote, title } from '../lib/fields'
import { byteLength, bytes } from '../lib/format'
import { parseJSON } from '../lib/json'
import { CopyButton } from '../parts/copy'
import type { Attributes } from '../wire'
import { JSONTree } from './json-tree'

const roles: Record<string, string> = {
  'mcp.llm.prompt_json': 'user',
  'mcp.llm.history_snapshot': 'user',
  'mcp.llm.response_json': 'assistant',
  'mcp.llm.system_prompt': 'system',
  'gen_ai.system_instructions': 'system',
  'gen_ai.input.messages': 'user',
  'gen_ai.output.messages': 'assistant',
}

export function Fields({ attributes, keys }: { attributes: Attributes; keys: string[] }) {
  return <>{keys.map((key) => <Field key={key} name={key} value={attributes[key]} cut={cutNote(attributes, key)} />)}</>
}

function Field({ name, value, cut }: { name: string; value: unknown; cut: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <section class="field">
      <header>
        <h3 title={name}>{title(name)}</h3>
        <small>{cut ? <b class="cut">{cut}</b> : bytes(byteLength(text))}</small>
        <CopyButton text={text} />
      </header>
      <Value name={name} text={text} />
    </section>
  )
}

function Value({ name, text }: { name: string; text: string }) {
  const role = roles[name]
  const said = useMemo(() => (role ? messagesOf(text, role) : []), [role, text])
  const parsed = useMemo(() => parseJSON(text), [text])
  if (said.length) return <Conversation messages={said} />
  if (!parsed.ok || typeof parsed.value === 'string') return <pre class="text" tabIndex={0}>{parsed.ok ? String(parsed.value) : text}</pre>
  const content = resultBlocks(parsed.value)
  return (
    <>
      {content && <div class="content"><Blocks blocks={content} /></div>}
      {content ? <details><summary>As JSON</summary><JSONTree value={parsed.value} open={2} cut={parsed.cut} /></details> : <JSONTree value={parsed.value} open={3} cut={parsed.cut} />}
    </>
  )
}

export function Conversation({ messages }: { messages: Message[] }) {
  return (
    <ol class="conversation">
      {messages.map((message) => (
        <li class={`said r-${/^[a-z]+$/.test(message.role) ? message.role : 'other'}`}>
          <span class="role">{message.role}</span>
          <div class="content"><Blocks blocks={message.blocks} /></div>
        </li>
      ))}
    </ol>
  )
}

export function Blocks({ blocks }: { blocks: Block[] }) {
  if (!blocks.length) return <p class="soft">(empty)</p>
  return <>{blocks.map((block) => <One block={block} />)}</>
}

function One({ block }: { block: Block }) {
  if (block.kind === 'text') return <p class="text">{block.text}</p>
  if (block.kind === 'image') {
    return <figure><img src={block.src} alt={`Image of type ${block.type}`} /><figcaption>{block.type}, {bytes(Math.floor((block.src.length - 22) * 0.75))}</figcaption></figure>
  }
  return <div class="data">{block.title && <span class="role">{block.title}</span>}<JSONTree value={block.value} open={2} /></div>
}
