import { useState } from 'preact/hooks'
import { brief, commandOf, diffsOf, fileOf, type Diff } from '../lib/call'
import { resultBlocks, textOf } from '../lib/content'
import { cutNote } from '../lib/fields'
import { isRecord, parseJSON } from '../lib/json'
import { plural } from '../lib/format'
import { whyFailed } from '../lib/status'
import { duration } from '../lib/time'
import { Coloured, languageOf } from '../parts/code'
import { Icon } from '../parts/icons'
import { inputOf } from '../lib/about'
import { isError, isRunning, type Span } from '../worker/span'
import type { Attributes, SpanLine } from '../wire'
import { Decision, wasRefused } from './decision'
import { Blocks } from './fields'
import { JSONTree } from './json-tree'
import { Long } from './long'

const outputs = ['mcp.tool.output_json', 'gen_ai.tool.call.result', 'mcp.tool.structured_output_json', 'mcp.rpc.response_json']
const inputs = ['mcp.tool.input_json', 'gen_ai.tool.call.arguments', 'mcp.prompt.parameters_json', 'mcp.resource.uri']

interface Props {
  span: Span
  line: SpanLine | undefined
  wire: SpanLine | undefined // the same call as its server saw it
  live: boolean
  asked: { span: Span; line: SpanLine | undefined } | undefined
}

/** A call: what ran, what came of it, and who allowed it. */
export function Call({ span, line, wire, live, asked }: Props) {
  const attributes: Attributes = { ...wire?.attributes, ...line?.attributes }
  const input = inputOf(attributes)
  const command = commandOf(input), diffs = diffsOf(input), file = fileOf(input)
  const running = (span.flags & isRunning) !== 0
  const refused = wasRefused(attributes) || wasRefused(asked?.line?.attributes)
  const server = attributes['mcp.server.name'] ?? attributes['anthropic.mcp.server.name']
  const failed = line && (span.flags & isError) !== 0 && !refused
  const why = failed ? whyFailed(line).text : ''
  const key = outputs.find((name) => attributes[name] !== undefined && !(why && textOf(attributes[name]).trim() === why.trim()))
  return (
    <>
      <p class="call-head">
        <i class={`kind-mark ${span.family}`} />
        {typeof server === 'string' && server && <span class="server" title="MCP server">{server}</span>}
        <b>{span.label || span.name}</b>
        {command ? <code class="command-line"><span aria-hidden="true">$ </span><Coloured text={command} language="bash" /></code>
          : diffs ? <span class="file">{diffs.map((diff) => <>{diff.file} <Counts diff={diff} /> </>)}</span>
          : file ? <span class="file">{file}</span> : !line && <span class="file">{span.about}</span>}
        {!command && !diffs && !file && <span class="file">{brief(input)}</span>}
        <span class="soft">{running ? (live ? 'running' : 'no end recorded') : duration(span.end - span.start)}</span>
        <Decision span={asked?.span} attributes={{ ...asked?.line?.attributes, ...(attributes['mcp.tool.decision'] ? attributes : {}), 'mcp.tool.approval_ms': attributes['mcp.tool.approval_ms'] }} />
      </p>
      {diffs?.map((diff) => <Lines diff={diff} />)}
      {line && !command && !diffs && !file && <Arguments input={input} cut={inputs.map((name) => cutNote(attributes, name)).find(Boolean) ?? ''} />}
      {failed && <p class="why bad"><Icon name="failed" /> <span class="pre"><Long text={why} at={6}>{(shown) => <>{shown}</>}</Long></span></p>}
      {key && <Output attributes={attributes} name={key} file={file} folded={!!(command || file)} diff={!!diffs} />}
      {line && !key && !running && !refused && !(span.flags & isError) && <p class="left-out">The output was not recorded.</p>}
    </>
  )
}

function Counts({ diff }: { diff: Diff }) {
  return <span class="counts"><span class="plus">+{diff.added}</span> <span class="minus">−{diff.removed}</span></span>
}

function Arguments({ input, cut }: { input: unknown; cut: string }) {
  if (input === undefined || input === '') return null
  if (!isRecord(input)) return <pre class="out" tabIndex={0}>{textOf(input)}</pre>
  if (!Object.keys(input).length || (brief(input) && !cut)) return null
  return <div class="arguments">{cut && <b class="cut">{cut}</b>}<JSONTree value={input} open={JSON.stringify(input).length < 400 ? 2 : 1} /></div>
}

const shownAtOnce = 16 // lines of a difference

function Lines({ diff }: { diff: Diff }) {
  const [open, setOpen] = useState(false)
  const long = diff.lines.length > shownAtOnce * 1.5
  const shown = long && !open ? diff.lines.slice(0, shownAtOnce) : diff.lines
  const language = languageOf(diff.file)
  if (!diff.lines.length) return null
  return (
    <div class="diff" role="group" aria-label={`Changes of ${diff.file}`}>
      <pre tabIndex={0}>{shown.map(({ sign, text }) => <span class={`d-${{ '+': 'add', '-': 'del', ' ': 'same', '@': 'hunk' }[sign]}`}><i>{sign === '@' ? '' : sign === '-' ? '−' : sign}</i><Coloured text={text} language={sign === '@' ? '' : language} />{'\n'}</span>)}</pre>
      {long && <button type="button" class="small fold" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Show less' : `Show all ${plural(diff.lines.length, 'line')}`}</button>}
    </div>
  )
}

/** What the call gave back: folded if it is long, or what a file has in it. */
function Output({ attributes, name, file, folded, diff }: { attributes: Attributes; name: string; file: string; folded: boolean; diff: boolean }) {
  const raw = attributes[name]
  const cut = cutNote(attributes, name)
  const parsed = typeof raw === 'string' ? parseJSON(raw) : { ok: true, value: raw, cut: false }
  const content = parsed.ok ? resultBlocks(parsed.value) : undefined
  const text = textOf(raw).replace(/\n+$/, '')
  if (diff && !cut) return null // the change says it all
  if (content?.some((block) => block.kind !== 'text')) return <div class="content"><Blocks blocks={content} /></div>
  if (!text) return cut ? <p class="left-out">Output {cut}</p> : parsed.ok && isRecord(parsed.value) && Object.keys(parsed.value).length ? <div class="arguments"><JSONTree value={parsed.value} open={1} /></div> : <p class="left-out">No output</p>
  const count = text.split('\n').length
  const shown = <pre class="out" tabIndex={0}><Long text={text} at={200}>{(part) => <Coloured text={part} language={file ? languageOf(file) : ''} />}</Long></pre>
  const note = cut && <b class="cut"> {cut}</b>
  if (!folded || (count <= 3 && text.length < 300 && !file)) return <>{shown}{note}</>
  return <details class="fold-box"><summary>{file ? 'Content' : 'Output'} · {plural(count, 'line')}{note}</summary>{shown}</details>
}
