/** Keys of several columns are grouped so that a statement tests many of them at once. */
import { groupKeys } from '../../../packages/core/src/query/plan/conditions/key-groups.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const [integer, text, date] = [{ type: 'integer' }, { type: 'string' }, { type: 'date' }] as const

suite('groups of keys', (test) => {
  test('keys with the same first value are one group', () => {
    equal(
      groupKeys(
        [integer, integer],
        [
          [1, 2],
          [1, 3],
          [2, 2],
        ],
      ),
      [
        { first: [1, 2], listed: 1, values: [2, 3] },
        { first: [2, 2], listed: 1, values: [2] },
      ],
    )
  })

  test('keys with the same last value are one group', () => {
    equal(
      groupKeys(
        [integer, integer],
        [
          [1, 9],
          [2, 9],
        ],
      ),
      [{ first: [1, 9], listed: 0, values: [1, 2] }],
    )
  })

  test('all columns but one are the same in a group', () => {
    equal(
      groupKeys(
        [integer, text, integer],
        [
          [1, 'a', 1],
          [1, 'b', 1],
          [1, 'a', 2],
        ],
      ),
      [
        { first: [1, 'a', 1], listed: 2, values: [1, 2] },
        { first: [1, 'b', 1], listed: 2, values: [1] },
      ],
    )
  })

  test('texts with separators stay apart', () => {
    const keys = [
      ['a,b', 'c', 1],
      ['a', 'b,c', 2],
      ['a","b', 'c', 3],
    ]
    equal(groupKeys([text, text, integer], keys).length, 3)
  })

  test('dates and times are not listed', () => {
    const keys = [
      ['2030-01-01', 1],
      ['2030-01-02', 1],
    ]
    equal(
      groupKeys([date, integer], keys).map(({ first }) => first),
      keys,
    )
    equal(groupKeys([date, date], [['2030-01-01', '2030-01-01']]).length, 1)
  })
})
