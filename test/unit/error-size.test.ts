/** How much of a request an error repeats: excerpts, lists of problems, and the function that limits them. */

import { uniqueViolation, unknownColumn, validationFailed } from '../../packages/core/src/errors.ts'
import { bounded, excerpt, listed } from '../../packages/core/src/lib/error-size.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

suite('the size of an error', (test) => {
  test('a short string is quoted whole, a long one in part', () => {
    equal(excerpt('title'), 'title')
    equal(excerpt('a'.repeat(100)), 'a'.repeat(100))
    equal(excerpt('a'.repeat(101)), `${'a'.repeat(100)}…`)
    equal(excerpt('abcdef', 3), 'abc…')
  })

  test('no character is cut in two', () => {
    equal(excerpt(`${'a'.repeat(99)}😀b`), `${'a'.repeat(99)}…`)
    equal(excerpt(`${'a'.repeat(98)}😀b`), `${'a'.repeat(98)}😀…`)
  })

  test('every member is bounded, whichever characters it contains', () => {
    for (const sign of ['a', '"', '\u0001', 'é', '😀', '\ud800']) {
      const long = sign.repeat(100_000)
      const { error, reason, code, at } = bounded({
        error: long,
        reason: long,
        code: 'x',
        at: long,
      })
      equal(code, 'x')
      ok(bytesOf({ error, reason, at }) < 16_000, JSON.stringify(sign))
    }
    equal(bounded({ error: 'Forbidden' }), { error: 'Forbidden' })
  })

  test('a sentence that quotes a long string is not cut off at its end', () => {
    const { reason, at } = unknownColumn('x'.repeat(9000), 'books', '', 'y'.repeat(9000)).body
    equal(reason, `Unknown column "${'x'.repeat(100)}…" on books.`)
    equal(at, `${'y'.repeat(200)}…`)
  })

  test('a hundred problems are listed, the others counted', () => {
    const problems = Array.from({ length: 250 }, (_, i) => [`[${i}]`, ['wrong']] as const)
    const reason = listed(problems) as Record<string, unknown>
    equal(Object.keys(reason).length, 101)
    equal(reason[''], ['and 150 more problems'])
    equal(listed(problems.slice(0, 100), 1), {
      ...Object.fromEntries(problems.slice(0, 100)),
      '': ['and 1 more problem'],
    })
  })

  test('fewer are listed if their paths or messages are long', () => {
    const paths = Array.from(
      { length: 100 },
      (_, i) => [`${'é'.repeat(300)}[${i}]`, ['wrong']] as const,
    )
    const messages = Array.from(
      { length: 100 },
      (_, i) => [`[${i}]`, ['\u0001'.repeat(5000)]] as const,
    )
    const many = [['name', Array.from({ length: 5000 }, (_, i) => `wrong ${i}`)]] as const
    for (const problems of [paths, messages, many]) {
      ok(bytesOf(validationFailed(problems).body) < 16_000)
    }
  })

  test('a problem of the whole body is not dropped', () => {
    equal(listed([['', ['Expected an object.']]], 3), {
      '': ['Expected an object.', 'and 3 more problems'],
    })
  })

  test('paths of values that the database refused are cut like those of a body', () => {
    const { reason } = uniqueViolation([[`${'a'.repeat(500)}.name`]]).body
    equal(Object.keys(reason as object), [`${'a'.repeat(200)}…`])
  })
})
