/** Which values a column could hold, in their JSON forms. */
import type { Column } from '../../../packages/core/src/model/column.ts'
import { fits } from '../../../packages/core/src/model/column-types.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const table: readonly (readonly [
  Column['type'],
  good: readonly unknown[],
  bad: readonly unknown[],
])[] = [
  ['integer', [0, -1, 2 ** 53 - 1], ['1', 1.5, 2 ** 53, true, null, Number.NaN]],
  ['float', [0, 1.5], ['1.5', Number.POSITIVE_INFINITY, null]],
  ['bigint', ['0', '-9223372036854775808'], [1, '1.5', '', '1n']],
  ['decimal', ['0', '-1.50'], [1.5, '1.', '.5', '1e3']],
  ['boolean', [true, false], [0, 1, 'true', null]],
  ['string', ['', 'x'], [1, null]],
  ['date', ['2020-01-01'], [20200101]],
  ['enum', ['draft'], ['Draft', 'other', 1]],
  ['json', [null, 1, {}, []], []],
]

suite('values of a column type', (test) => {
  for (const [type, good, bad] of table) {
    test(`${type}: only values in JSON form fit`, () => {
      const column: Column = { type, enum: ['draft', 'done'] }
      equal(
        good.filter((value) => !fits(column, value)),
        [],
      )
      equal(
        bad.filter((value) => fits(column, value)),
        [],
      )
    })
  }
})
