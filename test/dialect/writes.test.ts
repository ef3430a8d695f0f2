// What `encode` gives the driver is stored as the database's own value and comes back as the JSON it was made from.
import { sql } from 'kysely'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import { stringify } from '../../packages/core/src/lib/json/stringify.ts'
import { verbatimNumber } from '../../packages/core/src/lib/json/verbatim.ts'
import { equal } from '../support/assert.ts'
import type { PlainDialect } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { columns, createSamples, type Name, names, rows, samplesDialect } from './samples.ts'

eachDatabase('dialect/writes', (test, db) => {
  let dialect: PlainDialect

  test.before(async () => {
    await createSamples(db)
    dialect = await samplesDialect(db)
  })

  const read = async (): Promise<unknown[]> => {
    const selected = names.map((name) =>
      sql`${dialect.select(columns[name], sql.ref(name))}`.as(name),
    )
    const found = await db.kysely.selectFrom('samples').select(selected).orderBy('id').execute()
    return found.map((row) => names.map((name) => dialect.decoder(columns[name])(row[name])))
  }

  const encoded = (row: Partial<Readonly<Record<Name, JsonValue>>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        dialect.encode(columns[name as Name], value),
      ]),
    )

  test('every sample, inserted', async () => {
    await db.kysely.deleteFrom('samples').execute()
    for (const row of rows) await db.kysely.insertInto('samples').values(encoded(row)).execute()
    equal(
      stringify((await read()) as never),
      JSON.stringify(rows.map((row) => names.map((name) => row[name]))),
    )
  })

  test('every sample, updated', async () => {
    for (const { id } of rows)
      await db.kysely
        .updateTable('samples')
        .set(encoded({ name: 'x', wide: '1.5', flag: true }))
        .where('id', '=', id)
        .execute()
    for (const row of rows)
      await db.kysely.updateTable('samples').set(encoded(row)).where('id', '=', row.id).execute()
    equal(
      stringify((await read()) as never),
      JSON.stringify(rows.map((row) => names.map((name) => row[name]))),
    )
  })

  test('JSON with verbatim numbers, nulls inside, and JSON null as NULL', async () => {
    const doc: JsonValue = {
      n: verbatimNumber('12345678901234567890.10'),
      none: null,
      list: [verbatimNumber('1.0'), false],
    }
    await db.kysely.updateTable('samples').set(encoded({ doc })).where('id', '=', 1).execute()
    await db.kysely
      .updateTable('samples')
      .set(encoded({ doc: null }))
      .where('id', '=', 2)
      .execute()
    const found = (await read()) as JsonValue[][]
    const at = names.indexOf('doc')
    // MySQL's json rewrites numbers.
    const n = db.engine === 'mysql' ? '1.2345678901234567e19' : '12345678901234567890.10'
    equal(stringify(found[0]?.[at] ?? null), `{"list":[1.0,false],"n":${n},"none":null}`)
    equal(found[1]?.[at], null)
  })

  test('values from a plan or the clock: BigInt and Date', async () => {
    const values = {
      big: dialect.encode(columns.big, -(2n ** 63n)),
      moment: dialect.encode(columns.moment, new Date(1)),
    }
    await db.kysely.updateTable('samples').set(values).where('id', '=', 1).execute()
    const row = ((await read()) as JsonValue[][])[0]
    equal(row?.[names.indexOf('big')], '-9223372036854775808')
    equal(row?.[names.indexOf('moment')], '1970-01-01T00:00:00.001Z')
  })

  test('the database stores its own types', async () => {
    if (db.name !== 'sqlite') return
    await db.kysely
      .updateTable('samples')
      .set(
        encoded({
          flag: true,
          moment: '2024-05-14T10:30:00.000Z',
          price: '12.5',
          wide: '12.5',
          big: '5',
        }),
      )
      .where('id', '=', 1)
      .execute()
    const { rows: found } =
      await sql`select typeof(flag) || ' ' || flag as flag, moment, typeof(price) as price, wide, typeof(big) as big from samples where id = 1`.execute(
        db.kysely,
      )
    equal(found, [
      {
        flag: 'integer 1',
        moment: '2024-05-14 10:30:00.000',
        price: 'real',
        wide: '12.5000000000',
        big: 'integer',
      },
    ])
  })
})
