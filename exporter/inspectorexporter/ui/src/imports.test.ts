import { expect, test } from 'vitest'

const sources = import.meta.glob<string>(['./**/*.ts', './**/*.tsx', '!./**/*.test.ts'], { query: '?raw', import: 'default', eager: true })

/** The source files that each one imports, types and workers too. */
const imports = new Map(Object.entries(sources).map(([file, text]) => [file, importsOf(file, text)]))

function importsOf(file: string, text: string): string[] {
  const named = [...text.matchAll(/^(?:import|export)\b[^'"(=]*['"](\.[^'"]+)['"]/gm), ...text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g)]
  return named.filter(([, target]) => !target!.endsWith('.css')).map(([, target]) => resolve(file, target!))
}

function resolve(from: string, target: string): string {
  const path = new URL(target, `file:///${from}`).pathname
  const found = ['', '.ts', '.tsx'].map((ending) => `.${path}${ending}`).find((name) => name in sources)
  if (!found) throw new Error(`${from} imports ${target}, which is no source file`)
  return found
}

/** The first circle of imports below a file, or nothing. */
function circle(file: string, path: string[], done: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
  if (done.has(file)) return undefined
  for (const next of imports.get(file) ?? []) {
    const found = circle(next, [...path, file], done)
    if (found) return found
  }
  done.add(file)
  return undefined
}

test('no source files import each other in a circle', () => {
  expect(imports.get('./main.tsx')).toEqual(['./app.tsx'])
  const done = new Set<string>()
  for (const file of imports.keys()) expect(circle(file, [], done)?.join(' → ')).toBeUndefined()
  expect(done.size).toBeGreaterThan(40)
})
