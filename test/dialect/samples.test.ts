/** The samples cover every column type with values, because the tests of the dialects pass without them. */
import { columnTypes } from '../../packages/core/src/model/column-types.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { columns, names, rows } from './samples.ts'

/** Types that other tests have: as `string`, by the items of lists, and of columns that are only read. */
const elsewhere = ['text', 'list', 'opaque']

suite('samples', (test) => {
  test('have a column of each type', () => {
    const sampled = new Set<string>(Object.values(columns).map(({ type }) => type))
    const missing = Object.keys(columnTypes).filter(
      (type) => !sampled.has(type) && !elsewhere.includes(type),
    )
    equal(missing, [], 'add a column to `columns`, `samples` and `tables` of dialect/samples.ts')
  })

  test('have several values in each column', () => {
    const few = names.filter((name) => new Set(rows.map((row) => row[name])).size < 3)
    equal(few, [], 'add values to `samples` of dialect/samples.ts')
  })
})
