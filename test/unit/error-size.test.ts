/** How much of a request an error repeats: excerpts, lists of problems, and the function that limits them. */

import { uniqueViolation, unknownColumn, validationFailed } from '../../packages/core/src/errors.ts'
import { boundedError, excerpt, listedProblems } from '../../packages/core/src/lib/error-size.ts'
import type { FieldProblem } from '../../packages/core/src/lib/problems/problem-codes.ts'
import { notAnObject, refusedByHost } from '../../packages/core/src/problems.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const wrong = (path: string, message = 'wrong'): FieldProblem => ({
  path,
  ...refusedByHost(message),
})

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
      const { error, reason, code, at } = boundedError({
        error: long,
        reason: long,
        code: 'x',
        at: long,
      })
      equal(code, 'x')
      ok(bytesOf({ error, reason, at }) < 16_000, JSON.stringify(sign))
    }
    equal(boundedError({ error: 'Forbidden' }), { error: 'Forbidden' })
  })

  test('a sentence that quotes a long string is not cut off at its end', () => {
    const { reason, at } = unknownColumn('x'.repeat(9000), 'books', '', 'y'.repeat(9000)).body
    equal(reason, `Unknown column "${'x'.repeat(100)}…" on books.`)
    equal(at, `${'y'.repeat(200)}…`)
  })

  test('a hundred problems are listed, the others counted', () => {
    const found = Array.from({ length: 250 }, (_, i) => wrong(`[${i}]`))
    const { reason, problems } = listedProblems(found)
    equal(Object.keys(reason).length, 101)
    equal(reason[''], ['and 150 more problems'])
    equal(problems.length, 101)
    equal(problems.at(-1), {
      path: '',
      code: 'more_problems',
      params: { count: 150 },
      message: 'and 150 more problems',
    })
    const some = found.slice(0, 100)
    equal(listedProblems(some, 1).reason, {
      ...Object.fromEntries(some.map(({ path, message }) => [path, [message]])),
      '': ['and 1 more problem'],
    })
    equal(listedProblems(some).problems, some)
  })

  test('fewer are listed if their paths or messages are long', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i)
    const paths = hundred.map((i) => wrong(`${'é'.repeat(300)}[${i}]`))
    const messages = hundred.map((i) => wrong(`[${i}]`, '\u0001'.repeat(5000)))
    const many = Array.from({ length: 5000 }, (_, i) => wrong('name', `wrong ${i}`))
    const params = hundred.map(
      (i): FieldProblem => ({
        path: `[${i}]`,
        code: 'not_listed',
        params: { allowed: hundred.map((j) => `${'é'.repeat(300)}${j}`) },
        message: 'wrong',
      }),
    )
    for (const found of [paths, messages, many, params]) {
      const { body } = validationFailed(found)
      ok(bytesOf(body) < 16_000)
      ok((body.problems?.length ?? 0) > 2)
    }
  })

  test('a problem of the whole body is not dropped', () => {
    equal(listedProblems([{ path: '', ...notAnObject }], 3).reason, {
      '': ['Expected an object.', 'and 3 more problems'],
    })
  })

  test('paths of values that the database refused are cut like those of a body', () => {
    const { reason } = uniqueViolation([[`${'a'.repeat(500)}.name`]]).body
    equal(Object.keys(reason as object), [`${'a'.repeat(200)}…`])
  })
})
