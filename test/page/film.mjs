// Films the web UI for the README: node film.mjs TARGET.webp, with PAGE as the address of the web UI. It reads one
// command a line, {"do", "text"}, and answers with a line when that is on film. `command` and `note` set the line above
// the web UI. `open` shows a session and follows it, `select` the input of one of its spans, `board` all sessions. What
// comes between `pause` and `resume` is left out. It ends with its input, and writes the frames that differ.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { open } from './browser.mjs'
import { page as address } from './gateway.mjs'

const size = { width: 1120, height: 640 }
const line = 44 // pixels for the caption
const every = 250 // ms between frames
const speed = 3 // times faster than it was
const longest = 1500 // ms that a frame stays at most, in which nothing happens
const last = 3000 // ms that the last frame stays

const target = process.argv[2]
const browser = await open({ viewport: size })
const captions = await browser.context.newPage()
await captions.setViewportSize({ width: size.width, height: size.height + line })
const { page } = browser
await page.goto(`${address}#/`)

let caption = { do: 'command', text: '' }
let over = false
let paused = 0 // ms; negative while it pauses
const frames = [] // {at, picture, caption}
const filming = film()
console.log('filming')
for await (const input of createInterface({ input: process.stdin })) {
  const command = JSON.parse(input)
  if (command.do === 'open') {
    await page.goto(`${address}#/session/${encodeURIComponent(command.text)}?view=timeline`)
    await page.getByRole('button', { name: 'Follow' }).click()
  } else if (command.do === 'select') {
    await page.locator('.span', { hasText: command.text }).first().click()
    await page.getByRole('tab', { name: 'Content' }).click()
  } else if (command.do === 'board') {
    await page.goto(`${address}#/`)
    await page.mouse.move(0, 0)
  } else if (command.do === 'pause' || command.do === 'resume') {
    paused += command.do === 'pause' ? -Date.now() : Date.now()
  } else {
    caption = command
  }
  const filmed = frames.length
  while (paused >= 0 && frames.length < filmed + 2) await new Promise((resolve) => setTimeout(resolve, 20))
  console.log('done')
}
over = true
await filming
await write()
await browser.close()

async function film() {
  while (!over) {
    const at = Date.now()
    if (paused >= 0) frames.push({ at: at - paused, caption, picture: await page.screenshot({ animations: 'disabled' }) })
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at + every - Date.now())))
  }
}

/** Puts the captions above the pictures, and all of them into one file. */
async function write() {
  const folder = await mkdtemp(join(tmpdir(), 'film-'))
  const kept = frames.filter((f) => f.caption.text).filter((f, i, all) => i === 0 || f.caption !== all[i - 1].caption || !f.picture.equals(all[i - 1].picture))
  const args = ['-loop', '0', '-min_size', '-lossless', '-m', '6']
  let seconds = 0
  for (const [i, frame] of kept.entries()) {
    await captions.setContent(html(frame))
    await captions.locator('img').evaluate((img) => img.decode())
    const path = join(folder, `${String(i).padStart(4, '0')}.png`)
    await writeFile(path, await captions.screenshot())
    const shown = i + 1 < kept.length ? Math.min(longest, (kept[i + 1].at - frame.at) / speed) : last
    seconds += shown / 1000
    args.push('-d', String(Math.round(shown)), path)
  }
  await promisify(execFile)('img2webp', [...args, '-o', target])
  console.log(`${target}: ${kept.length} frames, ${seconds.toFixed(1)} s, ${(await stat(target)).size} bytes; frames: ${process.env.FRAMES ? folder : 'removed'}`)
  if (process.env.FRAMES) return
  await rm(folder, { recursive: true })
}

function html({ caption, picture }) {
  const escaped = caption.text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)
  const command = caption.do === 'command' && caption.text
  return `<style>
    body { margin: 0; font: 17px/${line}px "DejaVu Sans", sans-serif; background: #1d2433; color: #e8ecf4; }
    p { margin: 0; padding: 0 20px; height: ${line}px; white-space: pre; }
    .command { font-family: "DejaVu Sans Mono", monospace; } .command::before { content: "$ "; color: #8fb3ff; }
    img { display: block; }
  </style><p class="${command ? 'command' : ''}">${escaped}</p><img src="data:image/png;base64,${picture.toString('base64')}">`
}
