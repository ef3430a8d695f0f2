// Text of a client reaches SQL only as a bound value, in every function of every dialect.
import {
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { Dialect } from '../../../packages/core/src/dialect/dialect.ts'
import { genericDialect } from '../../../packages/core/src/dialect/generic/generic-dialect.ts'
import { mysql } from '../../../packages/core/src/dialect/mysql/mysql-dialect.ts'
import { postgres } from '../../../packages/core/src/dialect/postgres/postgres-dialect.ts'
import { sqlite } from '../../../packages/core/src/dialect/sqlite/sqlite-dialect.ts'
import type { DialectColumn } from '../../../packages/core/src/model/dialect-column.ts'
import { equal, ok, throws } from '../../support/assert.ts'
import { withPlainValues } from '../../support/plain-values.ts'
import { suite } from '../../support/suite.ts'

const db = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('not needed')
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const text = (expression: Expression<unknown>): string => sql`select ${expression}`.compile(db).sql

const ref = sql.ref('c')
const hostile = `'";--\\\0 hostile`
const operators = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const
const types = [
  'integer',
  'bigint',
  'float',
  'decimal',
  'boolean',
  'string',
  'text',
  'date',
  'time',
  'uuid',
  'enum',
] as const

for (const bound of [
  sqlite,
  postgres,
  mysql,
  genericDialect,
] as const satisfies readonly Dialect[]) {
  const dialect = withPlainValues<Dialect>(bound)
  suite(`dialect/bound values ${dialect.name}`, (test) => {
    test('the SQL is the same whatever the value', () => {
      for (const collation of [undefined, 'database'] as const) {
        for (const type of types) {
          const column: DialectColumn = {
            name: 'c',
            type,
            nullable: true,
            scale: 2,
            ...(collation && { collation }),
          }
          const plain = type === 'decimal' ? '1.50' : type === 'time' ? '10:00:00' : '7'
          const other = type === 'decimal' ? '22.75' : type === 'time' ? '23:59:59' : hostile
          for (const operator of operators) {
            const made = (value: string): string =>
              text(dialect.compare(column, ref, operator, value))
            equal(made(other), made(plain))
            ok(!made(other).includes('hostile'))
          }
          const list = (value: string): string =>
            text(dialect.oneOf(column, ref, [value, value], false))
          equal(list(other), list(plain))
        }
        const column: DialectColumn = {
          name: 'c',
          type: 'string',
          nullable: true,
          ...(collation && { collation }),
        }
        for (const match of ['contains', 'startsWith', 'endsWith'] as const) {
          for (const ignoreCase of [true, false]) {
            for (const negated of [true, false]) {
              const made = (value: string): string =>
                text(dialect.textMatch(column, ref, { match, text: value, ignoreCase, negated }))
              equal(made(hostile), made('x'))
            }
          }
        }
      }
    })

    test('expressions that GROUP BY repeats have no bound value', () => {
      for (const type of [...types, 'datetime', 'json', 'binary'] as const) {
        const column: DialectColumn = { name: 'c', type, nullable: true, scale: 2 }
        const repeated = [
          dialect.comparable(column, ref),
          dialect.select({ ...column, comparable: true }, dialect.comparable(column, ref)),
          ...(['year', 'month', 'day'] as const).map((unit) => dialect.bucket(unit, column, ref)),
          ...(['sum', 'avg', 'count', 'min', 'max'] as const).map((fn) =>
            dialect.aggregate(fn, column).comparable(ref),
          ),
          ...dialect.order(column, ref, { descending: true, nulls: 'last', mayBeNull: true }),
        ]
        for (const expression of repeated) {
          equal(sql`select ${expression}`.compile(db).parameters, [])
        }
      }
    })
  })
}

suite('dialect/refuses', (test) => {
  test('SQLite refuses decimals that it cannot store exactly, and says what to change', () => {
    const decimal = { name: 'price', type: 'decimal', nullable: false } as const
    ok(sqlite.refuses?.(decimal)?.includes("storage: 'text'"))
    ok(sqlite.refuses?.({ ...decimal, scale: 2, precision: 16 }))
    equal(sqlite.refuses?.({ ...decimal, scale: 2 }), undefined)
    equal(sqlite.refuses?.({ ...decimal, scale: 2, precision: 15 }), undefined)
    equal(sqlite.refuses?.({ ...decimal, precision: 38, scale: 10, storage: 'text' }), undefined)
    equal(sqlite.refuses?.({ name: 'n', type: 'float', nullable: false }), undefined)
  })

  test('an invalid scale is a mistake in the model, and never reaches SQL', () => {
    const column = { name: 'c', type: 'decimal', nullable: true, scale: 1.5 } as const
    throws(() => sqlite.comparable(column, ref), 'not a natural number')
  })
})
