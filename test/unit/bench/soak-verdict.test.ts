/** The verdict of a soak test: what counts as growth, and which samples are compared. */
import { verdictOn } from '../../../bench/soak-verdict.ts'
import { equal, match } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const mib = 2 ** 20

/** Eleven samples at equal intervals. */
const samples = (heap: (step: number) => number, rss = 100) =>
  Array.from({ length: 11 }, (_, step) => ({
    at: step / 10,
    heap: heap(step) * mib,
    rss: rss * mib,
  }))

suite('the verdict of a soak test', (test) => {
  test('compares the second fifth of the run with the last, and ignores the first', () => {
    const { grows, line } = verdictOn(samples((step) => (step < 2 ? 1 : 50 + (step > 8 ? 4 : 0))))
    equal(grows, false)
    match(
      line,
      /^steady: heap 50\.0 → 54\.0 MiB \(\+8\.0 %\), rss 100\.0 → 100\.0 MiB \(\+0\.0 %\)/,
    )
    match(line, '2 and 2 samples')
  })

  test('an increase of the heap or the process by more than a tenth is growth', () => {
    equal(verdictOn(samples((step) => 50 + step)).grows, true)
    const rss = samples(() => 50).map((one, step) => ({ ...one, rss: (100 + 5 * step) * mib }))
    equal(verdictOn(rss).grows, true)
    equal(verdictOn(samples((step) => 90 - step)).grows, false)
  })

  test('a run without samples fails', () => {
    equal(verdictOn([]).grows, true)
  })
})
