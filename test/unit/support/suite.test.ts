/** The assertions of the tests: what they accept and what they refuse. */
import { equal, match, plain, rejects, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('assertions', (test) => {
  test('equal ignores a missing prototype and nothing else', () => {
    equal(Object.assign(Object.create(null), { a: [1] }), { a: [1] })
    throws(() => equal({ a: undefined }, {}))
    throws(() => equal([1], { 0: 1 }))
    throws(() => equal(1, '1'))
    throws(() => equal(new Date(0), new Date(1)))
  })

  test('plain keeps a member called __proto__', () => {
    equal(Object.keys(plain(JSON.parse('{"__proto__": 1}')) as object), ['__proto__'])
  })

  test('throws and rejects return the error', async () => {
    const error = Object.assign(new Error('no such column'), { status: 400 })
    const fails = (): never => {
      throw error
    }
    equal(throws(fails, { status: 400 }) === error, true)
    equal((await rejects(async () => fails(), /column/)) === error, true)
    match(throws(() => throws(fails, { status: 404 })).message, 'deeply equal')
  })

  test('throws and rejects fail when nothing is thrown', async () => {
    match(throws(() => throws(() => 1)).message, 'expected a throw')
    match(throws(() => throws(() => Promise.reject(new Error()))).message, 'use rejects')
    await rejects(rejects(Promise.resolve(1)), 'expected a rejection')
  })
})
