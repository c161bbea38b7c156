import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { createLowlight } from 'lowlight'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import makefile from 'highlight.js/lib/languages/makefile'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const lowlight = createLowlight({ bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, kotlin, makefile, php, python, ruby, rust, sql, swift, typescript, xml, yaml })
const most = 50_000 // characters: colours for more take too long

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

function draw(node: Node): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const classes = node.properties.className
  return <span class={Array.isArray(classes) ? classes.join(' ') : ''}>{node.children.map((child) => draw(child as Node))}</span>
}

/** The language of a file by its name, '' if it is none that is coloured. */
export function languageOf(file: string): string {
  const ending = /\.([a-z0-9+]+)$/i.exec(file)?.[1]?.toLowerCase() ?? file.split(/[\\/]/).pop()!.toLowerCase()
  return lowlight.registered(ending) ? ending : ''
}

/** Code in its colours; the text itself where the language is not known. */
export function Coloured({ text, language }: { text: string; language: string }) {
  const nodes = useMemo(() => (language && lowlight.registered(language) && text.length <= most ? lowlight.highlight(language, text).children : undefined), [text, language])
  return <>{nodes ? nodes.map(draw) : text}</>
}
