import { expect, test } from 'vitest'
import { blocks, messagesOf, resultBlocks } from './content'
import { parseJSON } from './json'

test('whole JSON is not cut', () => expect(parseJSON('{"a":[1,null]}')).toEqual({ value: { a: [1, null] }, cut: false, ok: true }))

const whole = '{"a":"text \\u00e9\\n and \\"more\\"","list":[1,true,{"b":null,"c":"d"}],"n":-1.5e3}'
test('of cut JSON is kept what came', () => {
  for (let end = 2; end < whole.length; end++) {
    const { value, cut, ok } = parseJSON(whole.slice(0, end))
    expect(ok, whole.slice(0, end)).toBe(true)
    expect(cut).toBe(true)
    expect(typeof value).toBe('object')
  }
  expect(parseJSON('{"a":"ab').value).toEqual({ a: 'ab' })
  expect(parseJSON('[1,2,{"a":3},{"b').value).toEqual([1, 2, { a: 3 }, {}])
})

test.each(['plain words', '', 'nul', '<b>', '1 2'])('%j is no JSON', (text) => expect(parseJSON(text).ok).toBe(false))

test('messages in all forms are a conversation', () => {
  const said = [{ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }]
  expect(messagesOf('[{"role":"user","content":{"type":"text","text":"hi"}}]', 'user')).toEqual(said)
  expect(messagesOf('[{"role":"user","content":"hi"}]', 'user')).toEqual(said)
  expect(messagesOf('[{"role":"user","parts":[{"type":"text","content":"hi"}]}]', 'user')).toEqual(said)
  expect(messagesOf('{"messages":[{"role":"user","content":"hi"}]}', 'user')).toEqual(said)
  expect(messagesOf('hi', 'user')).toEqual(said)
  expect(messagesOf('[]', 'user')).toEqual([])
})

test('only pictures that cannot run are shown', () => {
  const image = (mimeType: unknown, data: unknown) => blocks([{ type: 'image', mimeType, data }])[0]?.kind
  expect(image('image/png', 'AAAA')).toBe('image')
  expect(image('image/svg+xml', 'AAAA')).toBe('data')
  expect(image('text/html', 'AAAA')).toBe('data')
  expect(image('image/png', '" onerror="x')).toBe('data')
  expect(image(1, 2)).toBe('data')
})

test('results that have no blocks stay JSON', () => {
  expect(resultBlocks({ content: [{ type: 'text', text: 'a' }] })).toHaveLength(1)
  expect(resultBlocks({ content: [] })).toBeUndefined()
  expect(resultBlocks({ content: [1] })).toBeUndefined()
  expect(resultBlocks([1])).toBeUndefined()
})
