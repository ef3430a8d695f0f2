/** A list of keys of several columns finds the rows that equality finds, by an index, and its statement does not grow with the list. */
import { defineModel } from '@model-api/core'
import { type Expression, type SqlBool, sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import type { PlanValue } from '../../packages/core/src/dialect/dialect.ts'
import { genericDialect } from '../../packages/core/src/dialect/generic/generic-dialect.ts'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'
import { sql as fragment } from '../../packages/core/src/lib/sql/fragment.ts'
import { constant } from '../../packages/core/src/lib/sql/param.ts'
import type { ItemType } from '../../packages/core/src/model/column.ts'
import type { DialectTable } from '../../packages/core/src/model/dialect-column.ts'
import type { NamedColumn } from '../../packages/core/src/model/registry/resource.ts'
import {
  keysCondition,
  mostKeys,
} from '../../packages/core/src/query/compile/rows/keys-condition.ts'
import type { Target } from '../../packages/core/src/query/compile/target.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

type Column = DialectTable['columns'][number]

const instant = (i: number): string => new Date(Date.UTC(2024, 0, 1) + i * 7000).toISOString()

/** Texts that a list must quote, and texts that some collations find equal. */
const texts = [
  'a',
  'A',
  'á',
  'a ',
  '',
  'NULL',
  'a,b',
  '{a}',
  '"a"',
  "'a'",
  '\\a',
  'a\nb',
  '😀',
  '1',
]

const textOf = (i: number): string => texts[i] ?? `t${i}`

const values: Readonly<Record<ItemType, (i: number) => PlanValue>> = {
  integer: (i) => i - 20,
  bigint: (i) => BigInt(i) + 2n ** 53n,
  float: (i) => (i - 20) / 8,
  decimal: (i) => `${i}.25`,
  boolean: (i) => i % 2 === 0,
  string: textOf,
  text: textOf,
  enum: (i) => `e${i}`,
  uuid: (i) => `a0000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  date: (i) => instant(i * 12_343).slice(0, 10),
  datetime: instant,
  time: (i) => instant(i).slice(11, 19),
}

const types = Object.keys(values) as ItemType[]

/** Values that no row has, or that some databases cannot give to the column. */
const outside: Readonly<Partial<Record<ItemType, readonly PlanValue[]>>> = {
  integer: [2 ** 40],
  bigint: [2n ** 63n - 1n],
  decimal: ['123456789.125'],
}

const special: Readonly<
  Partial<Record<TestDatabase['name'], Partial<Record<ItemType, readonly PlanValue[]>>>>
> = {
  mysql: { date: ['0000-00-00'], bigint: [2n ** 64n - 1n] },
  postgres: { date: ['infinity', '-infinity'], decimal: ['NaN'] },
}

/** The types whose values each stand for a range of stored ones, or whose stored forms need a conversion of each value. */
const compared: Readonly<Record<TestDatabase['name'], readonly ItemType[]>> = {
  sqlite: ['float', 'decimal', 'date', 'datetime', 'time'],
  postgres: ['datetime', 'time'],
  mysql: ['datetime', 'time'],
}

const columnOf = (type: ItemType): Column => ({
  name: type,
  dbName: type,
  type,
  nullable: true,
  ...(type === 'decimal' && { precision: 12, scale: 2 }),
})

const columns = types.map(columnOf)
const place: Column = { name: 'place', dbName: 'place', type: 'integer', nullable: false }

const model = defineModel('Keyed', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    place: { type: 'integer' },
    ...Object.fromEntries(
      types.map((type) => [
        type,
        {
          type: type === 'enum' || type === 'text' ? 'string' : type,
          nullable: true,
          ...(type === 'decimal' && { precision: 12, scale: 2 }),
        } as const,
      ]),
    ),
  },
  meta: {},
})

const rows = Array.from({ length: 60 }, (_, i) => i)
const placeOf = (i: number): number => 1000 - i

eachDatabase('lists of keys of several columns', (test, db) => {
  let dialect: InternalDialect
  let unconnected: InternalDialect
  test.before(async () => {
    await createTables(db, [model])
    for (const type of types) {
      const name = sql.id(`of_${type}`)
      await sql`create index ${name} on ${sql.table('keyeds')} (${sql.id(type)}, ${sql.id('place')})`.execute(
        db.kysely,
      )
    }
    const stored = rows.flatMap((i) => [i, i]).map((i) => rowOf(db, i))
    await db.kysely
      .insertInto('keyeds')
      .values(stored as never)
      .execute()
    if (db.name === 'postgres') await db.execScript('analyze keyeds')
    const detected: InternalDialect = detectDialect(db.kysely)
    const tables = [{ table: 'keyeds', columns: [...columns, place] }]
    unconnected = detected
    dialect = (await detected.connect?.(db.kysely, tables)) ?? detected
  })

  const condition = (
    type: ItemType,
    keys: readonly (readonly PlanValue[])[],
    by = dialect,
  ): Expression<SqlBool> =>
    keysCondition(
      { dialect: by } as Target,
      [columnOfType(type), place].map((column) => ({
        column: column as unknown as NamedColumn,
        ref: fragment.id(column.dbName),
      })),
      constant(keys),
    )
  const columnOfType = (type: ItemType): Column => columns[types.indexOf(type)] as Column

  const ids = async (test: Expression<SqlBool>): Promise<readonly number[]> => {
    const query = sql<{ id: number }>`select id from keyeds where ${test} order by id`
    return (await query.execute(db.kysely)).rows.map(({ id }) => Number(id))
  }

  /** Keys of stored rows, keys whose columns are of different rows, and keys that no row has. */
  const keysOf = (type: ItemType, n: number): readonly (readonly PlanValue[])[] => {
    const value = values[type]
    const others = [...(outside[type] ?? []), ...(special[db.name]?.[type] ?? [])]
    return [
      ...rows.slice(0, n).map((i) => [value(i), placeOf(i)] as const),
      ...rows.slice(0, n).map((i) => [value(i), placeOf(i + 2)] as const),
      ...others.map((other) => [other, placeOf(1)] as const),
    ]
  }

  for (const type of types) {
    const isCompared = compared[db.name].includes(type)

    test(`${type}: a list finds the rows that equality finds`, async () => {
      const keys = keysOf(type, 59)
      const column = columnOfType(type)
      const each = keys.map(
        ([value, at]) =>
          sql`(${dialect.compare(column, sql.ref(type), 'eq', constant(value as PlanValue))} and place = ${at})`,
      )
      const found = await ids(condition(type, keys))
      equal(found, await ids(sql`(${sql.join(each, sql` or `)})`))
      // Before it is connected, the dialect of MySQL takes every server for one.
      if (db.engine !== 'mariadb') equal(await ids(condition(type, keys, unconnected)), found)
      ok(found.length >= 118, `${found.length} rows`)
    })

    test(`${type}: ${isCompared ? 'at most 500 keys are compared one by one' : 'an index finds the keys'}`, async () => {
      const most = mostKeys(dialect, [columnOfType(type), place] as unknown as NamedColumn[])
      equal(most, isCompared ? 500 : Number.POSITIVE_INFINITY)
      if (isCompared || type === 'boolean') return
      const keys = keysOf(type, 40).filter(
        ([value]) => !special[db.name]?.[type]?.includes(value as PlanValue),
      )
      equal(
        await indexOf(db, sql`select id from keyeds where ${condition(type, keys)}`),
        `of_${type}`,
      )
    })

    test(`${type}: the statement is as long for twice the keys`, () => {
      if (isCompared) return
      const [some, twice] = [64, 128].map((n) => {
        const keys = Array.from({ length: n }, (_, i) => [values[type](i), placeOf(i)])
        const text = sql`select 1 where ${condition(type, keys)}`.compile(db.kysely).sql
        const plain = text.replace(/\$[0-9]+|cast\(\?[^()]*(?:\([^()]*\))?\)/g, '?')
        return plain.replace(/(\((?:\?, )*\?\)|\?)(?:, \1)+/g, '$1')
      })
      equal(twice, some)
    })
  }

  test('an index finds few keys with texts', async () => {
    const keys = rows.slice(3, 6).map((i) => [textOf(i), placeOf(i)])
    const query = sql`select id from keyeds where ${condition('string', keys)}`
    equal(await indexOf(db, query), 'of_string')
  })

  test('without a list, the keys are compared one by one', () => {
    const both = [columnOfType('integer'), place] as unknown as NamedColumn[]
    equal(mostKeys(genericDialect, both), 500)
    equal(mostKeys(genericDialect, both.slice(0, 1)), Number.POSITIVE_INFINITY)
  })
})

/** The index by which the database finds the rows of a query; undefined if it reads the whole table. */
async function indexOf(db: TestDatabase, query: Expression<unknown>): Promise<string | undefined> {
  if (db.name === 'postgres') {
    // The table is too small for the planner to prefer an index.
    const plans = await db.kysely.transaction().execute(async (trx) => {
      await sql`set local enable_seqscan = off`.execute(trx)
      await sql`set local enable_hashjoin = off`.execute(trx)
      await sql`set local enable_mergejoin = off`.execute(trx)
      return sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(trx)
    })
    const plan = plans.rows.map((row) => row['QUERY PLAN']).join('\n')
    return /Index Cond: \(\(.* = .* AND .*place = /i.test(plan)
      ? /(?:using|on) (of_\w+)/.exec(plan)?.[1]
      : plan
  }
  if (db.name === 'mysql') {
    const how = db.engine === 'mysql' ? sql`explain format=traditional` : sql`explain`
    const { rows } = await sql<Record<string, string>>`${how} ${query}`.execute(db.kysely)
    return rows.find(({ table }) => table === 'keyeds')?.key ?? JSON.stringify(rows)
  }
  const { rows } = await sql<{ detail: string }>`explain query plan ${query}`.execute(db.kysely)
  const plan = rows.map(({ detail }) => detail).join('\n')
  return /INDEX (of_\w+) \(\w+=\? AND place=\?\)/.exec(plan)?.[1] ?? plan
}

function rowOf(db: TestDatabase, i: number): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(types.map((type) => [type, values[type](i)])),
    place: placeOf(i),
    bigint: String(values.bigint(i)),
    boolean: db.name === 'postgres' ? i % 2 === 0 : Number(i % 2 === 0),
    datetime: instant(i).replace('T', ' ').replace('Z', ''),
  }
}
