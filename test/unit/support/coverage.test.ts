/** What runs have: their files, ways and servers. */
import { equal, ok } from '../../support/assert.ts'
import { coverageOf, jobsOf, runsIn } from '../../support/coverage.ts'
import type { Extent } from '../../support/extent.ts'
import type { Way } from '../../support/path.ts'
import { filesBelow, readSource } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'

const files = filesBelow('test', /\.test\.ts$/).map((file) => file.slice('test/'.length))
const textOf = (file: string): string => readSource(`test/${file}`)
const filesOf = (extent: Extent) => files.filter((file) => runsIn(file, extent, textOf))

suite('the files of a run', (test) => {
  test('are all of them in a whole run', () => {
    ok(files.length > 500)
    equal(filesOf('whole'), files)
  })

  test('leave out the checks of a release in a usual run', () => {
    const usual = filesOf('usual')
    const has = (file: string): boolean => usual.includes(file)
    for (const file of [
      'growth/lists',
      'faults/replication',
      'packages/packages',
      'types/budget',
      'security/link-leaks',
      'drivers/postgres',
    ]) {
      ok(files.includes(`${file}.test.ts`) && !has(`${file}.test.ts`), file)
    }
    for (const file of ['runtimes/conformance', 'types/messages', 'docs/links', 'security/leaks']) {
      ok(has(`${file}.test.ts`), file)
    }
  })

  test('are in a further run those that a usual run leaves out, and those that may ask other servers', () => {
    const further = filesOf('further')
    const usual = filesOf('usual')
    equal(
      files.filter((file) => !further.includes(file) && !usual.includes(file)),
      [],
    )
    const notAgain = files.filter((file) => !further.includes(file))
    ok(
      notAgain.includes('unit/naming/case.test.ts') &&
        notAgain.includes('architecture/words.test.ts'),
    )
    equal(
      notAgain.filter((file) => /eachDatabase|openDatabases/.test(textOf(file))),
      [],
    )
  })
})

suite('the ways of a file', (test) => {
  const on = (way: Way, extent: Extent = 'whole'): readonly string[] =>
    jobsOf(files, extent)
      .filter((job) => job.way === way)
      .map(({ file }) => file)

  test('are the usual one, and others for some files', () => {
    equal(on('usual'), files)
    const expected = {
      plain: ['golden/golden', 'parity/parity', 'security/leaks', 'security/write-leaks'],
      query: ['golden/golden', 'contract/filtering', 'contract/joins', 'contract/search'],
      batch: ['contract/column-rights', 'security/scope', 'security/user-roles'],
    }
    for (const [way, those] of Object.entries(expected)) {
      const again = on(way as Way)
      ok(again.every((file) => files.includes(file)))
      ok(those.every((file) => again.includes(`${file}.test.ts`)))
    }
  })

  test('are in a usual run the others for golden files alone, and a further run has the rest', () => {
    equal(on('usual', 'usual'), files)
    for (const way of ['plain', 'query', 'batch'] as const) {
      ok(on(way, 'usual').every((file) => file.startsWith('golden/')))
    }
    equal(on('query', 'usual'), ['golden/golden.test.ts'])
    equal(on('plain', 'further'), on('plain'))
    equal(on('batch', 'further'), on('batch'))
    equal([...on('query', 'further'), ...on('query', 'usual')].sort(), [...on('query')].sort())
  })
})

suite('the servers of a job', (test) => {
  const values = 'dialect/values.test.ts'
  const filtering = 'contract/filtering.test.ts'
  const golden = 'golden/golden.test.ts'
  const at = (file: string, way: Way, extent: Extent) => coverageOf({ file, way }, extent)

  test('are, in a usual run, one of each engine where engines may differ, and none elsewhere', () => {
    equal(at(values, 'usual', 'usual'), 'one server of each engine')
    equal(at(filtering, 'usual', 'usual'), 'SQLite alone')
    equal(at(filtering, 'query', 'usual'), 'SQLite alone')
    equal(at(golden, 'query', 'usual'), 'SQLite alone')
    equal(at(golden, 'usual', 'usual'), 'one server of each engine')
    equal(at(golden, 'plain', 'usual'), 'SQLite alone')
  })

  test('are, in a whole run, all where versions may differ, and one of each engine elsewhere', () => {
    for (const extent of ['whole', 'further'] as const) {
      equal(at(values, 'usual', extent), undefined)
      equal(at(filtering, 'usual', extent), undefined)
      equal(at('hooks/order.test.ts', 'usual', extent), 'one server of each engine')
      equal(at(filtering, 'query', extent), 'SQLite alone')
      equal(at(golden, 'plain', extent), 'one server of each engine')
      equal(at('security/leaks.test.ts', 'usual', extent), 'one server of each engine')
      equal(at('security/leaks.test.ts', 'plain', extent), 'SQLite alone')
      equal(at('security/first-asker.test.ts', 'usual', extent), 'SQLite alone')
    }
  })

  test('are more than SQLite for every file about one engine', () => {
    const ofOneEngine = filesOf('usual').filter((file) =>
      /\bonly: '(?:mysql|postgres)'|const only o[f]|=== 'sqlite'\) continue/.test(textOf(file)),
    )
    ok(ofOneEngine.length > 10)
    equal(
      ofOneEngine.filter((file) => at(file, 'usual', 'usual') === 'SQLite alone'),
      [],
    )
  })
})
