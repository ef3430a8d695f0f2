// Every comparison of every column type selects the rows that the model of the contract selects, on every database.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { PlanValue } from '../../packages/core/src/dialect/dialect.ts'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import { equal } from '../support/assert.ts'
import type { PlainDialect } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { compareValues, idsWhere, operators, planned } from './model.ts'
import {
  blindDialect,
  columns,
  createSamples,
  type Name,
  names,
  rows,
  samplesDialect,
} from './samples.ts'

const compared = names.filter((name) => name !== 'doc' && name !== 'bytes')
const operatorNames = Object.keys(operators) as (keyof typeof operators)[]

/** Values that no row has, between and beyond the values of rows. */
const others: Partial<Record<Name, readonly JsonValue[]>> = {
  whole: [3, -9007199254740990, 9007199254740990],
  big: ['9223372036854775806', '5', '9007199254740994'],
  ratio: [0.30000000000000004, 1e300, -5e-324],
  price: ['0.1001', '99999999999.9998', '-0.0002'],
  wide: ['0.0000000002', '9999999999999999999999999999.9999999998'],
  name: ['a  ', ' a', 'Ａ', '\u{10fffe}', "'; drop table samples; --", 'straße '],
  code: ['3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a02'],
  day: ['2024-02-28', '0001-01-02'],
  moment: [
    '2024-05-14T10:30:00.124Z',
    '2024-05-14T10:30:00.499Z',
    '0001-01-01T00:00:00.001Z',
    '9999-12-31T23:59:59.998Z',
  ],
  zoned: ['2024-05-14T10:30:00.002Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  clock: ['10:30:02', '00:00:01', '23:59:58'],
}

eachDatabase('dialect/operators', (test, db) => {
  let dialects: readonly PlainDialect[]

  test.before(async () => {
    await createSamples(db)
    // The meaning of a timestamp of MySQL depends on the session's zone until its column is known.
    dialects = [await samplesDialect(db), await blindDialect(db)]
  })

  const ids = async (condition: Expression<SqlBool>): Promise<number[]> => {
    const found = await db.kysely
      .selectFrom('samples')
      .select('id')
      .where(condition)
      .orderBy('id')
      .execute()
    return found.map(({ id }) => Number(id))
  }

  for (const name of compared) {
    const column = columns[name]
    const found = [...new Set(rows.map((row) => row[name]).filter((value) => value !== null))]
    const values = [...found, ...(others[name] ?? [])]
    const equality = column.type === 'boolean' || (name === 'wide' && db.name === 'sqlite')
    const tested = operatorNames.filter((op) => !equality || op === 'eq' || op === 'ne')

    test(`${name}: ${tested.join(', ')}`, async () => {
      for (const dialect of dialects) {
        for (const value of values) {
          for (const operator of tested) {
            const condition = dialect.compare(
              column,
              sql.ref(name),
              operator,
              planned(column, value),
            )
            const expected = idsWhere(name, (other) =>
              operators[operator](compareValues(column, other, value)),
            )
            equal(await ids(condition), expected, `${name} ${operator} ${String(value)}`)
          }
        }
      }
    })

    test(`${name}: in and not in, lists of any length`, async () => {
      for (const dialect of dialects) {
        for (const list of [values, values.slice(0, 1), values.slice(1, 4), values.slice(2, 7)]) {
          if (list.length === 0) continue
          const plan = list.map((value): PlanValue => planned(column, value))
          const isIn = (value: JsonValue): boolean =>
            list.some((other) => compareValues(column, value, other) === 0)
          equal(await ids(dialect.oneOf(column, sql.ref(name), plan, false)), idsWhere(name, isIn))
          equal(
            await ids(dialect.oneOf(column, sql.ref(name), plan, true)),
            idsWhere(name, (value) => !isIn(value)),
          )
        }
      }
    })
  }

  test('a list of a thousand values', async () => {
    for (const dialect of dialects) {
      const texts = Array.from({ length: 1000 }, (_, i) => `none ${i}`)
      equal(
        await ids(dialect.oneOf(columns.name, sql.ref('name'), [...texts, 'a'], false)),
        idsWhere('name', (v) => v === 'a'),
      )
      const numbers = Array.from({ length: 1000 }, (_, i) => i)
      equal(
        await ids(dialect.oneOf(columns.id, sql.ref('id'), numbers, false)),
        rows.map(({ id }) => Number(id)),
      )
    }
  })
})
