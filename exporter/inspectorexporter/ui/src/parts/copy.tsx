import { useRef, useState } from 'preact/hooks'
import { Icon } from './icons'

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

// The clipboard is there only on secure pages; a selection can always be copied.
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  return done
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const click = async () => {
    setSaid((await copy(text)) ? 'Copied' : 'Not copied')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(''), 1500)
  }
  return (
    <button type="button" class="small" onClick={click}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} /> <span aria-live="polite">{said || label}</span>
    </button>
  )
}
