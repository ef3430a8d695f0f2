/** Introspection of a few hundred tables, with time limits that are meant for requests. */
import { introspect } from '@model-api/core/introspect'
import { sql } from 'kysely'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'

runsOn('one server of each engine')

const tables = 200

/** Limits that reading the catalogue of so many tables exceeds. */
const limits = {
  postgres: { set: 'set statement_timeout = 5', show: 'show statement_timeout', value: '5ms' },
  mysql: {
    set: 'set session max_execution_time = 5',
    show: 'select @@session.max_execution_time',
    value: '5',
  },
  mariadb: {
    set: 'set session max_statement_time = 0.01',
    show: 'select @@session.max_statement_time',
    value: '0.01',
  },
} as const

eachDatabase('introspection of a large schema', (test, db) => {
  test.before(() =>
    db.execScript(
      Array.from({ length: tables }, (_, i) => {
        const columns = Array.from({ length: 12 }, (_, k) => `c${k} varchar(80) not null`)
        const key = i === 0 ? '' : `, foreign key (parent_id) references t${i - 1} (id)`
        return `create table t${i} (id integer not null primary key, parent_id integer, ${columns.join(', ')}${key});`
      }).join('\n'),
    ),
  )

  test('reads every table with its columns and relations', async () => {
    const { models, leftOut } = await introspect(db.kysely)
    equal([models.length, leftOut], [tables, []])
    const last = models.find(({ table }) => table === `t${tables - 1}`)
    equal(Object.keys(last?.columns ?? {}).length, 14)
    equal(Object.keys(last?.relations ?? {}).length, 1)
  })

  if (db.name === 'sqlite') return

  test('is not bounded by the time limit of the connection, which is restored', () =>
    db.kysely.connection().execute(async (own) => {
      const { set, show, value } = limits[db.engine as keyof typeof limits]
      await sql.raw(set).execute(own)
      const { models } = await introspect(own)
      equal(models.length, tables)
      const { rows } = await sql.raw<Record<string, unknown>>(show).execute(own)
      equal(String(Object.values(rows[0] ?? {})[0]), value)
      if (db.name === 'mysql') await sql.raw(set.replace(/= .*/, '= 0')).execute(own)
      else await sql.raw('reset statement_timeout').execute(own)
    }))

  if (db.name !== 'postgres') return

  test('switches JIT off for its statements only', () =>
    db.kysely.connection().execute(async (own) => {
      await sql`set jit = on`.execute(own)
      const { statements } = await db.capture(() => introspect(own))
      const texts = statements.map((statement) => statement.sql)
      const off = texts.findIndex((text) => text.includes("when 'jit' then 'off'"))
      const first = texts.findIndex((text) => text.includes('pg_class'))
      ok(off !== -1 && off < first)
      const { rows } = await sql<{ jit: string }>`show jit`.execute(own)
      match(rows[0]?.jit ?? '', 'on')
      await sql`reset jit`.execute(own)
    }))
})
