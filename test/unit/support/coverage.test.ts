/** Where files run that say nothing about it. */
import { equal } from '../../support/assert.ts'
import { coverageOf } from '../../support/coverage.ts'
import { suite } from '../../support/suite.ts'

suite('the servers of a file', (test) => {
  const filtering = 'contract/filtering.test.ts'
  const leaks = 'security/leaks.test.ts'

  test('are all of them where versions of a server may differ', () => {
    equal(coverageOf({ file: filtering, way: 'usual' }, 'usual'), undefined)
    equal(coverageOf({ file: leaks, way: 'usual' }, 'usual'), 'one server of each engine')
  })

  test('are fewer for the other ways', () => {
    equal(coverageOf({ file: filtering, way: 'query' }, 'usual'), 'SQLite alone')
    equal(coverageOf({ file: leaks, way: 'plain' }, 'usual'), 'SQLite alone')
    for (const way of ['plain', 'query'] as const) {
      equal(
        coverageOf({ file: 'golden/golden.test.ts', way }, 'usual'),
        'one server of each engine',
      )
    }
  })

  test('are all of them, and one of each engine for the other ways, in a whole run', () => {
    equal(coverageOf({ file: leaks, way: 'usual' }, 'whole'), undefined)
    equal(coverageOf({ file: leaks, way: 'plain' }, 'whole'), 'one server of each engine')
    equal(coverageOf({ file: filtering, way: 'query' }, 'whole'), 'one server of each engine')
  })
})
