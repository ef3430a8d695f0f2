/** The servers on which a test file runs that does not choose them itself. */
import { breaks } from '../../breaks/all.ts'
import { equal, ok } from '../../support/assert.ts'
import { coverageOf } from '../../support/coverage.ts'
import { filesBelow, readSource } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'

suite('the servers of a file', (test) => {
  const filtering = 'contract/filtering.test.ts'
  const leaks = 'security/leaks.test.ts'

  test('are all of them if versions of a server may differ', () => {
    equal(coverageOf({ file: filtering, way: 'usual' }, 'usual'), undefined)
    equal(coverageOf({ file: leaks, way: 'usual' }, 'usual'), 'one server of each engine')
  })

  const inTests = (path: string): string => path.slice('test/'.length)
  const onSqliteAlone = (file: string): boolean =>
    coverageOf({ file, way: 'usual' }, 'usual') === 'SQLite alone'

  test('are none if the database only supplies rows', () => {
    const those = filesBelow('test', /\.test\.ts$/).filter((file) => onSqliteAlone(inTests(file)))
    ok(those.length > 20)
    const asking = those.filter((file) =>
      /\bdb\.(?:name|engine|url)\b|\bonly: '/.test(readSource(file)),
    )
    equal(asking, [], 'these files ask which database they have, so they need each')
  })

  test('include, in a usual run, those that deliberate breaks need', () => {
    const missed = breaks.filter(
      ({ fails, databases = [] }) =>
        databases.some((name) => name !== 'sqlite') && onSqliteAlone(inTests(fails)),
    )
    equal(
      missed.map(({ title }) => title),
      [],
    )
  })

  test('are fewer for the other ways', () => {
    equal(coverageOf({ file: filtering, way: 'query' }, 'usual'), 'SQLite alone')
    equal(coverageOf({ file: leaks, way: 'plain' }, 'usual'), 'SQLite alone')
    const golden = 'golden/golden.test.ts'
    equal(coverageOf({ file: golden, way: 'query' }, 'usual'), 'SQLite alone')
    equal(coverageOf({ file: golden, way: 'plain' }, 'usual'), 'one server of each engine')
  })

  test('are all of them, and one of each engine for the other ways, in a whole run', () => {
    equal(coverageOf({ file: leaks, way: 'usual' }, 'whole'), undefined)
    equal(coverageOf({ file: leaks, way: 'plain' }, 'whole'), 'one server of each engine')
    equal(coverageOf({ file: filtering, way: 'query' }, 'whole'), 'one server of each engine')
  })
})
