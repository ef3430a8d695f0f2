/** The envelope serialised as text has the same bytes as the envelope serialised as a value. */
import * as fc from 'fast-check'
import {
  type Result,
  type Stamp,
  successBody,
  successText,
} from '../../../packages/core/src/http/envelope.ts'
import type { JsonValue } from '../../../packages/core/src/lib/json/json-value.ts'
import { stringify } from '../../../packages/core/src/lib/json/stringify.ts'
import type { DumpSettings } from '../../../packages/core/src/model/settings/settings.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const switches = {
  envelope: fc.constantFrom(true, true, true, false),
  datetime: fc.boolean(),
  version: fc.boolean(),
  statusCode: fc.boolean(),
  responseMs: fc.boolean(),
  totalCount: fc.boolean(),
  nullNextUrl: fc.boolean(),
  nullPreviousUrl: fc.boolean(),
  nullErrors: fc.boolean(),
  requestId: fc.boolean(),
} satisfies Record<keyof DumpSettings, fc.Arbitrary<boolean>>

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\u2028', '\ud800', '\udc00\ud800', '\u0000\u001f\u007f', '😀'),
)
const url = fc.oneof(
  text,
  fc.constantFrom('/api/books?title__eq="é"&page=2', '/v1/api/books?or[id__in=(1,2)]&page=2'),
)

const stamps: fc.Arbitrary<Stamp> = fc.record({
  version: text,
  requestId: text,
  // Few different times, so that some repeat; one is before year 1, one after year 9999.
  now: fc.constantFrom(0, 1, 1795292350123, 1795292350124, -62198755200000, 253402300800000),
  elapsed: fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom(0, -0, -0.0001, 0.0004, 1e-7, 1e21, 12.3456, Number.NaN),
  ),
})

const results: fc.Arbitrary<Result> = fc.record(
  {
    status: fc.constantFrom(200, 201, 207),
    value: fc.jsonValue() as fc.Arbitrary<JsonValue>,
    total: fc.option(fc.maxSafeNat(), { nil: undefined }),
    next: fc.option(url),
    previous: fc.option(url),
  },
  { requiredKeys: ['status', 'value', 'total'] },
)

const numRuns = Number(process.env.FUZZ_RUNS ?? 5000)

suite('http/envelope', (test) => {
  test('a value that is already JSON text gives the same bytes', () => {
    void fc.assert(
      fc.property(results, stamps, fc.record(switches), (result, stamp, dump) => {
        const { value } = result
        const expected = stringify(successBody(result, stamp, dump))
        const written = { ...result, value: null, text: stringify(value) }
        equal(successText(written, stamp, dump), expected)
        equal(successText(result, stamp, dump), expected)
      }),
      { numRuns, seed: 20260102 },
    )
  })

  test('the timestamp is that of the clock, whichever was written before', () => {
    const none = Object.fromEntries(Object.keys(switches).map((name) => [name, false]))
    const dump = { ...none, envelope: true, datetime: true } as unknown as DumpSettings
    const moments = fc.oneof(
      fc.integer({ min: -62198755200000, max: 253402300800000 }),
      fc.integer({ min: -3000, max: 3000 }),
      fc.double({ min: 1795292350000, max: 1795292352000, noNaN: true }),
    )
    void fc.assert(
      fc.property(moments, (now) => {
        const stamp = { version: '1.0.0', requestId: 'r-1', now, elapsed: 0 }
        const iso = new Date(Math.floor(now)).toISOString().replace('Z', '+00:00')
        equal(successBody({ status: 200, value: 1, total: 1 }, stamp, dump), {
          datetime: iso,
          value: 1,
        })
      }),
      { numRuns, seed: 20260104 },
    )
  })

  test('every member, in order', () => {
    const all = Object.fromEntries(Object.keys(switches).map((name) => [name, true]))
    const result = { status: 200, value: null, text: '[1,2]', total: 41, next: '/api/books?page=2' }
    const stamp = { version: '1.0.0', requestId: 'r-1', now: 1795292350123, elapsed: 1.23456 }
    equal(
      successText(result, stamp, all as unknown as DumpSettings),
      '{"datetime":"2026-11-21T20:19:10.123+00:00","api_version":"1.0.0","status_code":200,"response_ms":1.235,"total_count":41,"next_url":"/api/books?page=2","previous_url":null,"errors":null,"request_id":"r-1","value":[1,2]}',
    )
  })

  const milliseconds = Object.fromEntries(
    Object.keys(switches).map((name) => [name, name === 'envelope' || name === 'responseMs']),
  ) as unknown as DumpSettings
  const timed = (elapsed: number) => {
    const stamp = { version: '1.0.0', requestId: 'r-1', now: 0, elapsed }
    return {
      text: successText({ status: 200, value: null, text: '1', total: 1 }, stamp, milliseconds),
      body: successBody({ status: 200, value: 1, total: 1 }, stamp, milliseconds),
    }
  }

  test('milliseconds with three digits at most', () => {
    equal(timed(0).text, '{"response_ms":0,"value":1}')
    equal(timed(0.0004).text, '{"response_ms":0,"value":1}')
    equal(timed(0.0005).text, '{"response_ms":0.001,"value":1}')
    equal(timed(12.3).text, '{"response_ms":12.3,"value":1}')
    equal(timed(0.9999).text, '{"response_ms":1,"value":1}')
  })

  test('milliseconds as JSON writes them', () =>
    fc.assert(
      fc.property(fc.double({ min: -10, max: 2_000_000, noNaN: true }), (elapsed) => {
        const { text, body } = timed(elapsed)
        equal(text, JSON.stringify(body))
      }),
      { numRuns, seed: 20260105 },
    ))

  test('with every member disabled it is the value alone', () => {
    const none = Object.fromEntries(
      Object.keys(switches).map((name) => [name, name === 'envelope']),
    )
    const stamp = { version: '1.0.0', requestId: 'r-1', now: 0, elapsed: 0 }
    const result = { status: 200, value: null, text: '[1,2]', total: 2 }
    equal(successText(result, stamp, none as unknown as DumpSettings), '[1,2]')
  })
})
