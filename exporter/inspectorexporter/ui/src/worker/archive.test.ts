import { expect, test } from 'vitest'
import { Archive } from './archive'

const row = { id: 's-1', title: 'A </script> & \u2028', trace_epoch: 3 }
const lines = '{"a":1}\n{"b":"ü"}\n'
async function archive(): Promise<Archive> {
  const zipped = new Blob([`${JSON.stringify(row)}\n${lines}`]).stream().pipeThrough(new CompressionStream('gzip'))
  return Archive.read(btoa(String.fromCharCode(...new Uint8Array(await new Response(zipped).arrayBuffer()))))
}

test('an exported session answers as the gateway does', async () => {
  const a = await archive()
  expect(await a.answer('sessions/s-1').json()).toEqual(row)
  const whole = a.answer('trace/s-1', { Range: 'bytes=0-' })
  expect([whole.status, whole.headers.get('X-Trace-Epoch'), await whole.text()]).toEqual([206, '3', lines])
  expect(await a.answer('trace/s-1', { Range: 'bytes=8-17' }).text()).toBe('{"b":"ü"}')
  const behind = a.answer('trace/s-1', { Range: 'bytes=19-' })
  expect([behind.status, behind.headers.get('Content-Range')]).toEqual([416, 'bytes */19'])
})

test('it has no other session', async () => {
  const a = await archive()
  expect(a.answer('trace/s-2').status).toBe(404)
  expect(a.answer('health').status).toBe(404)
  expect(await a.answer('sessions?q=x').json()).toMatchObject({ sessions: [] })
})
