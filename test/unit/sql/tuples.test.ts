/** Tuples of bound values: the same text for every style of placeholders, and from Kysely's compiler. */
import { fragment as sql } from '@model-api/core/internals'
import { createQueryId, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely'
import { printed, type TextStyle } from '../../../packages/core/src/lib/sql/print.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const styles = {
  'question marks': new SqliteQueryCompiler(),
  numbered: new PostgresQueryCompiler(),
}

/** The text and parameters, after checking that Kysely's compiler gives the same. */
function printedAs(
  placeholders: TextStyle['placeholders'],
  columns: readonly (readonly unknown[])[],
): readonly [string | undefined, readonly unknown[] | undefined] {
  const statement = sql`values ${sql.tuples(columns)}`
  const { text, parameters } = printed(statement, { quote: '"', placeholders }) ?? {}
  const byKysely = styles[placeholders].compileQuery(
    statement.toOperationNode() as never,
    createQueryId(),
  )
  equal([byKysely.sql, byKysely.parameters], [text, parameters])
  return [text, parameters]
}

suite('tuples of bound values', (test) => {
  test('the values are bound row by row', () => {
    const columns = [
      [1, 2],
      ['a', null],
    ]
    equal(printedAs('question marks', columns), ['values (?, ?), (?, ?)', [1, 'a', 2, null]])
    equal(printedAs('numbered', columns), ['values ($1, $2), ($3, $4)', [1, 'a', 2, null]])
  })

  test('a value may be SQL', () => {
    const columns = [
      [1, 2],
      ['a', sql`default`],
    ]
    equal(printedAs('question marks', columns), ['values (?, ?), (?, default)', [1, 'a', 2]])
    equal(printedAs('numbered', columns), ['values ($1, $2), ($3, default)', [1, 'a', 2]])
  })

  test('a single value, and none', () => {
    equal(printedAs('question marks', [[new Date(0)]]), ['values (?)', [new Date(0)]])
    equal(printedAs('question marks', [[]]), ['values ', []])
  })
})
