/** Statements that are printed once and reused with other values. */
import { filled, fragment as sql, templateOf, withOrigin } from '@model-api/core/internals'
import { printed } from '../../../packages/core/src/lib/sql/print.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const style = { quote: '"', placeholders: 'numbered' } as const
const [price, title] = [{}, {}]

const statement = sql`select ${1} where ${withOrigin(price, sql`price > ${30}`)} and ${withOrigin(title, sql`title = ${'Emma'}`)} and (select ${2} where ${withOrigin(price, sql`price > ${30}`)}) limit ${5}`

suite('templates of statements', (test) => {
  const template = templateOf(statement, style)
  const fill = (refill: Parameters<typeof filled>[1]) => template && filled(template, refill)

  test('a statement is printed with its values', () => {
    equal(
      template?.text,
      'select $1 where price > $2 and title = $3 and (select $4 where price > $5) limit $6',
    )
    equal(template?.parameters, [1, 30, 'Emma', 2, 30, 5])
  })

  test('fragments take new values wherever they stand; the others keep theirs', () => {
    equal(
      fill((origin) => (origin === price ? sql`price > ${99}` : undefined)),
      [1, 99, 'Emma', 2, 99, 5],
    )
    equal(
      fill(() => undefined),
      [1, 30, 'Emma', 2, 30, 5],
    )
  })

  test('a fragment with other SQL does not fit', () => {
    equal(
      fill((origin) => (origin === title ? sql`title is null` : undefined)),
      undefined,
    )
    equal(
      fill((origin) => (origin === title ? sql`title <> ${'x'}` : undefined)),
      undefined,
    )
    equal(
      fill((origin) => (origin === price ? sql`price > ${1} + ${2}` : undefined)),
      undefined,
    )
  })

  test('a fragment that is a single parameter takes a bound value; any other does not', () => {
    const [count, sum, name, key] = [{}, {}, {}, {}]
    const mixed = templateOf(
      sql`select ${withOrigin(count, sql`${1}`)}, ${withOrigin(sum, sql`${2} + ${3}`)}, ${withOrigin(name, sql.id('title'))}, ${withOrigin(key, sql`cast(${4} as text)`)}`,
      style,
    )
    const bind = (piece: object, bound: unknown) =>
      mixed && filled(mixed, (origin) => (origin === piece ? { bound } : undefined))
    equal(bind(count, null), [null, 2, 3, 4])
    // A value that looks like SQL stays a value.
    equal(bind(count, 'count(*)'), ['count(*)', 2, 3, 4])
    equal(
      [sum, name, key].map((piece) => bind(piece, 9)),
      [undefined, undefined, undefined],
    )
  })

  test('other identifiers or other forms are other SQL', () => {
    const column = {}
    const named = templateOf(
      sql`select 1 where ${withOrigin(column, sql`${sql.id('books', 'price')} > ${30}`)}`,
      style,
    )
    const filledWith = (piece: Parameters<typeof withOrigin>[1]) =>
      named && filled(named, () => piece as ReturnType<typeof sql>)
    equal(filledWith(sql`${sql.id('books', 'price')} > ${99}`), [99])
    // An `origin` does not change the printed text.
    equal(filledWith(withOrigin(column, sql`${sql.id('books', 'price')} > ${99}`)), [99])
    equal(filledWith(sql`${sql.id('books', 'pages')} > ${99}`), undefined)
    equal(filledWith(sql`${sql.id('price')} > ${99}`), undefined)
    equal(filledWith(sql`${sql.id('books', 'price')} > ${sql`cast(${99} as integer)`}`), undefined)
    equal(filledWith(sql`${'books'} > ${99}`), undefined)
    equal(filledWith(sql`${sql.id('books', 'price')} > ${sql.id('books', 'pages')}`), undefined)
  })

  test('filling a template does not change its own values', () => {
    fill((origin) => (origin === price ? sql`price > ${99}` : undefined))
    equal(template?.parameters, [1, 30, 'Emma', 2, 30, 5])
  })
})

suite('an identifier', (test) => {
  test('cannot be ended by a quote in it', () => {
    const name = sql`select ${sql.id('books', 'a"b`c')}`
    const textIn = (quote: '"' | '`') => printed(name, { quote, placeholders: 'numbered' })?.text
    equal(textIn('"'), 'select "books"."a""b`c"')
    equal(textIn('`'), 'select `books`.`a"b``c`')
  })
})
