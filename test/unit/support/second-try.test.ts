/** Which failed files run again, and what then counts. */
import { equal } from '../../support/assert.ts'
import { type FailedFile, filesToRepeat, withSecondTries } from '../../support/second-try.ts'
import { suite } from '../../support/suite.ts'
import { closingTable, sum } from '../../support/table.ts'
import type { Report } from '../../worker.ts'

const report = (passed: number, failed: number): Report => ({
  counts: { none: { passed, failed, skipped: 0 } },
  coverage: undefined,
  node: 'v24.0.0',
  notRun: [],
  loaded: true,
  leftover: undefined,
  spares: {},
  cpu: { own: 0, children: 0 },
})
const failed = (count: number): readonly FailedFile[] =>
  Array.from({ length: count }, (_, index) => ({
    job: { file: `unit/${index}.test.ts`, way: 'usual' },
    report: report(1, 1),
  }))

suite('a second try', (test) => {
  test('is for few files that were not named', () => {
    const counts = [1, 5, 6].map((count) => filesToRepeat(failed(count), false).length)
    equal(counts, [1, 5, 0])
    equal(filesToRepeat(failed(1), true), [])
  })

  const files = [
    { file: 'a.test.ts', report: report(3, 0) },
    { file: 'b.test.ts', report: report(2, 1) },
    { file: 'c.test.ts', report: report(0, 2) },
  ]
  const second = [
    { file: 'b.test.ts', report: report(3, 0) },
    { file: 'c.test.ts', report: report(1, 1) },
  ]

  test('replaces the first, whatever it gave', () => {
    const { passed, failed } = sum(withSecondTries(files, second).map(({ report }) => report))
    equal([passed, failed], [7, 1])
  })

  test('is told in the closing lines where it passed', () => {
    const table = closingTable({
      files: withSecondTries(files, second),
      servers: undefined,
      leftOut: [],
    })
    const told = table.split('\n').filter((line) => line.includes('FAILED ONCE'))
    equal(told, ['  b            FAILED ONCE: 1 failed beside other files, none alone'])
  })
})
