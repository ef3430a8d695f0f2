// Canonical JSON: keys by code point, numbers verbatim, any depth; and its text.
import * as fc from 'fast-check'
import { canonicalJson } from '../../../packages/core/src/lib/json/canonical.ts'
import { stringify } from '../../../packages/core/src/lib/json/stringify.ts'
import { verbatimNumber } from '../../../packages/core/src/lib/json/verbatim.ts'
import { equal, ok, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const round = (text: string): string => stringify(canonicalJson(text))

suite('json/canonical', (test) => {
  const cases: readonly (readonly [text: string, canonical: string])[] = [
    ['null', 'null'],
    [' true ', 'true'],
    ['"a\\u00e9\\/"', '"aé/"'],
    ['1', '1'],
    [' 1.0 ', '1.0'],
    ['-0', '-0'],
    ['1e2', '1e2'],
    ['1E+2', '1E+2'],
    ['0.1', '0.1'],
    ['1e-7', '1e-7'],
    ['0.0000001', '0.0000001'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', '1e400'],
    ['123456789.123456789123456789', '123456789.123456789123456789'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[[],{},[{}]]', '[[],{},[{}]]'],
    ['[ 1 , 2.50 , "x" , null ]', '[1,2.50,"x",null]'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['{"a":1,"a":{"z":1,"y":2}}', '{"a":{"y":2,"z":1}}'],
    ['{"10":1,"9":2,"-1":3,"":4}', '{"":4,"-1":3,"10":1,"9":2}'],
    ['{"\u{10ffff}":1,"\uffff":2,"a":3}', '{"a":3,"\uffff":2,"\u{10ffff}":1}'],
    ['{"__proto__":{"x":1},"a":1}', '{"__proto__":{"x":1},"a":1}'],
    [
      '{"constructor":1,"toString":2.0,"hasOwnProperty":3}',
      '{"constructor":1,"hasOwnProperty":3,"toString":2.0}',
    ],
    ['{"toJSON":1,"a":2.0}', '{"a":2.0,"toJSON":1}'],
    ['{"verbatim":"1","toJSON":"2"}', '{"toJSON":"2","verbatim":"1"}'],
    ['{"a\\"b":"c,]}:{[","d":[":"]}', '{"a\\"b":"c,]}:{[","d":[":"]}'],
    ['{"a":"\\ud83d\\ude00","b":"\\ud800"}', '{"a":"😀","b":"\\ud800"}'],
    ['"\u2028\u0001"'.replace('\u0001', '\\u0001'), '"\u2028\\u0001"'],
  ]
  for (const [text, canonical] of cases) {
    test(`${text} is written ${canonical}`, () => {
      equal(round(text), canonical)
      equal(round(canonical), canonical)
    })
  }

  test('a number that JavaScript prints the same is a plain number', () => {
    equal(String(canonicalJson('[1,0.5,-3,1e-7,1e21]')), '1,0.5,-3,1e-7,[object Object]')
    equal(typeof canonicalJson('9007199254740991'), 'number')
    equal(typeof canonicalJson('9007199254740993'), 'object')
  })

  test('a key called __proto__ stays a key where keys are sorted, too', () => {
    for (const text of [
      '{"b":1,"__proto__":{"admin":true}}',
      '{"b":1.50,"__proto__":{"admin":true}}',
    ]) {
      const value = canonicalJson(text) as Record<string, unknown>
      equal(Object.keys(value), ['__proto__', 'b'])
      equal(Object.getPrototypeOf(value), Object.prototype)
    }
  })

  test('__proto__ is a member like any other', () => {
    const value = canonicalJson('{"__proto__":{"admin":true}}') as Record<string, unknown>
    ok(Object.hasOwn(value, '__proto__'))
    equal((value as { admin?: unknown }).admin, undefined)
  })

  test('what is not JSON throws SyntaxError', () => {
    for (const text of ['', '{', '[1,]', '01', '1.', 'nul', '{"a" 1}', '"\n"', '1 2', '{a:1}']) {
      ok(throws(() => canonicalJson(text)) instanceof SyntaxError, text)
    }
  })

  test('depth is unlimited', () => {
    const depth = 200_000
    const text = `${'['.repeat(depth)}1.0${']'.repeat(depth)}`
    ok(round(text) === text)
    const object = `${'{"b":0,"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    ok(round(object).startsWith('{"a":{"a":'))
    const plain = `${'['.repeat(depth)}${']'.repeat(depth)}`
    ok(round(plain) === plain)
  })

  test('any document keeps its meaning and is written the same for any order of its keys', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        // JavaScript serialises -0 as 0.
        equal(JSON.parse(round(text)), JSON.parse(text))
        equal(round(text), round(JSON.stringify(reversed(value))))
      }),
    )
  })
})

/** The same document with every object's keys in the opposite order of insertion. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

suite('json/stringify', (test) => {
  test('writes as JSON.stringify where no number is verbatim', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        equal(stringify(value as never), JSON.stringify(value))
      }),
    )
  })

  test('writes beside a verbatim number as JSON.stringify does', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        equal(stringify([value as never, verbatimNumber('1.0')]), `[${JSON.stringify(value)},1.0]`)
      }),
    )
  })

  test('leaves undefined members out, and writes other values as JSON.stringify does', () => {
    const odd = {
      a: undefined,
      b: [undefined],
      c: new Date(0),
      d: Number.NaN,
      e: () => 1,
      f: { toJSON: () => ({ x: 1 }) },
    }
    equal(stringify(odd as never), JSON.stringify(odd))
    equal(
      stringify({ ...odd, g: verbatimNumber('1.0') } as never),
      JSON.stringify({ ...odd, g: 1 }).replace('"g":1', '"g":1.0'),
    )
    equal(stringify(undefined as never), 'null')
  })

  test('a verbatim number serializes elsewhere as the nearest JavaScript number', () => {
    equal(
      JSON.stringify({ n: verbatimNumber('12345678901234567890') }),
      '{"n":12345678901234567000}',
    )
    equal(verbatimNumber('1.0').toJSON(), 1)
    ok(Object.isFrozen(verbatimNumber('1.0')))
  })

  test('only a number can be verbatim', () => {
    for (const text of ['', '01', '1.', '+1', 'NaN', '1,"admin":true', '1 ', '0x1']) {
      throws(() => verbatimNumber(text), 'not a JSON number')
    }
  })
})
