/** Statements that are printed once and sent again with the values of later requests. */
import { bind, constant, Param, printForStore, fragment as sql } from '@model-api/core/internals'
import { expressionParam } from '../../../packages/core/src/lib/sql/expression-param.ts'
import type { Decision } from '../../../packages/core/src/lib/sql/param.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const style = { quote: '"', placeholders: 'numbered' } as const
const [price, title, list] = [{}, {}, {}]

suite('stored statements', (test) => {
  const decisions: Decision[] = []
  const slot = <V>(of: object, value: V): Param<V> =>
    new Param(value, { kind: 'slot', slot: of }, decisions)
  const values = (...all: readonly (readonly [object, unknown])[]) => new Map<object, unknown>(all)

  test('a statement is printed with its values, and takes those of a later request', () => {
    const cost = slot(price, 30)
    const made = printForStore(
      sql`select ${1} where price > ${cost} and title = ${slot(title, 'emma').map((text) => text.toUpperCase())} and cost < ${cost.map((n) => n * 2)} limit ${constant(5)}`,
      style,
      [],
    )
    equal(made?.statement.text, 'select $1 where price > $2 and title = $3 and cost < $4 limit $5')
    equal(made?.parameters, [1, 30, 'EMMA', 60, 5])
    const bound = made && bind(made.statement, values([price, 7], [title, 'persuasion']))
    equal(bound, [1, 7, 'PERSUASION', 14, 5])
  })

  test('nothing of the first request is kept', () => {
    const made = printForStore(sql`title = ${slot(title, 'a secret')}`, style, [])
    equal(JSON.stringify(made?.statement).includes('a secret'), false)
    throws(() => made && bind(made.statement, values()), /without the value of a slot/)
  })

  test('a statement fits only values with the same answers to its decisions', () => {
    const own: Decision[] = []
    const given = new Param(3, { kind: 'slot', slot: price }, own)
    const condition = given.decide((n) => n < 0) ? sql`price is null` : sql`price = ${given}`
    const made = printForStore(condition, style, own)
    equal(made && bind(made.statement, values([price, 9])), [9])
    equal(made && bind(made.statement, values([price, -1])), undefined)
  })

  test('the items of a list are computed together, once for each request', () => {
    const own: Decision[] = []
    let sorted = 0
    const given = new Param<readonly number[]>([3, 1, 2], { kind: 'slot', slot: list }, own)
    const inOrder = given.share((all) => {
      sorted += 1
      return [...all].sort()
    })
    const items = inOrder.items(inOrder.decide(({ length }) => length + 1))
    const made = printForStore(sql`n in (${sql.join(items)})`, style, own)
    equal(made?.parameters, [1, 2, 3, 3])
    sorted = 0
    equal(made && bind(made.statement, values([list, [6, 5, 4]])), [4, 5, 6, 6])
    equal(sorted, 1)
    equal(made && bind(made.statement, values([list, [6, 5]])), undefined)
  })

  test('a value that looks like SQL stays a value', () => {
    const made = printForStore(sql`title = ${slot(title, 'x')}`, style, [])
    equal(made && bind(made.statement, values([title, 'count(*)'])), ['count(*)'])
  })

  test('the SQL of a stored value is a decision, and its values are parameters', () => {
    const own: Decision[] = []
    const stored = (value: unknown) =>
      typeof value === 'number' ? value : sql`cast(${sql`lower(${value})`} as ${sql`json`})`
    const given = new Param<unknown>('X', { kind: 'slot', slot: title }, own)
    const made = printForStore(sql`set a = ${expressionParam(given.share(stored))}`, style, own)
    equal(made?.statement.text, 'set a = cast(lower($1) as json)')
    equal(made && bind(made.statement, values([title, 'Y'])), ['Y'])
    equal(made && bind(made.statement, values([title, 5])), undefined)
  })
})
