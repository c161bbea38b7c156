import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icons'

const formats = [
  ['html', '.html', 'Web page', 'conversation and timeline, opens offline'],
  ['json', '.json', 'JSON', 'the row and all spans'],
  ['otlp', '.otlp.jsonl', 'OTLP', 'for other tools'],
] as const

/** A menu of the files that a session can be saved as. */
export function ExportMenu({ id }: { id: string }) {
  const [payloads, setPayloads] = useState(true)
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => menu.current?.removeAttribute('open')
  useEffect(() => {
    const outside = (event: Event) => !menu.current?.contains(event.target as Node) && close()
    addEventListener('pointerdown', outside)
    return () => removeEventListener('pointerdown', outside)
  }, [])
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    event.stopPropagation()
    close()
    menu.current.querySelector('summary')?.focus()
  }
  const from = `/_inspector/sessions/${encodeURIComponent(id)}/export?payloads=${payloads}&format=`
  return (
    <details class="menu" ref={menu} onKeyDown={leave}>
      <summary class="button"><Icon name="download" /> <span class="label">Export</span></summary>
      <div class="menu-items">
        <label><input type="checkbox" checked={payloads} onChange={(e) => setPayloads(e.currentTarget.checked)} /> With prompts, arguments, results and error texts</label>
        {formats.map(([format, extension, name, what]) => (
          <a href={from + format} download={id + extension} onClick={close}><b>{name}</b> <span class="soft">{what}</span></a>
        ))}
        <a href={`/_inspector/trace/${encodeURIComponent(id)}?download=1`} download={`${id}.jsonl.gz`} onClick={close}><b>Session file</b> <span class="soft">as stored, for <code>trace_files</code></span></a>
      </div>
    </details>
  )
}
