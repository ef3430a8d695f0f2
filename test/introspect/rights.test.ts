/** Introspection by a user who may read only a few tables: the others are left out and named, and no request is a 500. */
import { createApi } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { Kysely, MysqlDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const tables = `
  create table authors (id integer primary key, name varchar(20));
  create table books (id integer primary key, author_id integer, secret varchar(20), title varchar(20),
    foreign key (author_id) references authors (id));
  create table closed (id integer primary key, book_id integer, foreign key (book_id) references books (id));
  create table written (id integer primary key, book_id integer, foreign key (book_id) references books (id));
  create view shown as select id from closed;
  create view broken as select id from written;
  insert into authors values (1, 'Jane');
  insert into books values (1, 1, 'x', 'Emma');
  insert into closed values (1, 1);
  insert into written values (1, 1)`

const rights = [
  'select on authors',
  'select (id, author_id, title) on books',
  'insert (secret) on books',
  'insert on written',
  'select on shown',
]

type Clerk = (use: (db: Kysely<unknown>) => Promise<void>) => Promise<void>

const user = `clerk_${process.pid}`

const onPostgres =
  (db: TestDatabase): Clerk =>
  (use) =>
    db.kysely.connection().execute(async (own) => {
      await sql.raw(`set role ${user}`).execute(own)
      try {
        await use(own as Kysely<unknown>)
      } finally {
        await sql`reset role`.execute(own)
      }
    })

const onMysql =
  (db: TestDatabase): Clerk =>
  async (use) => {
    const url = new URL(db.url ?? '')
    url.username = user
    url.password = 'clerk'
    const own = new Kysely<unknown>({ dialect: new MysqlDialect({ pool: createPool(url.href) }) })
    try {
      await use(own)
    } finally {
      await own.destroy()
    }
  }

const fewRights: Parameters<typeof eachDatabase>[1] = (test, db) => {
  const isPostgres = db.name === 'postgres'
  const asClerk = isPostgres ? onPostgres(db) : onMysql(db)
  const accounts = isPostgres ? [user] : [`${user}@'%'`, `${user}@localhost`]

  test.before(async () => {
    const created = accounts.map((one) =>
      isPostgres ? `create role ${one}` : `create user ${one} identified by 'clerk'`,
    )
    const granted = accounts.flatMap((one) => [
      ...rights.map((right) => `grant ${right} to ${one}`),
      // The server then also checks the rights of the user who reads the view.
      ...(isPostgres ? [] : [`grant select on broken to ${one}`]),
    ])
    const script = isPostgres
      ? tables
      : tables.replace('create view broken', 'create sql security invoker view broken')
    await createTables(db, [script, ...created, ...granted].join(';\n'))
  })
  test.after(async () => {
    if (isPostgres) await db.execScript(`drop owned by ${user}`)
    for (const one of accounts) await db.execScript(`drop ${isPostgres ? 'role' : 'user'} ${one}`)
  })

  test('leaves out tables and columns that may not be read, and reports them', () =>
    asClerk(async (own) => {
      const found = await introspect(own)
      equal(
        found.models.map(({ table, columns }) => [table, Object.keys(columns)]),
        [
          ['authors', ['id', 'name']],
          ['books', ['id', 'author_id', 'title']],
          ['shown', ['id']],
        ],
      )
      equal(found.leftOut.map(reasonOf), [
        'broken: it cannot be read',
        // MySQL and MariaDB hide tables on which the user has no rights.
        ...(isPostgres ? ['closed: this user may not read it'] : []),
        'written: this user may not read it',
      ])
      const secret = found.notes.find(({ column }) => column === 'secret')
      equal(secret?.note, 'left out: this user may not read it')
    }))

  test('the remaining models serve every request', () =>
    asClerk(async (own) => {
      const { models } = await introspect(own)
      const api = createApi({
        db: own,
        models: models.map((model) => ({ ...model, meta: {} })),
        config: { API_ALLOWED_METHODS: ['GET'] },
        onWarning() {},
      })
      await api.ready
      const paths = [
        'authors',
        'authors/1',
        'books',
        'books/1?dump=json',
        'books?dump=json',
        'shown',
      ]
      const statuses: number[] = []
      for (const path of paths) {
        const { status } = await api.handle({ method: 'GET', url: `/api/${path}`, headers: {} })
        statuses.push(status)
      }
      equal(statuses, [200, 200, 200, 200, 200, 200])
      equal(await api.schemaDifferences(), [])
    }))

  test('a model of a table that may not be read is a difference', async () => {
    const all = await introspect(db.kysely)
    const models = all.models
      .filter(({ table }) => table === 'written')
      .map((model) => ({ ...model, relations: {}, meta: {} }))
    await asClerk(async (own) => {
      const config = { API_SCHEMA_CHECK: 'off' } as const
      const api = createApi({ db: own, models, config, onWarning() {} })
      const differences = await api.schemaDifferences()
      equal(
        differences.map(({ kind, table }) => `${kind} ${table}`),
        ['unreadable table written'],
      )
    })
  })
}

function reasonOf({ table, reason }: Introspection['leftOut'][number]): string {
  const isView = reason.includes('cannot be read') || table === 'broken'
  return `${table}: ${isView ? 'it cannot be read' : reason}`
}

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase('introspect: a user with few rights', fewRights, { only })
}
