/** Rows as arrays of PostgreSQL: one text for each column, which preserves every value. */
import { arraysTable } from '../../../packages/core/src/dialect/postgres/arrays-table.ts'
import { sql } from '../../../packages/core/src/lib/sql/fragment.ts'
import { printed } from '../../../packages/core/src/lib/sql/print.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('rows as arrays of PostgreSQL', (test) => {
  const column = (name: string) => ({ name, dbName: name, type: 'text', nullable: true }) as never
  const made = (values: readonly unknown[], type = 'text') =>
    arraysTable([{ column: column('a'), values }], () => type)
  const literal = (values: readonly unknown[]): unknown => {
    const table = made(values)?.table
    const text = table && printed(sql`${table}`, { quote: '"', placeholders: 'numbered' })
    return text?.parameters[0]
  }

  test('are one string for each column', () => {
    const table = arraysTable(
      [
        { column: column('a'), values: [1, 2] },
        { column: column('b'), values: ['x', null] },
      ],
      ({ name }: { readonly name?: string }) => (name === 'a' ? 'int4' : 'varchar'),
    )
    const text = printed(sql`${table?.table}`, { quote: '"', placeholders: 'numbered' })
    equal(
      text?.text,
      'unnest($1::text::int4[], $2::text::varchar[]) as "model_api_values" ("column1", "column2")',
    )
    equal(text?.parameters, ['{1,2}', '{"x",null}'])
  })

  test('preserve every character of a string', () => {
    equal(literal(['null', 'NULL', '', '{a,b}']), '{"null","NULL","","{a,b}"}')
    equal(literal(['a "b" \\c', null]), '{"a \\"b\\" \\\\c",null}')
    // JSON would write the line break as \n, which an array literal reads as the letter n.
    equal(literal(['a\nb', null, '\\n']), '{"a\nb",NULL,"\\\\n"}')
    equal(literal([true, 1.5, 1e21]), '{true,1.5,1e+21}')
  })

  test('are not used for a type or a value that may not fit', () => {
    equal(made(['a'], 'citext'), undefined)
    equal(made(['a'], ''), undefined)
    equal(made([sql`default`]), undefined)
    equal(made([new Uint8Array([1])]), undefined)
    equal(made([Number.NaN]), undefined)
  })
})
