/** A required read-only column that nothing fills is an error at the start: `ready` rejects, requests are served. */
import { type AnyModel, type ApiConfig, createApi, defineModel, hasMany } from '@model-api/core'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { send } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

type Columns = Parameters<typeof defineModel>[1]['columns']

const id = { type: 'integer', primaryKey: true } as const

/** A model of `(id, state)`, in which `state` is read-only for clients. */
const ticket = (table: string, change: Partial<AnyModel> = {}, state = {}): AnyModel =>
  defineModel('Ticket', {
    table,
    columns: { id, state: { type: 'integer', readOnly: true, ...state } } as Columns,
    meta: {},
    ...change,
  } as never)

const start = (db: Kysely<unknown>, models: readonly AnyModel[], config: ApiConfig = {}) => {
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const api = createApi({ db, models, config, onWarning, onError() {} })
  return { api, said: () => warnings.filter((text) => text.includes('The models')) }
}

const message = `Ticket.state (tickets): the field is read-only and the model allows POST, but the column state (TYPE) is NOT NULL and has no default, so no record can be created. Declare a default, generated or managed, give the column a default, set it in API_ADD_CALLBACK, or remove POST from allowed_methods.`

const columns = '(id integer not null primary key, state integer not null)'

/** Models of `tickets` that fill the column, or for which that is unknown. */
const filled: readonly (readonly [title: string, models: readonly AnyModel[], ApiConfig?])[] = [
  ['a default', [ticket('tickets', {}, { default: 1 })]],
  ['a default that is a function', [ticket('tickets', {}, { default: () => 1 })]],
  ['a callback of the model', [ticket('tickets', { meta: { add_callback: (object) => object } })]],
  [
    'a callback of a method',
    [ticket('tickets', { meta: { post_add_callback: (object) => object } })],
  ],
  ['a callback of the API', [ticket('tickets')], { API_ADD_CALLBACK: (object) => object }],
  ['no POST', [ticket('tickets', { meta: { block_methods: ['POST'] } })]],
  [
    'a parent in which new records are nested',
    [
      ticket('tickets'),
      defineModel('State', {
        columns: { id },
        relations: { tickets: hasMany('Ticket', 'state') },
        meta: { allow_nested_writes: true },
      }),
    ],
  ],
  ['schema_check: off', [ticket('tickets', { meta: { schema_check: 'off' } })]],
  ['API_SCHEMA_CHECK: off', [ticket('tickets')], { API_SCHEMA_CHECK: 'off' }],
]

eachDatabase('schema check: a read-only column that nothing fills', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table states (id integer not null primary key);
      create table tickets ${columns.replace(')', ', foreign key (state) references states (id))')};
      create table triggered ${columns};
      insert into states values (1);`),
  )

  test('ready rejects each time; requests are served, and the warning has the same message', async () => {
    const { api, said } = start(db.kysely, [ticket('tickets')])
    const type = db.name === 'sqlite' ? 'INTEGER' : db.name === 'postgres' ? 'integer' : 'int(11)'
    const error = await rejects(api.ready)
    const text = error.message.replace(/int\(11\)|\bint\b/, 'int(11)')
    match(text, message.replace('TYPE', type))
    equal(said(), [error.message])
    equal((await api.handle({ method: 'GET', url: '/api/tickets', headers: {} })).status, 200)
    const { statements } = await db.capture(() => rejects(api.ready, 'Ticket.state'))
    equal(statements, [])
  })

  test('no POST can succeed, so the report is right', async () => {
    const { api } = start(db.kysely, [ticket('tickets')])
    const { status } = await send(api, 'POST', '/api/tickets', { body: { id: 1 } })
    equal(status, 422)
  })

  test('a hidden column is a warning: only the host may write it', async () => {
    const { api, said } = start(db.kysely, [ticket('tickets', {}, { hidden: true })])
    await api.ready
    equal([said().length, said()[0]?.includes('Ticket.state')], [1, true])
  })

  test('a hidden key that its relation sets is no difference', async () => {
    const hidden = { hidden: true, readOnly: false }
    const { api, said } = start(db.kysely, [ticket('tickets', {}, hidden)])
    await api.ready
    equal(said(), [])
  })

  for (const [title, models, config] of filled) {
    test(`no error: ${title}`, async () => {
      const { api, said } = start(db.kysely, models, config)
      await api.ready
      equal(said(), [])
    })
  }

  test('error: a read-only column refuses requests as every difference does', async () => {
    const { api, said } = start(db.kysely, [ticket('tickets')], { API_SCHEMA_CHECK: 'error' })
    await rejects(api.ready, 'Ticket.state')
    equal(said(), [])
    equal((await api.handle({ method: 'GET', url: '/api/tickets', headers: {} })).status, 503)
  })

  if (db.name === 'sqlite') {
    test('a trigger cannot fill it', async () => {
      await db.execScript(`create trigger fill after insert on triggered
        begin update triggered set state = 1 where id = new.id; end`)
      await rejects(start(db.kysely, [ticket('triggered')]).api.ready, 'Ticket.state (triggered)')
    })
  } else {
    test('a trigger may fill it: a warning says so', async () => {
      await rejects(start(db.kysely, [ticket('triggered')]).api.ready, 'Ticket.state (triggered)')
      await db.execScript(
        db.name === 'postgres'
          ? `create function fill() returns trigger language plpgsql as
               $$ begin new.state := 1; return new; end $$;
             create trigger fill before insert on triggered for each row execute function fill()`
          : 'create trigger fill before insert on triggered for each row set new.state = 1',
      )
      const { api, said } = start(db.kysely, [ticket('triggered')])
      await api.ready
      match(
        said()[0] ?? '',
        'no record can be created unless the database fills it, for example by a trigger.',
      )
      const { status } = await send(api, 'POST', '/api/tickets', { body: { id: 1 } })
      equal(status, 201)
    })
  }
})

eachDatabase(
  'schema check: what may fill a column of PostgreSQL',
  (test, db) => {
    test.before(() =>
      db.execScript(`
        create function fill() returns trigger language plpgsql as
          $$ begin new.state := 1; return new; end $$;
        create schema "Other one";
        create table ruled ${columns};
        create rule fill as on insert to ruled where new.state is null do instead nothing;
        create table parts (id integer not null, state integer not null, primary key (id, state)) partition by range (id);
        create table late ${columns};
        create trigger fill after insert on late for each row execute function fill();
        create table whole ${columns};
        create trigger fill before insert on whole for each statement execute function fill();
        create table changed ${columns};
        create trigger fill before update on changed for each row execute function fill();
        create table "Other one"."Ticket ""s""" ${columns};`),
    )
    const outcome = async (model: AnyModel): Promise<string> =>
      start(db.kysely, [model]).api.ready.then(
        () => 'resolves',
        () => 'rejects',
      )
    for (const [title, model, expected] of [
      ['a rule', ticket('ruled'), 'resolves'],
      ['the trigger of a partition', ticket('parts'), 'resolves'],
      ['a trigger after the insert cannot', ticket('late'), 'rejects'],
      ['a trigger for the statement cannot', ticket('whole'), 'rejects'],
      ['a trigger of updates cannot', ticket('changed'), 'rejects'],
      [
        'a table of another schema without triggers',
        ticket('Ticket "s"', { schema: 'Other one' }),
        'rejects',
      ],
    ] as const) {
      test(title, async () => equal(await outcome(model), expected))
    }
    test('the trigger of a table in another schema', async () => {
      await db.execScript(`create trigger fill before insert or update on "Other one"."Ticket ""s"""
        for each row execute function fill()`)
      equal(await outcome(ticket('Ticket "s"', { schema: 'Other one' })), 'resolves')
    })
  },
  { only: 'postgres' },
)

const user = `filler_${process.pid}`

/** The same database with another account. */
async function connectedAs(
  db: TestDatabase,
  change: (url: URL) => void,
  use: (db: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const url = new URL(db.url ?? '')
  change(url)
  const pool = createPool({ uri: url.href, connectionLimit: 1 })
  const own = new Kysely<unknown>({ dialect: new MysqlDialect({ pool }) })
  try {
    await use(own)
  } finally {
    await own.destroy()
  }
}

eachDatabase(
  'schema check: what may fill a column of MySQL and MariaDB',
  (test, db) => {
    const accounts = [`${user}@'%'`, `${user}@localhost`]
    const each = (statement: (account: string) => string): Promise<void> =>
      db.execScript(accounts.map(statement).join(';\n'))
    const name = (): string => new URL(db.url ?? '').pathname.slice(1)

    test.before(async () => {
      await db.execScript(`
        create table tickets ${columns};
        create table members (id integer not null primary key, state enum('new', 'done') not null)`)
      await each((one) => `create user ${one} identified by 'filler'`)
      await each((one) => `grant select, insert on \`${name()}\`.* to ${one}`)
    })
    test.after(() => each((one) => `drop user ${one}`))

    const asFiller = (use: (own: Kysely<unknown>) => Promise<void>): Promise<void> =>
      connectedAs(db, (url) => Object.assign(url, { username: user, password: 'filler' }), use)

    test('a user who may not see triggers: a warning', () =>
      asFiller(async (own) => {
        const { api, said } = start(own, [ticket('tickets')])
        await api.ready
        match(said()[0] ?? '', 'unless the database fills it')
      }))

    test('a user with the TRIGGER privilege on the database: an error', async () => {
      await each((one) => `grant trigger on \`${name()}\`.* to ${one}`)
      await asFiller(async (own) => {
        await rejects(start(own, [ticket('tickets')]).api.ready, 'Ticket.state')
      })
    })

    test('a user with the TRIGGER privilege on another database: a warning', async () => {
      await each((one) => `revoke trigger on \`${name()}\`.* from ${one}`)
      await each((one) => `grant trigger on \`${name()}_2\`.* to ${one}`)
      await asFiller((own) => start(own, [ticket('tickets')]).api.ready)
    })

    test('the first member of an enum fills it', async () => {
      const members = { type: 'enum', enum: ['new', 'done'] }
      const { api } = start(db.kysely, [ticket('members', {}, members)])
      await api.ready
      const { status, value } = await send(api, 'POST', '/api/tickets', { body: { id: 1 } })
      equal([status, value.state], [201, 'new'])
    })
  },
  { only: 'mysql' },
)
