/** How long the supervisor waits before it replaces a worker that ended, and when it gives up. */
import { restartAfter } from '../../../packages/http-node/src/cluster/restarts.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('restarts', (test) => {
  const after = (number: number, othersServe: boolean) =>
    restartAfter(
      Array.from({ length: number }, () => 100_000),
      100_001,
      othersServe,
    )

  test('the first is immediate, the delay doubles with each later one', () => {
    equal(
      [1, 2, 3, 4, 5, 6, 7, 8, 10].map((number) => after(number, true)),
      [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000],
    )
  })

  test('there is no fifth within a minute if no worker serves', () => {
    equal(after(4, false), 4000)
    equal(after(5, false), 'never')
  })

  test('exits of more than a minute ago are ignored', () => {
    equal(restartAfter([0, 1, 2, 3, 60_100], 60_100, false), 0)
    equal(restartAfter([0, 101, 60_100], 60_100, false), 1000)
  })
})
