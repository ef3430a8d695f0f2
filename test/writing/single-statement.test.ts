/** Writes of one statement: the response is byte for byte that of a later GET, whatever the table changes by itself. */
import { type AnyModel, type Api, belongsTo, defineModel, hasMany } from '@model-api/core'
import { detectDialect } from '@model-api/core/internals'
import { sql } from 'kysely'
import { columns, createSamples, names, rows } from '../dialect/samples.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { readBackDialect } from '../support/read-back-dialect.ts'
import { eachDatabase, type Test } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

type Request = readonly [method: string, url: string, body?: unknown]

/**
 * Sends a write and reads its record; requires that both responses are equal, including the ETag. Returns the number of
 * statements of the write.
 */
async function written(db: TestDatabase, api: Api, [method, url, body]: Request): Promise<number> {
  const { result, statements } = await db.capture(() => send(api, method, url, { body }))
  const { status, text, headers, value } = result
  ok(status < 300, text)
  const path = headers.location ?? url.split('?')[0] ?? ''
  const query = url.split('?')[1]
  const read = await get(api, query === undefined ? path : `${path}?${query}`)
  equal(JSON.stringify(value), JSON.stringify(read.value))
  equal(headers.etag, read.headers.etag)
  return statements.length
}

/** All databases except MySQL return the new row; MySQL needs a read. */
const ofInsert = ({ engine }: TestDatabase): number => (engine === 'mysql' ? 2 : 1)

/** SQLite and PostgreSQL return the changed row; MariaDB and MySQL need a read. */
const ofChange = ({ name }: TestDatabase): number => (name === 'mysql' ? 2 : 1)

const Sample = defineModel('Sample', {
  table: 'samples',
  columns: Object.fromEntries(
    names.map((name) => {
      const { dbName: _, name: __, ...column } = columns[name]
      return [name, name === 'id' ? { ...column, primaryKey: true } : column]
    }),
  ) as never,
  meta: {},
})

/** The INSERT of a sample checks the reference, because a policy may hide the origin. The sample's own key is the foreign key. */
const Origin = defineModel('Origin', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: { access_policy: { scope: { id: { ge: 0 } } } },
})
const Referring = defineModel('Referring', {
  table: 'samples',
  columns: Sample.columns as never,
  relations: { origin: belongsTo('Origin', 'id') },
  meta: { endpoint: 'referring' },
})

eachDatabase('single-statement writes: every type', (test, db) => {
  const api = testApi(db, [Sample as AnyModel], { API_ALLOW_SELECT_FIELDS: true })
  test.before(async () => {
    await createSamples(db)
    await createTables(db, [Origin])
    await api.ready
  })

  test('POST returns what GET returns: with a reference that is checked', async () => {
    const referring = testApi(db, [Origin, Referring] as readonly AnyModel[])
    await referring.ready
    for (const { id, ...row } of rows) {
      const body = { ...row, id: 500 + Number(id) }
      const missing = await send(referring, 'POST', '/api/referring', { body })
      equal(missing.status, 422, missing.text)
      await db.kysely.insertInto('origins').values({ id: body.id }).execute()
      equal(await written(db, referring, ['POST', '/api/referring', body]), ofInsert(db))
      const [one, other] = [body.id, id].map((of) => get(api, `/api/samples/${of}`))
      equal({ ...(await one)?.value, id }, (await other)?.value)
    }
  })

  test('POST returns what GET returns', async () => {
    for (const { id, ...row } of rows) {
      const body = { ...row, id: 1000 + Number(id) }
      equal(await written(db, api, ['POST', '/api/samples', body]), ofInsert(db))
    }
  })

  test('PATCH returns what GET returns', async () => {
    for (const { id: _, ...row } of rows) {
      equal(await written(db, api, ['PATCH', '/api/samples/1', row]), ofChange(db))
    }
  })

  test('with fields=, the result and the ETag are those of GET', async () => {
    const body = { name: 'chosen', whole: 5 }
    equal(await written(db, api, ['PATCH', '/api/samples/2?fields=whole', body]), ofChange(db))
    const more = { ...body, id: 2000 }
    equal(await written(db, api, ['POST', '/api/samples?fields=name,big', more]), ofInsert(db))
  })

  test('DELETE', async () => {
    const { result, statements } = await db.capture(() => send(api, 'DELETE', '/api/samples/3'))
    equal([result.status, result.value, statements.length], [200, null, 1])
    equal((await get(api, '/api/samples/3')).status, 404)
    equal((await send(api, 'DELETE', '/api/samples/3')).status, 404)
  })
})

const id = { type: 'integer', primaryKey: true, generated: true } as const
const table = (name: string, more: object = {}): AnyModel =>
  defineModel(name, {
    columns: {
      id,
      label: { type: 'string' },
      stamp: { type: 'string', nullable: true, readOnly: true },
    },
    meta: {},
    ...more,
  })

/** A table that changes values by itself, and the number of statements of a POST and of a PATCH. */
interface Busy {
  readonly does: string
  readonly ddl: readonly string[]
  readonly statements: readonly [post: number, patch: number]
}

const plainTable = {
  sqlite: 'id integer primary key autoincrement, label text not null, stamp text',
  postgres:
    'id integer generated by default as identity primary key, label text not null, stamp text',
  mysql: 'id integer auto_increment primary key, label varchar(50) not null, stamp varchar(50)',
}

const triggersBefore = [
  "create trigger %_i before insert on % for each row set new.stamp = 'new'",
  "create trigger %_u before update on % for each row set new.stamp = 'changed'",
]

/** `%` stands for the name of the table. */
const busy: Readonly<Record<TestDatabase['engine'], readonly Busy[]>> = {
  sqlite: [
    {
      does: 'a trigger afterwards',
      ddl: [
        `create table % (${plainTable.sqlite})`,
        "create trigger %_i after insert on % begin update % set stamp = 'new' where id = new.id; end",
        "create trigger %_u after update of label on % begin update % set stamp = 'changed' where id = new.id; end",
      ],
      statements: [4, 5],
    },
    {
      does: 'a temporary trigger afterwards',
      ddl: [
        `create table % (${plainTable.sqlite})`,
        "create temp trigger %_i after insert on % begin update % set stamp = 'new' where id = new.id; end",
      ],
      statements: [4, 5],
    },
    {
      does: 'a view',
      ddl: [
        `create table %_below (${plainTable.sqlite})`,
        'create view % as select id, label, stamp from %_below',
        'create trigger %_u instead of update on % begin update %_below set label = upper(new.label) where id = old.id; end',
        "insert into %_below values (1, 'seen', null)",
      ],
      statements: [0, 5],
    },
    {
      does: 'a generated column',
      ddl: ['create table % (id integer primary key, label text, stamp text as (label || id))'],
      statements: [1, 1],
    },
    {
      does: 'a foreign key to itself that follows',
      ddl: [
        'create table % (id integer primary key, label text unique, stamp text references %(label) on update cascade)',
        "insert into % values (1, 'own', 'own')",
      ],
      statements: [4, 5],
    },
    {
      does: 'children that follow its key',
      ddl: [
        `create table % (${plainTable.sqlite})`,
        'create table %_children (of integer references %(id) on update cascade)',
      ],
      statements: [1, 1],
    },
  ],
  postgres: [
    {
      does: 'a trigger before',
      ddl: [
        `create table % (${plainTable.postgres})`,
        'create function %_f() returns trigger language plpgsql as $$ begin new.stamp := tg_op; return new; end $$',
        'create trigger t before insert or update on % for each row execute function %_f()',
      ],
      statements: [1, 1],
    },
    {
      does: 'a trigger afterwards',
      ddl: [
        `create table % (${plainTable.postgres})`,
        'create function %_f() returns trigger language plpgsql as $$ begin if pg_trigger_depth() = 1 then update % set stamp = tg_op where id = new.id; end if; return null; end $$',
        'create trigger t after insert or update on % for each row execute function %_f()',
      ],
      statements: [4, 5],
    },
    {
      does: 'a rule',
      ddl: [
        `create table % (${plainTable.postgres})`,
        'create table %_log (label text)',
        'create rule r as on update to % do also insert into %_log values (new.label)',
      ],
      statements: [4, 5],
    },
    {
      does: 'row security',
      ddl: [`create table % (${plainTable.postgres})`, 'alter table % enable row level security'],
      statements: [4, 5],
    },
    {
      does: 'children by inheritance',
      ddl: [`create table % (${plainTable.postgres})`, 'create table %_child () inherits (%)'],
      statements: [4, 5],
    },
    {
      does: 'a generated column',
      ddl: [
        'create table % (id integer generated by default as identity primary key, label text, stamp text generated always as (label || id) stored)',
      ],
      statements: [1, 1],
    },
    {
      does: 'a foreign key to itself that follows',
      ddl: [
        'create table % (id integer generated by default as identity primary key, label text unique, stamp text references %(label) on update cascade)',
        "insert into % values (1, 'own', 'own')",
        'alter table % alter column id restart with 2',
      ],
      statements: [4, 5],
    },
    {
      does: 'children that follow its key',
      ddl: [
        `create table % (${plainTable.postgres})`,
        'create table %_children (of integer references %(id) on update cascade)',
      ],
      statements: [1, 1],
    },
  ],
  mariadb: [
    {
      does: 'a trigger before',
      ddl: [`create table % (${plainTable.mysql})`, ...triggersBefore],
      statements: [1, 2],
    },
    {
      does: 'a column generated from the counter',
      ddl: [
        'create table % (id integer auto_increment primary key, label varchar(50), stamp varchar(50) as (concat(label, id)) virtual)',
      ],
      statements: [2, 2],
    },
  ],
  mysql: [
    {
      does: 'a trigger before',
      ddl: [`create table % (${plainTable.mysql})`, ...triggersBefore],
      statements: [2, 2],
    },
    {
      does: 'a generated column',
      ddl: [
        'create table % (id integer auto_increment primary key, label varchar(50), stamp varchar(50) as (concat(label, length(label))) virtual)',
      ],
      statements: [2, 2],
    },
    {
      does: 'a default that is an expression',
      ddl: [
        'create table % (id integer auto_increment primary key, label varchar(50), stamp varchar(50) default (concat(upper(label), uuid())))',
      ],
      statements: [2, 2],
    },
  ],
}

const endpointOf = (i: number): string => `kinds_${'abcdefgh'[i]}`
const modelOf = (_: Busy, i: number): AnyModel =>
  table(`Kind${'ABCDEFGH'[i]}`, { table: endpointOf(i), meta: { endpoint: endpointOf(i) } })

eachDatabase('single-statement writes: triggers, views and rules', (test, db) => {
  const kinds = busy[db.engine]
  const api = testApi(db, kinds.map(modelOf))
  test.before(async () => {
    for (const [i, { ddl }] of kinds.entries()) {
      for (const statement of ddl) {
        await sql.raw(statement.replaceAll('%', endpointOf(i))).execute(db.kysely)
      }
    }
    await api.ready
  })

  for (const [i, { does, statements }] of kinds.entries()) {
    test(`${does}: the response shows it`, async () => {
      const [post, patch] = statements
      const url = `/api/${endpointOf(i)}`
      const took: number[] = []
      if (post > 0) took.push(await written(db, api, ['POST', url, { label: 'first' }]))
      took.push(await written(db, api, ['PATCH', `${url}/1`, { label: 'second' }]))
      equal(took, post > 0 ? [post, patch] : [patch])
    })
  }
})

const Shelf = table('Shelf')
const Box = table('Box', {
  columns: {
    id,
    label: { type: 'string', unique: true },
    gone: { type: 'boolean' },
    shelf_id: { type: 'integer', nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})
const Crate = table('Crate', { relations: { lids: hasMany('Lid', 'crate_id') } })
const Lid = table('Lid', {
  columns: { id, crate_id: { type: 'integer' }, label: { type: 'string' } },
})
const boxes: readonly AnyModel[] = [Shelf, Box, Crate, Lid]

/** An API that runs something else before the first statement with this beginning. */
function interrupted(
  db: TestDatabase,
  start: string,
  instead: (send: () => Promise<unknown>) => Promise<unknown>,
  options: Parameters<typeof testApi>[3] = {},
): { readonly api: Api; readonly seen: string[] } {
  const seen: string[] = []
  let armed = true
  const watch = (query: { sql: string }, run: () => Promise<unknown>): Promise<unknown> => {
    // A comment at the beginning requests rows as arrays.
    const text = query.sql.replace(/^\/\*.*?\*\/ /, '')
    seen.push(text.split(' ')[0] ?? '')
    if (!armed || !text.startsWith(start)) return run()
    armed = false
    return instead(run)
  }
  // biome-ignore lint/suspicious/noExplicitAny: whatever a Kysely, its executor or a connection of it has
  type Members = Record<string | symbol, any>
  const watched = <T extends object>(one: T): T =>
    new Proxy(one, {
      get(target, name) {
        const member = (target as Members)[name]
        switch (name) {
          case 'withoutPlugins':
          case 'getExecutor':
            return () => watched(member.call(target))
          case 'provideConnection':
            return (use: (connection: object) => Promise<unknown>) =>
              member.call(target, (connection: object) => use(watched(connection)))
          case 'connection':
            return () => ({
              execute: (work: (connection: object) => Promise<unknown>) =>
                member.call(target).execute((connection: object) => work(watched(connection))),
            })
          case 'executeQuery':
            return (query: { sql: string }) => watch(query, () => member.call(target, query))
          default:
            return typeof member === 'function' ? member.bind(target) : member
        }
      },
    })
  const config = { API_SESSION_GETTER: () => watched(db.kysely) }
  return { api: testApi(db, boxes, config, { onError: () => {}, ...options }), seen }
}

const failing = (members: object) => () =>
  Promise.reject(Object.assign(new Error('failed'), members))

eachDatabase('single-statement writes: failures', (test, db) => {
  const api = testApi(db, boxes)
  test.before(async () => {
    await createTables(db, boxes)
    await send(api, 'POST', '/api/boxes', { body: { label: 'first' } })
  })
  const retry = {
    sqlite: { code: 'SQLITE_BUSY' },
    postgres: { code: '40001' },
    mysql: { code: 'ER_LOCK_DEADLOCK', errno: 1213 },
  }[db.name]
  const lost = {
    sqlite: { code: 'SQLITE_IOERR' },
    postgres: { code: '57P01' },
    mysql: { code: 'PROTOCOL_CONNECTION_LOST' },
  }[db.name]

  test('a retryable error is retried in a transaction', async () => {
    const post = interrupted(db, 'insert', failing(retry))
    const created = await send(post.api, 'POST', '/api/boxes', { body: { label: 'again' } })
    equal([created.status, created.value.label], [201, 'again'])
    ok(post.seen.includes('insert'))
    const url = created.headers.location ?? ''
    const patch = interrupted(db, 'update', failing(retry))
    equal((await send(patch.api, 'PATCH', url, { body: { label: 'once more' } })).status, 200)
    equal((await send(interrupted(db, 'update', failing(retry)).api, 'DELETE', url)).status, 200)
    equal((await get(api, '/api/boxes?label__eq=again')).total, 0)
  })

  test('a write that may have been stored is never repeated', async () => {
    const { api: away, seen } = interrupted(db, 'insert', failing(lost))
    equal((await send(away, 'POST', '/api/boxes', { body: { label: 'lost' } })).status, 503)
    equal(seen.filter((word) => word === 'insert').length, 1)
    const patch = interrupted(db, 'update', failing(lost))
    equal((await send(patch.api, 'PATCH', '/api/boxes/1', { body: { label: 'x' } })).status, 503)
    equal(patch.seen.filter((word) => word === 'update').length, 1)
  })

  test('soft delete is one statement, after which the record cannot be changed', async () => {
    const { headers } = await send(api, 'POST', '/api/boxes', { body: { label: 'to go' } })
    const url = headers.location ?? ''
    const { result, statements } = await db.capture(() => send(api, 'DELETE', url))
    equal([result.status, statements.length], [200, db.name === 'mysql' ? 5 : 1])
    for (const [method, body] of [['PATCH', { label: 'back' }], ['DELETE']] as const) {
      equal((await send(api, method, url, { body })).status, 404)
    }
    equal((await send(api, 'POST', '/api/boxes', { body: { label: 'to go' } })).status, 409)
  })

  test('referring records are looked up first', async () => {
    const { value } = await send(api, 'POST', '/api/crates', { body: { label: 'with a lid' } })
    await send(api, 'POST', '/api/lids', { body: { label: 'lid', crate_id: value.id } })
    equal((await send(api, 'DELETE', `/api/crates/${value.id}`)).status, 409)
    equal((await send(api, 'DELETE', '/api/lids/1')).status, 200)
    equal((await send(api, 'DELETE', `/api/crates/${value.id}`)).status, 200)
  })

  test('a deferred constraint refuses the write, too', async () => {
    // Only one database has deferrable unique keys; two have deferrable foreign keys.
    const waits = ' references shelves (id) deferrable initially deferred'
    const reference = db.name === 'mysql' ? ', foreign key (shelf_id) references shelves (id)' : ''
    await sql
      .raw(`create table slots (
        id integer primary key, shelf_id integer ${reference === '' ? waits : ''}${reference})`)
      .execute(db.kysely)
    const Slot = defineModel('Slot', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        shelf_id: { type: 'integer', nullable: true },
      },
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      meta: {},
    })
    const own = testApi(db, [Slot, Shelf])
    equal((await send(own, 'POST', '/api/slots', { body: { id: 1, shelf_id: 99 } })).status, 422)
    equal((await send(own, 'POST', '/api/slots', { body: { id: 1 } })).status, 201)
    equal((await send(own, 'PATCH', '/api/slots/1', { body: { shelf_id: 99 } })).status, 422)
    equal((await get(own, '/api/slots')).value, [{ id: 1, shelf_id: null, shelf: null }])
  })

  test('a write that a trigger replaces is executed once', async () => {
    if (db.name !== 'postgres') return
    await db.execScript(`
      create table moderated (id integer generated by default as identity primary key, label text not null, stamp text);
      create table queue (what text);
      insert into moderated (label) values ('first');
      create function ask_first() returns trigger language plpgsql as $$ begin
        insert into queue values (tg_op); return null; end $$;
      create trigger ask_first before insert or update or delete on moderated
        for each row execute function ask_first();`)
    const models = [table('Moderated', { table: 'moderated', meta: { endpoint: 'moderated' } })]
    const outcomes = []
    const quiet = { onError: () => {} }
    for (const options of [{ ...quiet, dialect: plainDialect(db.kysely) }, quiet]) {
      const own = testApi(db, models, {}, options)
      await sql`delete from queue`.execute(db.kysely)
      const body = { label: 'second' }
      const statuses = []
      for (const [method, url] of [
        ['PATCH', '/api/moderated/1'],
        ['DELETE', '/api/moderated/1'],
        ['POST', '/api/moderated'],
      ] as const) {
        statuses.push((await send(own, method, url, method === 'DELETE' ? {} : { body })).status)
      }
      const { rows } = await sql`select what from queue`.execute(db.kysely)
      outcomes.push({ statuses, rows })
    }
    equal(outcomes[1], outcomes[0])
  })

  test('a new record without any value', async () => {
    const Empty = defineModel('Empty', { table: 'empties', columns: { id }, meta: {} })
    await createTables(db, [Empty])
    equal((await send(testApi(db, [Empty]), 'POST', '/api/empties', { body: {} })).status, 201)
  })

  test('with a dialect that allows no single statements every write takes a transaction', async () => {
    const plain = testApi(db, boxes, {}, { dialect: plainDialect(db.kysely) })
    const write = () => send(plain, 'PATCH', '/api/boxes/1', { body: { label: 'another' } })
    await plain.ready
    equal((await db.capture(write)).statements.length, db.name === 'mysql' ? 6 : 5)
  })

  if (db.name === 'mysql') readAfterwards(test, db)
})

/** Tests for MySQL and MariaDB only: a write returns no row, so a separate statement reads it. */
function readAfterwards(test: Test, db: TestDatabase): void {
  const own = detectDialect(db.kysely)
  const options = { dialect: readBackDialect(own) }
  const api = testApi(db, boxes, {}, options)
  const gone = async (read: () => Promise<unknown>) => {
    await sql`delete from boxes where label = 'short'`.execute(db.kysely)
    return read()
  }
  const racing = interrupted.bind(undefined, db, 'select `boxes`.`id`', gone, options)
  const body = { label: 'short' }

  test('two statements, the second under a lock', async () => {
    await api.ready
    equal(await written(db, api, ['POST', '/api/boxes', { label: 'one' }]), 2)
    equal(await written(db, api, ['PATCH', '/api/boxes/1', { label: 'two' }]), 2)
    const change = () => send(api, 'PATCH', '/api/boxes/1', { body: { label: 'three' } })
    const { statements } = await db.capture(change)
    ok(statements[1]?.sql.endsWith(' for update'))
  })

  test('a new record that is deleted before it is read returns null', async () => {
    const answer = await send(racing().api, 'POST', '/api/boxes', { body })
    equal([answer.status, answer.value], [201, null])
  })

  test('a changed record that is deleted before it is read is 404', async () => {
    const { headers } = await send(api, 'POST', '/api/boxes', { body })
    const answer = await send(racing().api, 'PATCH', headers.location ?? '', { body })
    equal(answer.status, 404)
  })
}
