import { expect, test } from 'vitest'
import { commandOf, diffsOf, fileOf } from './call'

test('a command is one whatever the agent calls it', () => {
  expect(commandOf({ command: 'go test ./…', description: 'Test' })).toBe('go test ./…')
  expect(commandOf({ command: ['bash', '-lc', 'ls -l'] })).toBe('ls -l')
  expect(commandOf({ cmd: 'ls' })).toBe('ls')
  expect([commandOf({ path: 'a' }), commandOf('text'), commandOf(undefined)]).toEqual(['', '', ''])
})

test('edits are differences', () => {
  const [one] = diffsOf({ file_path: '/src/a.go', old_string: 'a\nb\nc', new_string: 'a\nB\nc\nd' })!
  expect(one).toMatchObject({ file: '/src/a.go', added: 3, removed: 2 })
  expect(one!.lines.map(({ sign }) => sign).join('')).toMatch(/^[ +-]+$/)
  expect(diffsOf({ filePath: 'a', edits: [{ oldString: 'x', newString: 'y' }, { oldString: 'p', newString: '' }] })).toHaveLength(2)
  expect(diffsOf({ path: 'new.txt', content: 'one\ntwo\n' })![0]).toMatchObject({ added: 2, removed: 0 })
  expect(diffsOf({ path: 'read.txt' })).toBeUndefined()
  expect(diffsOf({ content: 'no file' })).toBeUndefined()
})

test('a patch of Codex is one difference a file', () => {
  const patch = '*** Begin Patch\n*** Update File: a.go\n@@ func main\n-old\n+new\n same\n*** Add File: b.go\n+package b\n*** End Patch'
  for (const input of [{ patch }, { input: patch }, { command: ['apply_patch', patch] }]) {
    expect(diffsOf(input)!.map(({ file, added, removed }) => [file, added, removed])).toEqual([['a.go', 1, 1], ['b.go', 1, 0]])
    expect(commandOf(input)).toBe('')
  }
})

test('a file is named in many ways', () => {
  expect(['file_path', 'filePath', 'path', 'filename'].map((key) => fileOf({ [key]: 'a.txt' }))).toEqual(Array(4).fill('a.txt'))
})
