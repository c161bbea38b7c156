/** Reports whether a key is meant for a field, a dialog or the browser, and so is no shortcut. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  return event.ctrlKey || event.metaKey || event.altKey || target.matches('input, textarea, select') || !!target.closest('dialog')
}
