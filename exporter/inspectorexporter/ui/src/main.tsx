import { render } from 'preact'
import { App } from './app'
import './styles/tokens.css'
import './styles/base.css'
import './styles/board.css'
import './styles/session.css'
import './styles/panel.css'
import './styles/story.css'
import './styles/stream.css'

render(<App />, document.getElementById('app')!)
