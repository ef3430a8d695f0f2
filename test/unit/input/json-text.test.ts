/** The parser of bodies: accepts what JSON.parse accepts, and reports problems that JSON.parse hides. */
import { stringify } from '@model-api/core'
import * as fc from 'fast-check'
import { inputProblems } from '../../../packages/core/src/write/body/input-problems.ts'
import { readJsonText } from '../../../packages/core/src/write/body/text/strict-json.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const read = (text: string) => {
  const problems = inputProblems()
  return { value: readJsonText(text, problems), paths: problems.found.map(({ path }) => path) }
}

const parsed = (text: string): unknown => JSON.parse(stringify(read(text).value))

suite('a body as text', (test) => {
  test('reads as by JSON.parse', () => {
    void fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        if (read(text).paths.length === 0) equal(parsed(text), JSON.parse(text))
      }),
    )
  })

  test('that is not JSON is refused, wherever it is damaged', () => {
    const good = '{"a": [1, -2.5e3, "x\\u00e9\\n", true, null], "b": {}}'
    equal(parsed(good), JSON.parse(good))
    for (let at = 0; at < good.length; at++) throws(() => read(good.slice(0, at)), { status: 400 })
    const wrong = [
      '01',
      '+1',
      '.5',
      '1.',
      "'x'",
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      '"\t"',
      'NaN',
      '',
      '1 2',
    ]
    for (const text of wrong) throws(() => read(text), { status: 400 })
  })

  test('preserves the digits of numbers', () => {
    const text = '[1.10,1e2,12345678901234567890,-0,0.1]'
    equal(stringify(read(text).value), text)
  })

  test('names duplicate and hostile keys by path', () => {
    equal(read('{"a":{"b":1,"b":2},"c":[{"__proto__":1}]}').paths, ['a.b', 'c[0].__proto__'])
    equal(Object.getPrototypeOf(read('{"__proto__":{"x":1}}').value), Object.prototype)
  })

  test('is refused beyond 32 levels and 1000 keys, without a stack overflow', () => {
    equal(read(`${'['.repeat(32)}${']'.repeat(32)}`).paths, [])
    throws(() => read(`${'['.repeat(33)}${']'.repeat(33)}`), { status: 400 })
    throws(() => read('['.repeat(1_000_000)), { status: 400 })
    const wide = Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join(',')
    throws(() => read(`{${wide}}`), { status: 400 })
  })
})
