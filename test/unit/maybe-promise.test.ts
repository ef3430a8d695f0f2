/** mapAll: the results of many calls, values or promises, in the order of their items. */
import { mapAll } from '../../packages/core/src/lib/maybe-promise.ts'
import { equal, rejects } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('mapAll', (test) => {
  test('stays synchronous without a promise', () => {
    equal(
      mapAll([1, 2], (one) => one * 2),
      [2, 4],
    )
    equal(
      mapAll([], () => 1),
      [],
    )
  })

  test('calls in order without waiting, and keeps the order of the results', async () => {
    const called: number[] = []
    const given = mapAll([1, 2, 3], (one) => {
      called.push(one)
      return one === 2 ? Promise.resolve(one) : one
    })
    equal(called, [1, 2, 3])
    equal(await given, [1, 2, 3])
  })

  test('a function that throws leaves no promise unhandled', async () => {
    const given = mapAll(['rejects', 'throws'], (one) => {
      if (one === 'throws') throw new Error(one)
      return Promise.reject(new Error(one))
    })
    await rejects(() => Promise.resolve(given), /rejects/)
  })
})
