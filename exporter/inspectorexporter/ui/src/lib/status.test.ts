import { expect, test } from 'vitest'
import { parseLine } from '../worker/span'
import type { SpanLine } from '../wire'
import { isFailed, outcome, statuses, whyFailed } from './status'

const line = (status: SpanLine['status'], attributes: SpanLine['attributes'] = {}): SpanLine => ({
  trace_id: 't', span_id: 's', name: 'tool.call', start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T00:00:01Z', attributes, ...(status && { status }),
})
const mcpError = { 'mcp.status.code': 'error', 'mcp.error.code': 'INVALID_PARAMS', 'mcp.error.message': 'no such path' }

test.each([
  [line(undefined), false, 'OK', ''],
  [line({ status_code: 'UNSET' }), false, 'OK', 'OpenTelemetry: unset'],
  [line({ status_code: 'OK' }, { 'mcp.status.code': 'ok' }), false, 'OK', 'OpenTelemetry: ok, mcp.status.code: ok'],
  [line({ status_code: 'ERROR' }), true, 'Error', 'OpenTelemetry: error'],
  [line({ status_code: 'UNSET' }, mcpError), true, 'Error', 'OpenTelemetry: unset, mcp.status.code: error'],
  [line({ status_code: 'OK' }, mcpError), true, 'Error', 'OpenTelemetry: ok, mcp.status.code: error'],
])('a span failed by either status, and both are shown: %#', (span, failed, word, both) => {
  expect(isFailed(span)).toBe(failed)
  expect(outcome(span, false)).toBe(word)
  expect(statuses(span)).toBe(both)
  expect(parseLine(JSON.stringify(span), 's', 0, 0).span.flags & 1).toBe(failed ? 1 : 0)
})

test('a span that runs has no outcome yet', () => {
  expect(outcome(line({ status_code: 'UNSET' }), true)).toBe('No end yet')
  expect(outcome(line({ status_code: 'UNSET' }, mcpError), true)).toBe('Error')
})

test('why it failed is all that is known', () => {
  expect(whyFailed(line({ status_code: 'UNSET' }, mcpError))).toEqual({ code: 'INVALID_PARAMS', text: 'no such path' })
  expect(whyFailed(line({ status_code: 'ERROR', description: 'boom' }))).toEqual({ code: '', text: 'boom' })
  expect(whyFailed(line({ status_code: 'ERROR', description: 'boom' }, mcpError)).text).toBe('no such path · boom')
  expect(whyFailed(line({ status_code: 'ERROR', description: 'no such path' }, mcpError)).text).toBe('no such path')
  expect(whyFailed(line({ status_code: 'ERROR' })).text).toBe('Error, without a message')
})
