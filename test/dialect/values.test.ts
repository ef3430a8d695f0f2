// Every column type with extreme values: the JSON is that of docs/reference/serialisation.md on every database and in every time zone.
import { type Kysely, sql } from 'kysely'
import { stringify } from '../../packages/core/src/lib/json/stringify.ts'
import { equal, notEqual, rejects } from '../support/assert.ts'
import type { PlainDialect } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import {
  blindDialect,
  columns,
  createSamples,
  names,
  rows,
  samplesDialect,
  verbatim,
} from './samples.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests' own table
async function readAll(db: Kysely<any>, dialect: PlainDialect): Promise<unknown[]> {
  const selected = names.map((name) =>
    sql`${dialect.select(columns[name], sql.ref(name))}`.as(name),
  )
  const found = await db.selectFrom('samples').select(selected).orderBy('id').execute()
  const decoders = names.map((name) => [name, dialect.decoder(columns[name])] as const)
  return found.map((row) =>
    Object.fromEntries(decoders.map(([name, decode]) => [name, decode(row[name])])),
  )
}

const zones = ['UTC', 'America/St_Johns', 'Pacific/Kiritimati']

eachDatabase('dialect/values', (test, db) => {
  let dialect: PlainDialect

  test.before(async () => {
    await createSamples(db)
    dialect = await samplesDialect(db)
  })

  for (const zone of zones) {
    test(`every value has the form of the contract if the process runs in ${zone}`, async () => {
      const before = process.env.TZ
      process.env.TZ = zone
      try {
        if (zone !== 'UTC') notEqual(new Date(0).getTimezoneOffset(), 0)
        equal(stringify((await readAll(db.kysely, dialect)) as never), JSON.stringify(rows))
      } finally {
        if (before === undefined) delete process.env.TZ
        else process.env.TZ = before
      }
    })
  }

  test('the time zone of the session does not matter either', async () => {
    if (db.name === 'sqlite') return
    await db.kysely.connection().execute(async (connection) => {
      const settings =
        db.name === 'postgres'
          ? ['Asia/Kathmandu', 'America/St_Johns'].map(
              (zone) => sql`set timezone to ${sql.lit(zone)}`,
            )
          : ['+05:45', '-03:30'].map((zone) => sql`set time_zone = ${zone}`)
      try {
        for (const setting of settings) {
          await setting.execute(connection)
          equal(stringify((await readAll(connection, dialect)) as never), JSON.stringify(rows))
        }
      } finally {
        await (db.name === 'postgres'
          ? sql`reset timezone`
          : sql`set time_zone = '+00:00'`
        ).execute(connection)
      }
    })
  })

  test('without metadata of the columns the values are the same', async () => {
    if (db.name !== 'mysql') {
      equal(
        stringify((await readAll(db.kysely, await blindDialect(db))) as never),
        JSON.stringify(rows),
      )
    }
  })

  const readBack = async (json: string): Promise<string> => {
    await sql`update samples set doc = ${json} where id = 1`.execute(db.kysely)
    const [row] = await db.kysely
      .selectFrom('samples')
      .select(sql`${dialect.select(columns.doc, sql.ref('doc'))}`.as('doc'))
      .where('id', '=', 1)
      .execute()
    return stringify(dialect.decoder(columns.doc)(row?.doc))
  }

  test('the json type of MySQL alone rewrites numbers, and refuses those beyond a double', async () => {
    if (db.engine !== 'mysql') return
    equal(
      await readBack(
        '{"c":[1e2,-0,0.1,1.10],"b":[12345678901234567890,123456789012345678901],"a":1.0}',
      ),
      '{"a":1.0,"b":[12345678901234567890,1.2345678901234568e20],"c":[100.0,0,0.1,1.1]}',
    )
    await rejects(readBack('1e400'), 'Number too big')
  })

  test('JSON keeps its numbers and sorts its keys', async () => {
    // A text column keeps what the json type of MySQL would rewrite.
    if (db.engine === 'mysql') await db.execScript('alter table samples modify doc longtext')
    equal(await readBack('{"c":[1e2,-0,0.1],"b":12345678901234567890,"a":1.0}'), verbatim)
  })
})

eachDatabase('dialect/values without a JSON form', (test, db) => {
  test('a value without a JSON form is null, or the string of the database', async () => {
    const dialect = await blindDialect(db)
    const cases: readonly (readonly [
      type: 'float' | 'decimal' | 'date' | 'datetime',
      text: string,
      served: string | null,
    ])[] =
      db.name === 'postgres'
        ? [
            ['float', `'NaN'::float8`, null],
            ['float', `'Infinity'::float8`, null],
            ['float', `'-Infinity'::float8`, null],
            ['decimal', `'NaN'::numeric`, 'NaN'],
            ['date', `'infinity'::date`, 'infinity'],
            ['datetime', `'-infinity'::timestamptz`, '-infinity'],
          ]
        : db.name === 'sqlite'
          ? [['float', '9e999', null]]
          : [
              [
                'datetime',
                `cast('0000-00-00 00:00:00' as datetime)`,
                // MySQL makes none in its usual mode.
                db.engine === 'mysql' ? null : '0000-00-00T00:00:00.000Z',
              ],
            ]
    for (const [type, text, served] of cases) {
      const column = { name: 'v', type, nullable: true, scale: 2 } as const
      const selected = sql`select ${dialect.select(column, sql.raw(text))} as v`
      const { rows: found } = await selected.execute(db.kysely)
      equal(dialect.decoder(column)((found[0] as { v: unknown }).v), served, text)
    }
  })

  test('years before 1 and after 9999 are written as ISO 8601 extends them', async () => {
    if (db.name !== 'postgres') return
    const dialect = await blindDialect(db)
    const of = async (type: 'date' | 'datetime', text: string): Promise<unknown> => {
      const column = { name: 'v', type, nullable: true } as const
      const { rows: found } =
        await sql`select ${dialect.select(column, sql.raw(text))} as v`.execute(db.kysely)
      return dialect.decoder(column)((found[0] as { v: unknown }).v)
    }
    equal(await of('date', `'0044-03-15 BC'::date`), '-000043-03-15')
    equal(
      await of('datetime', `'12024-01-01 00:00:00Z'::timestamptz`),
      '+012024-01-01T00:00:00.000Z',
    )
  })

  test('a string that is not JSON is returned unchanged', async () => {
    const dialect = await blindDialect(db)
    equal(dialect.decoder(columns.doc)('{broken'), '{broken')
  })
})
