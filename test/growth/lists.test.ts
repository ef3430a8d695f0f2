/**
 * The statement of a list is as large for twice the values: every operator that takes a list, on every type, stored and computed. That of
 * the generic dialect grows in proportion to the values.
 */
import { defineModel } from '@model-api/core'
import { type Expression, type SqlBool, sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import type { PlanValue } from '../../packages/core/src/dialect/dialect.ts'
import { genericDialect as generic } from '../../packages/core/src/dialect/generic/generic-dialect.ts'
import type { ItemType } from '../../packages/core/src/model/column.ts'
import type { DialectTable } from '../../packages/core/src/model/dialect-column.ts'
import { operatorFits } from '../../packages/core/src/model/type-rules.ts'
import { send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { connectionMeter } from '../support/connection-meter.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type PlainDialect, withPlainValues } from '../support/plain-values.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const genericDialect = withPlainValues(generic)

runsOn('one server of each engine')

type Column = DialectTable['columns'][number]

const second = (i: number): string =>
  `${new Date(Date.UTC(2024, 0, 1) + i * 7000).toISOString().slice(0, 19)}.${String(i % 1000).padStart(3, '0')}Z`
const timeOf = (i: number): string => second(i * 3).slice(11, 19)
const uuid = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

/** A value of each type that lists can be of; a type without one does not compile. */
const values: Readonly<Record<ItemType, (i: number) => PlanValue>> = {
  integer: (i) => i,
  bigint: (i) => BigInt(i) + 2n ** 53n,
  float: (i) => i / 8,
  decimal: (i) => `${i}.25`,
  boolean: (i) => i % 2 === 0,
  string: (i) => `s${i}`,
  text: (i) => `t${i}`,
  enum: (i) => `e${i}`,
  uuid,
  date: (i) => new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
  datetime: second,
  time: timeOf,
}

const types = Object.keys(values) as ItemType[]

/** Values outside of the usual form of their type, which some databases store. */
const special: Readonly<Partial<Record<TestDatabase['name'], Partial<Record<ItemType, string>>>>> =
  {
    mysql: { date: '0000-00-00', datetime: '0000-00-00T00:00:00.000Z', time: '-00:00:05' },
    postgres: { date: 'infinity', datetime: 'infinity', time: '24:00:00' },
  }

const columnOf = (name: string, type: ItemType): Column => ({
  name,
  dbName: name,
  type,
  nullable: true,
  ...(type === 'decimal' && { precision: 12, scale: 2 }),
})

/** The columns of a table, and those of another, of which each has an index. */
const plain = types.map((type) => columnOf(type, type))
const indexed = types.map((type) => columnOf(type, type))

/** A statement without its values, and with each list of equal items shortened to one item. */
function shapeOf(db: TestDatabase, test: Expression<SqlBool>): string {
  const text = sql`select 1 where ${test}`.compile(db.kysely).sql.replace(/\$[0-9]+/g, '?')
  return text.replace(/(\?|cast\(\?[^()]*(?:\([^()]*\))?\)|convert_tz\(\?[^()]*\))(?:, \1)+/g, '$1')
}

/** The comparisons of a statement that are combined, whatever tree of CASE they are in. */
const termsOf = (shape: string): number => (shape.match(/ (?:and|or|between) /g) ?? []).length

const model = (name: string) =>
  defineModel(name, {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      ...Object.fromEntries(
        types.map((type) => [
          type,
          {
            type: type === 'enum' ? 'string' : type,
            nullable: true,
            ...(type === 'decimal' && { precision: 12, scale: 2 }),
          } as const,
        ]),
      ),
    },
    meta: {},
  })
const models = [model('Plain'), model('Indexed')]

/** Its indexes are empty when the API starts. */
const Instant = defineModel('Instant', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    at: { type: 'datetime', nullable: true },
    clock: { type: 'time', nullable: true },
  },
  meta: {},
})

/** The longest list that API_MAX_LIST can allow. */
const most = 10_000

eachDatabase('growth of lists', (test, db) => {
  let dialects: Readonly<Record<string, readonly [PlainDialect, readonly Column[]]>>
  const api = testApi(db, models, { API_MAX_LIST: most, API_STATEMENT_TIMEOUT: 10_000 })

  test.before(async () => {
    await createTables(db, models)
    for (const type of types.filter((one) => one !== 'text')) {
      const name = sql.id(`of_${type}`)
      await sql`create index ${name} on ${sql.table('indexeds')} (${sql.id(type)})`.execute(
        db.kysely,
      )
    }
    const rows = Array.from({ length: 400 }, (_, i) => rowOf(db, i))
    for (const table of ['plains', 'indexeds']) {
      for (let at = 0; at < rows.length; at += 100)
        await db.kysely
          .insertInto(table)
          .values(rows.slice(at, at + 100) as never)
          .execute()
    }
    const unconnected = detectDialect(db.kysely)
    const connected = await unconnected.connect?.(db.kysely, [
      { table: 'plains', columns: plain },
      { table: 'indexeds', columns: indexed },
    ])
    const dialect = withPlainValues(connected ?? unconnected)
    dialects = {
      plain: [dialect, plain],
      indexed: [dialect, indexed],
      unconnected: [withPlainValues(unconnected), plain],
      computed: [dialect, plain.map((column) => ({ ...column, comparable: true as const }))],
      generic: [genericDialect, plain],
    }
    await api.ready
  })

  for (const type of types.filter((one) => operatorFits('in', { type: one, nullable: true }))) {
    test(`${type}: the statement does not grow with the list`, () => {
      const grown: string[] = []
      for (const [which, [dialect, columns]] of Object.entries(dialects)) {
        // Its statements grow, as another test says.
        if (which === 'generic') continue
        const column = columns[types.indexOf(type)] as Column
        const others = special[db.name]?.[type]
        for (const negated of [false, true]) {
          for (const more of [[], ...(others === undefined ? [] : [[others]])]) {
            const [one, two, long] = [64, 128, 1024].map((n) => {
              const list = Array.from({ length: n - more.length }, (_, i) => values[type](i))
              const ref = sql.ref(column.dbName)
              return shapeOf(db, dialect.oneOf(column, ref, [...more, ...list], negated))
            }) as [string, string, string]
            if (one !== two || two !== long || termsOf(long) > 100)
              grown.push(`${which}${negated ? ', not' : ''}: ${long.slice(0, 300)}`)
          }
        }
      }
      equal(grown, [])
    })

    test(`${type}: lists find the rows that equality finds`, async () => {
      const given = (n: number): PlanValue[] =>
        Array.from({ length: n }, (_, i) => values[type](3 * i))
      for (const [which, [dialect, columns]] of Object.entries(dialects)) {
        // `computed` stands for other expressions; the generic dialect binds datetimes in a form that PostgreSQL reads.
        if (which === 'computed' || (which === 'generic' && db.name !== 'postgres')) continue
        // Before it is connected, the dialect of MySQL takes every server for one.
        if (which === 'unconnected' && db.engine === 'mariadb') continue
        const column = columns[types.indexOf(type)] as Column
        const ids = async (test: Expression<SqlBool>): Promise<number[]> => {
          const query = sql<{
            id: number
          }>`select id from ${sql.table(which === 'indexed' ? 'indexeds' : 'plains')} where ${test} order by id`
          return (await query.execute(db.kysely)).rows.map(({ id }) => Number(id))
        }
        const ref = sql.ref(column.dbName)
        for (const n of [1, 2, 15, 16, 17, 70]) {
          const list = given(n)
          const each = list.map((value) => dialect.compare(column, ref, 'eq', value))
          const equalOnes = await ids(sql`(${sql.join(each, sql` or `)})`)
          equal(await ids(dialect.oneOf(column, ref, list, false)), equalOnes, `${which} in ${n}`)
          const all = await ids(sql`${ref} is not null`)
          const others = all.filter((id) => !equalOnes.includes(id))
          equal(await ids(dialect.oneOf(column, ref, list, true)), others, `${which} nin ${n}`)
        }
      }
    })
  }

  test('a hundred lists cost in proportion to their number', async () => {
    const meter = connectionMeter(db)
    const costs: number[] = []
    for (const n of [25, 50, 98]) {
      const lists = Array.from(
        { length: n },
        (_, k) =>
          `datetime__in=(${Array.from({ length: 30 }, (_, i) => second(31 * i + k)).join()})`,
      )
      for (const body of [lists.join('&'), `or[${lists.join()}]`]) {
        const before = await meter.cpu()
        const { status } = await send(api, 'QUERY', '/api/indexeds', {
          body: `${body}&limit=1&fields=id`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
        equal(status, 200)
        costs.push((await meter.cpu()) - before)
        const [earlier = 0] = costs.slice(-3)
        const last = costs.at(-1) ?? 0
        ok(costs.length < 3 || last <= 4 * Math.max(earlier, 150), `${n}: ${costs.join(', ')} ms`)
      }
    }
  })

  test('a list whose values stand for the same stored ones costs what one value costs', async () => {
    await createTables(db, [Instant])
    for (const name of ['at', 'clock']) {
      await sql`create index ${sql.id(`${name}_of_instants`)} on ${sql.table('instants')} (${sql.id(name)})`.execute(
        db.kysely,
      )
    }
    const instants = testApi(db, [Instant], { API_MAX_LIST: most, API_STATEMENT_TIMEOUT: 10_000 })
    await instants.ready
    const moment = '2024-05-01 10:30:00.000'
    const rows = Array.from({ length: 500 }, () => ({ at: moment, clock: moment.slice(11, 19) }))
    for (let i = 0; i < 8; i++)
      await db.kysely
        .insertInto('instants')
        .values(rows as never)
        .execute()
    const meter = connectionMeter(db)
    const costOf = async (condition: string, list: readonly string[]): Promise<number> => {
      const before = await meter.cpu()
      const { status, value } = await send(instants, 'QUERY', '/api/instants', {
        body: `${condition}=(${list.join()})&limit=1&fields=id`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      equal([status, value.length], [200, 1])
      return (await meter.cpu()) - before
    }
    const first = '2024-05-01T10:30:00.000Z'
    const next = (i: number): string => new Date(Date.parse(first) + i).toISOString()
    const clock = (i: number): string => next(1000 * i).slice(11, 19)
    for (const [condition, value] of [
      ['at__in', next],
      ['clock__in', clock],
    ] as const) {
      for (const step of [0, 1]) {
        const list = Array.from({ length: 1024 }, (_, i) => value(i * step))
        // The cost without the stored values that many values of the list stand for.
        const others = Array.from({ length: 1023 }, (_, i) => value(7 * (i + 600)))
        const [one, many] = [
          await costOf(condition, [value(0), ...others]),
          await costOf(condition, list),
        ]
        ok(many <= 4 * Math.max(one, 100), `${condition}, ${step}: ${one}, ${many} ms`)
      }
    }
  })

  test('a longer list is refused', async () => {
    const { status, errors } = await send(api, 'QUERY', '/api/plains', {
      body: `integer__in=(${Array.from({ length: most + 1 }, (_, i) => i).join()})`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    equal(status, 400)
    match(errors.reason, 'API_MAX_LIST')
    match(errors.reason, String(most))
  })

  for (const type of types.filter((one) => operatorFits('in', { type: one, nullable: true }))) {
    const isRange = type === 'datetime' || type === 'time'
    const each = isRange ? 'two comparisons in CASE' : 'one bound value'
    test(`${type}: in the generic dialect, each value of a list is ${each}, and no AND or OR`, () => {
      const column = plain[types.indexOf(type)] as Column
      const counts = [64, 128, 1024].map((n) => {
        const list = Array.from({ length: n }, (_, i) => values[type](i))
        const test = genericDialect.oneOf(column, sql.ref(column.dbName), list, false)
        const text = sql`${test}`.compile(db.kysely).sql
        const grown = text.match(isRange ? / < /g : /\?|\$[0-9]+/g)?.length ?? 0
        return { grown, terms: termsOf(text) }
      })
      const [first] = counts
      const perValue = isRange ? 2 : 1
      equal(
        counts,
        [64, 128, 1024].map((n) => ({
          grown: (first?.grown ?? 0) + perValue * (n - 64),
          terms: first?.terms,
        })),
      )
    })
  }

  const columns = types.filter((type) => type !== 'enum')
  for (const operator of ['in', 'nin']) {
    for (const [path, which] of [
      ['plains', 'plain'],
      ['indexeds', 'indexed'],
    ]) {
      test(`${operator} of up to ${most} values, ${which}: memory and time of the database`, async () => {
        const meter = connectionMeter(db)
        for (const type of columns) {
          // Steps, so that a list that costs too much ends the test before it ends the machine.
          const costs: number[] = []
          for (const n of [most / 16, most / 8, most / 4, most / 2, most].map(Math.floor)) {
            const list = Array.from({ length: n }, (_, i) => values[type](i)).join()
            const body = `${type}__${operator}=(${list})&limit=1&fields=id`
            const before = await meter.cpu()
            const { status } = await send(api, 'QUERY', `/api/${path}`, {
              body,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            })
            equal(status, 200, `${type} ${n}`)
            costs.push((await meter.cpu()) - before)
            const used = await meter.memory()
            ok(used < 150, `${type}, ${n} values: ${used} MB`)
            const [earlier = 0, last = 0] = costs.slice(-2)
            ok(last <= 3 * Math.max(earlier, 150), `${type}: ${costs.join(', ')} ms`)
          }
        }
      })
    }
  }
})

function rowOf(db: TestDatabase, i: number): Readonly<Record<string, unknown>> {
  if (i % 40 === 39) return {}
  const datetime = second(i).replace('T', ' ').replace('Z', '')
  return {
    ...Object.fromEntries(types.map((type) => [type, values[type](i)])),
    bigint: String(values.bigint(i)),
    boolean: db.name === 'postgres' ? i % 2 === 0 : Number(i % 2 === 0),
    // Every fifth value is finer than a millisecond.
    datetime: i % 5 === 0 ? `${datetime}456` : datetime,
  }
}
