import { useState } from 'preact/hooks'
import { Icon } from './icons'
import { remember } from './remember'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]
const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

function chosen(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function choose(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  remember('theme', theme)
}

export function ThemeButton() {
  const [theme, setTheme] = useState(chosen)
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!
  const change = () => {
    choose(next)
    setTheme(next)
  }
  return (
    <button type="button" class="quiet square" aria-label={`Theme: ${theme}. Change to ${next}`} title={`Theme: ${theme}`} onClick={change}>
      <Icon name={icons[theme]} />
    </button>
  )
}
