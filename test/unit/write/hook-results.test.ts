/** Which results of hooks an attempt of a write takes from the one before. */
import type { JsonValue } from '@model-api/core'
import { HookResults } from '../../../packages/core/src/write/transaction/hook-results.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('results of hooks', (test) => {
  let calls = 0
  const attempt = (results: HookResults, ...inputs: readonly JsonValue[]): readonly unknown[] =>
    inputs.map((input) => results.of('hook', [input], () => ++calls))
  const begun = (): HookResults => {
    calls = 0
    const results = new HookResults()
    results.begin(() => 0)
    return results
  }

  test('are kept for equal inputs, in their order, if the attempt is repeated', () => {
    const results = begun()
    equal(attempt(results, { a: 1, b: [2] }, 'x', 'x'), [1, 2, 3])
    for (const _ of [1, 2]) {
      results.keep()
      results.begin(() => 0)
      equal(attempt(results, { a: 1, b: [2] }, 'x', 'x'), [1, 2, 3])
    }
    equal(attempt(results, 'x'), [4])
  })

  test('are not kept for other inputs', () => {
    const results = begun()
    equal(attempt(results, 'x', 'y'), [1, 2])
    results.keep()
    results.begin(() => 0)
    equal(attempt(results, 'z', 'y'), [3, 2])
  })

  test('are not kept after a conflict, nor if a hook has sent a statement', () => {
    const results = begun()
    attempt(results, 'x')
    results.begin(() => 0)
    equal(attempt(results, 'x'), [2])
    let sent = 5
    results.begin(() => sent)
    attempt(results, 'x')
    sent += 1
    results.keep()
    results.begin(() => 0)
    equal(attempt(results, 'x'), [4])
  })
})
