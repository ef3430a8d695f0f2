/** What in a host's value cannot be serialised as JSON, and where. */
import { notJson } from '../../../packages/core/src/lib/json/not-json.ts'
import { verbatimNumber } from '../../../packages/core/src/lib/json/verbatim.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const below = (depth: number, value: unknown): unknown =>
  depth === 0 ? value : { a: below(depth - 1, value) }

const loop: { inside: unknown[] } = { inside: [] }
loop.inside.push({ loop })

class Money {
  readonly cents: unknown
  constructor(cents: unknown) {
    this.cents = cents
  }
  toJSON() {
    return { cents: this.cents }
  }
}

const shared = { id: 1 }

suite('a value of the host', (test) => {
  test('is JSON', () => {
    const values: readonly unknown[] = [
      null,
      0,
      'text',
      [],
      [1, [null, { a: undefined, b: () => 1, c: Symbol('c') }]],
      { a: shared, b: [shared, shared] },
      new Date(0),
      new Money(3),
      Object.assign(Object.create(null), { a: 1 }),
      verbatimNumber('12345678901234567890'),
      { a: verbatimNumber('1.50') },
      below(100, [new Money('x')]),
    ]
    for (const value of values) equal(notJson(value), undefined)
  })

  test('is not', () => {
    equal(notJson(undefined), 'undefined')
    equal(
      notJson(() => 1),
      'a function',
    )
    equal(notJson(Symbol('x')), 'a symbol')
    equal(notJson(1n), 'a bigint')
    equal(notJson({ rows: [{ id: 1 }, { id: 2n }] }), 'a bigint at .rows[1].id')
    equal(notJson([new Money(4n)]), 'a bigint at [0].cents')
    equal(notJson(Object.assign(Object.create(null), { a: 1n })), 'a bigint at .a')
    const hidden = Object.defineProperty({}, 'toJSON', { value: () => ({ cents: 5n }) })
    equal(notJson([hidden]), 'a bigint at [0].cents')
    equal(notJson(below(60, 7n)), `a bigint at ${'.a'.repeat(60)}`)
    equal(notJson(loop), 'an object that contains itself at .inside[0].loop')
  })
})
