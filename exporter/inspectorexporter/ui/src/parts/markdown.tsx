import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Lexer, type Token, type Tokens } from 'marked'
import { Coloured } from './code'

const most = 200_000 // characters: more is shown as plain text

/** Markdown as elements. HTML in it stays text, pictures are links, and links lead to web pages only. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > most ? undefined : Lexer.lex(text, { gfm: true })), [text])
  return <div class="markdown">{tokens ? all(tokens) : <p class="text">{text}</p>}</div>
}

function all(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map(one)
}

function one(token: Token): ComponentChildren {
  switch (token.type) {
    case 'space': case 'def': return null
    case 'heading': return <p class={`heading h${(token as Tokens.Heading).depth}`}>{all(token.tokens)}</p>
    case 'paragraph': return <p>{all(token.tokens)}</p>
    case 'code': return <pre class="code" tabIndex={0}><code><Coloured text={token.text as string} language={((token as Tokens.Code).lang ?? '').split(/\s/, 1)[0]!} /></code></pre>
    case 'blockquote': return <blockquote>{all(token.tokens)}</blockquote>
    case 'list': return list(token as Tokens.List)
    case 'table': return table(token as Tokens.Table)
    case 'hr': return <hr />
    case 'strong': return <strong>{all(token.tokens)}</strong>
    case 'em': return <em>{all(token.tokens)}</em>
    case 'del': return <del>{all(token.tokens)}</del>
    case 'codespan': return <code>{token.text}</code>
    case 'br': return <br />
    case 'link': case 'image': return link(token as Tokens.Link | Tokens.Image)
    case 'text': return token.tokens ? all(token.tokens) : token.text
    case 'escape': return token.text
    default: return token.raw
  }
}

function list({ ordered, start, items }: Tokens.List) {
  const drawn = items.map((item) => <li>{item.task && <input type="checkbox" checked={item.checked} disabled aria-label="Done" />}{all(item.tokens)}</li>)
  return ordered ? <ol start={Number(start) || 1}>{drawn}</ol> : <ul>{drawn}</ul>
}

function table({ header, rows }: Tokens.Table) {
  return (
    <div class="table-box" tabIndex={0}>
      <table>
        <thead><tr>{header.map((cell) => <th>{all(cell.tokens)}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <tr>{row.map((cell) => <td>{all(cell.tokens)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  )
}

function link({ type, href, text, tokens }: Tokens.Link | Tokens.Image) {
  const shown = type === 'image' ? text || 'image' : all(tokens)
  return /^https?:\/\//i.test(href) ? <a href={href} target="_blank" rel="noopener noreferrer nofollow">{shown}</a> : <>{shown}</>
}
