import { expect, test } from 'vitest'
import { cutNote, keysOf, tabOf, title } from './fields'
import { bytes, costNote, count, share, traceLink, traceTool, usageText } from './format'

test.each([[7, '7'], [1234, '1.2k'], [99_960, '100k'], [999_600, '1.00M'], [undefined, '–']])('%s is %s', (n, text) => expect(count(n)).toBe(text))
test.each([[5, '5 B'], [1024, '1 KB'], [30_720, '30 KB'], [1_482_113, '1.4 MB'], [1_048_000, '1023 KB']])('%d bytes are %s', (n, text) => expect(bytes(n)).toBe(text))

test('the share is told or computed', () => {
  expect(share({ used: 50, limit: 200 })).toBe(25)
  expect(share({ used: 50, limit: 200, percent: 26 })).toBe(26)
  expect(share({ used: 50 })).toBeUndefined()
  expect(share(undefined)).toBeUndefined()
})

test('links lead to web addresses only', () => {
  expect(traceLink('http://j:16686/trace/{trace_id}?uiFind={span_id}', 'ab', 'cd')).toBe('http://j:16686/trace/ab?uiFind=cd')
  expect(traceLink('javascript:alert("{trace_id}")', 'ab', 'cd')).toBe('')
  expect(traceLink('', 'ab', 'cd')).toBe('')
  expect(traceTool('https://grafana.example/explore?x={trace_id}')).toBe('Tempo')
  expect(traceTool('http://localhost:16686/trace/{trace_id}')).toBe('Jaeger')
})

test('each attribute has its tab', () => {
  const attributes = {
    'mcp.tool.input_json': '{}', 'mcp.tool.output_json': '{"a', 'mcp.tool.output_json_truncated': true, 'mcp.tool.output_json_original_bytes': 2_000_000,
    'mcp.state.plan_json': '{}', 'mcp.tool.structured_output_json': '1', 'mcp.rpc.method': 'tools/call', 'other_truncated': true,
  }
  expect(keysOf(attributes, 'Input')).toEqual(['mcp.tool.input_json'])
  expect(keysOf(attributes, 'Output')).toEqual(['mcp.tool.output_json'])
  expect(keysOf(attributes, 'Structured')).toEqual(['mcp.tool.structured_output_json'])
  expect(keysOf(attributes, 'State')).toEqual(['mcp.state.plan_json'])
  expect(keysOf(attributes, 'Overview')).toEqual(['mcp.rpc.method', 'other_truncated'])
  expect(cutNote(attributes, 'mcp.tool.output_json')).toBe('cut at 3 B of 1.9 MB')
  expect(cutNote(attributes, 'mcp.tool.input_json')).toBe('')
  expect(tabOf('mcp.agent.run_result_json')).toBe('State')
  expect(title('mcp.llm.prompt_json')).toBe('LLM prompt')
})

test('what model calls took', () => {
  expect(usageText({ input_tokens: 12_300, output_tokens: 940, cost_usd: 0.251 })).toBe('12.3k in, 940 out, $0.25')
  expect(usageText({ cost_usd: 0.0004 })).toBe('$0.0004')
  expect(usageText({ input_tokens: 12_300, cache_read_input_tokens: 10_000 })).toBe('12.3k in (10.0k cached)')
  expect(usageText({ cache_read_input_tokens: 5 })).toBe('')
  expect(usageText({ input_tokens: 5, cost_usd: 0.12, cost_estimated_usd: 0.12 })).toBe('5 in, ≈\u00a0$0.12')
})

test('a cost that is estimated says by which prices', () => {
  expect(costNote({ cost_usd: 1 })).toBe('')
  expect(costNote({ cost_usd: 1, cost_estimated_usd: 1, cost_source: 'prices of May' })).toBe('Estimated by prices of May: agents did not report the cost')
  expect(costNote({ cost_usd: 1, cost_estimated_usd: 0.25 })).toBe('$0.25 of it is estimated by list prices: agents did not report the cost')
})
