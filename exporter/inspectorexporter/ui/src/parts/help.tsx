import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icons'

const keys: [string, [string, string][]][] = [
  ['Everywhere', [['/', 'Search'], ['Esc', 'Leave the search, close the panel, go back'], ['?', 'These shortcuts']]],
  ['Sessions', [['↓ ↑ or j k', 'Next, previous session'], ['Enter', 'Open it']]],
  ['Session', [
    ['↓ ↑ or j k', 'Next, previous span'], ['← →', 'Fold, unfold; to the parent, the first child'], ['Home End', 'First, last span'],
    ['n p', 'Next, previous error'], ['Enter', 'To the details of the span'], ['+ − 0', 'Zoom in, out, all'],
    ['Shift ← →', 'Earlier, later'], ['z', 'Zoom to the span'], ['f', 'Follow what is new'],
  ]],
]

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <div class="help-body">
        <header>
          <h2 id="help-title">Keyboard shortcuts</h2>
          <button type="button" class="quiet square" aria-label="Close" onClick={() => dialog.current?.close()}><Icon name="close" /></button>
        </header>
        {keys.map(([place, list]) => (
          <section>
            <h3>{place}</h3>
            <dl>
              {list.map(([key, what]) => (
                <div><dt>{key.split(' ').map((k) => (k === 'or' ? ' or ' : <kbd>{k}</kbd>))}</dt><dd>{what}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  )
}
