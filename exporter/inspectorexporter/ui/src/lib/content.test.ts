import { expect, test } from 'vitest'
import { firstLine, lastSaid, textOf } from './content'

test('the words in what tools give back, whichever agent it is', () => {
  expect(textOf('"hello\\n"')).toBe('hello\n')
  expect(textOf('{"stdout":"out","stderr":"err","interrupted":false}')).toBe('out\nerr')
  expect(textOf('[{"type":"text","text":"3 + 4 = 7"}]')).toBe('3 + 4 = 7')
  expect(textOf('{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":false}')).toBe('a\nb')
  expect(textOf('{"type":"text","file":{"filePath":"n","content":"The answer"}}')).toBe('The answer')
  expect(textOf('{"llmContent":[{"text":"x"}]}')).toBe('x')
  expect(textOf('{"title":"","output":"one\\n"}')).toBe('one\n')
  expect(textOf('plain')).toBe('plain')
  expect([textOf(undefined), textOf('{}'), textOf('""')]).toEqual(['', '{}', ''])
})

test('the last that somebody said', () => {
  const messages = [{ role: 'user', parts: [{ type: 'text', content: 'first' }] }, { role: 'assistant', content: 'no' }, { role: 'user', content: 'second' }]
  expect(lastSaid(JSON.stringify(messages), 'user')).toBe('second')
  expect(lastSaid(undefined, 'user')).toBe('')
  expect(firstLine('\n  one \ntwo')).toBe('one')
})
