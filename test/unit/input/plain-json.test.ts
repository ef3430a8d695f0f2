/** The fast parser of bodies: accepts a text only if the full parser returns the same value without a problem. */
import { stringify } from '@model-api/core'
import * as fc from 'fast-check'
import { inputProblems } from '../../../packages/core/src/write/body/input-problems.ts'
import { plainJson } from '../../../packages/core/src/write/body/plain-json.ts'
import { readCarefully } from '../../../packages/core/src/write/body/text/strict-json.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** The value of the full parser as text; undefined if it refuses the text or finds a problem. */
function carefully(text: string): string | undefined {
  const problems = inputProblems()
  try {
    const value = readCarefully(text, problems)
    return problems.any ? undefined : stringify(value)
  } catch {
    return undefined
  }
}

const tokens = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '1',
    '-0',
    '1.0',
    '1e2',
    '12345678901234567890',
  ],
  ...[
    '0.1',
    'null',
    'true',
    '"a"',
    '"b"',
    '"a b"',
    '"a  b"',
    '""',
    '"\\n"',
    '"\\u0000"',
    '"\\ud800"',
    '"\ud800"',
  ],
  ...['"__proto__"', '"constructor"', '"é"', '"\\u00e9"', '"\\/"', '"10"', '"9"'],
)

/** Texts that are usually JSON: members and items of tokens, with spaces and repeated keys. */
const texts = fc.letrec<{ value: string; text: string }>((tie) => {
  const space = fc.constantFrom('', '', '', ' ', '\n  ', '\u00a0')
  const key = tokens.filter((token) => token.startsWith('"'))
  const member = fc
    .tuple(space, key, space, tie('value'))
    .map(([a, name, b, of]) => `${a}${name}${b}:${b}${of}`)
  const join = (open: string, close: string) => (parts: readonly string[]) =>
    `${open}${parts.join(',')}${close}`
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      tokens,
      fc.array(member, { maxLength: 4 }).map(join('{', '}')),
      fc.array(tie('value'), { maxLength: 4 }).map(join('[', ']')),
    ),
    text: fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
  }
}).text

suite('a body that JSON.parse reads', (test) => {
  test('reads as by the checking parser, or is left to it', () => {
    let taken = 0
    void fc.assert(
      fc.property(texts, (text) => {
        const value = plainJson(text)
        if (value === undefined) return
        taken += 1
        equal(stringify(value), carefully(text), text)
      }),
      { numRuns: 3000 },
    )
    ok(taken > 300, `only ${taken} texts`)
  })

  test('may have whitespace between tokens, and keeps that inside strings', () => {
    equal(plainJson(' {\n "a" : "x  y" , "b": [ 1,\t2 ] }\r\n'), { a: 'x  y', b: [1, 2] })
  })

  test('has no duplicate key, no number that would lose digits, and no refused key or string', () => {
    const left = [
      '{"a":1,"a":1}',
      '{"a":1, "a":2}',
      '[1.0]',
      '[12345678901234567890]',
      '[-0]',
      '{"__proto__":1}',
      '{"constructor":1}',
      '["\\u0000"]',
      '["\\ud800"]',
      '["\ud800"]',
      `{"${'k'.repeat(1001)}":1}`,
      `{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join(',')}}`,
      '['.repeat(33) + ']'.repeat(33),
      '['.repeat(1_000_000),
      `["${'x'.repeat(2 ** 21)}"]`,
      '{"a":1',
      '',
    ]
    for (const text of left) equal(plainJson(text), undefined, text.slice(0, 40))
  })
})
