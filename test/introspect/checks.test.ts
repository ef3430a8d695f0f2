/** CHECK constraints, comments and defaults that introspect reads: in models, the OpenAPI document and the check at the start. */
import { type Column, createApi } from '@model-api/core'
import { type Introspection, introspect, printModels } from '@model-api/core/introspect'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from './support.ts'

const script = `
  create table customers (id {id}, code varchar(8) not null unique check (code in ('a', 'b')));
  create table orders (id {id},
    status varchar(20) default 'new' not null check (status in ('new', 'paid', 'sent')),
    spelt varchar(9) check (spelt = 'it''s' or spelt = 'so'),
    maybe varchar(9) check (maybe is null or maybe in ('yes', 'no')),
    quantity integer default 1 not null check (quantity >= 1 and quantity < 100),
    stars integer check (stars between 1 and 5),
    level integer check (level in (10, 20, 30)),
    ratio double precision default 0.5 check (ratio > 0 and ratio <= 1.5),
    price decimal(10,2) default 0 not null check (price >= 0.01),
    total bigint default 5 check (0 <= total),
    name varchar(80) check (char_length(name) <= 20 and char_length(name) >= 3),
    label varchar(80) check (label <> ''),
    active boolean default true not null,
    day date default '2020-01-01',
    made timestamp default current_timestamp,
    customer varchar(8) check (customer in ('a', 'b')),
    free varchar(20),
    refused varchar(20) check (refused not in ('x', 'y')),
    lowered varchar(20) check (lower(lowered) in ('x')),
    switched varchar(20),
    tested varchar(20) check (tested in ('x', null)),
    until integer, since integer, note varchar(20),
    check (since < until), check (free in ('x', 'y') or price > 5),
    check ((case when price > 5 then switched in ('x') else true end) = true),
    constraint note_known check (note in ('one', 'two')),
    constraint note_short check (note in ('two', 'three')),
    foreign key (customer) references customers (code));
  create view open_orders as select id, status from orders where status <> 'sent';`

const config = { API_SCHEMA_CHECK: 'off' } as const
const onWarning = (): void => {}

const optional = { nullable: true } as const

/** The columns of `orders`, the same on every database except for those listed by database. */
const expected: Readonly<Record<string, Column>> = {
  id: { type: 'integer', primaryKey: true, generated: true },
  status: {
    type: 'enum',
    enum: ['new', 'paid', 'sent'],
    hasDefault: true,
    databaseDefault: 'new',
  },
  spelt: { type: 'enum', enum: ["it's", 'so'], ...optional },
  maybe: { type: 'enum', enum: ['yes', 'no'], ...optional },
  quantity: {
    type: 'integer',
    minimum: 1,
    exclusiveMaximum: 100,
    hasDefault: true,
    databaseDefault: 1,
  },
  stars: { type: 'integer', minimum: 1, maximum: 5, ...optional },
  level: { type: 'integer', minimum: 10, maximum: 30, ...optional },
  ratio: {
    type: 'float',
    exclusiveMinimum: 0,
    maximum: 1.5,
    ...optional,
    hasDefault: true,
    databaseDefault: 0.5,
  },
  price: {
    type: 'decimal',
    precision: 10,
    scale: 2,
    minimum: 0.01,
    hasDefault: true,
    databaseDefault: '0.00',
  },
  total: { type: 'bigint', minimum: 0, ...optional, hasDefault: true, databaseDefault: '5' },
  name: { type: 'string', minLength: 3, maxLength: 20, ...optional },
  label: { type: 'string', minLength: 1, maxLength: 80, ...optional },
  active: { type: 'boolean', hasDefault: true, databaseDefault: true },
  day: { type: 'date', ...optional, hasDefault: true, databaseDefault: '2020-01-01' },
  made: { type: 'datetime', ...optional, hasDefault: true },
  customer: { type: 'string', maxLength: 8, ...optional },
  free: { type: 'string', maxLength: 20, ...optional },
  refused: { type: 'string', maxLength: 20, ...optional },
  lowered: { type: 'string', maxLength: 20, ...optional },
  switched: { type: 'string', maxLength: 20, ...optional },
  tested: { type: 'string', maxLength: 20, ...optional },
  until: { type: 'integer', ...optional },
  since: { type: 'integer', ...optional },
  note: { type: 'enum', enum: ['two'], ...optional },
}

/** The default order of text in PostgreSQL is that of its collation. */
const withoutCollation = (columns: Readonly<Record<string, Column>>) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { collation: _, ...column }]) => [name, column]),
  )

eachDatabase('introspect: CHECK constraints', (test, db) => {
  let found: Introspection
  const columns = (name: string): Readonly<Record<string, Column>> =>
    found.models.find((model) => model.name === name)?.columns ?? {}

  test.before(async () => {
    // SQLite's function for the length has another name.
    const text = db.name === 'sqlite' ? script.replaceAll('char_length(', 'length(') : script
    await createTables(db, text)
    found = await introspect(db.kysely)
  })

  test('lists of values are enums, bounds and lengths are limits, constants are defaults', () => {
    equal(withoutCollation(columns('Order')), expected)
  })

  test('key columns keep their type, so that both sides of a relation have the same type', () => {
    const code = withoutCollation(columns('Customer')).code
    equal(code, { type: 'string', maxLength: 8, unique: true })
  })

  test('a view takes them from its table', () => {
    equal(columns('OpenOrder').status?.enum, ['new', 'paid', 'sent'])
  })

  test('are printed', () => {
    const text = printModels(found.models)
    match(text, /status: \{\s*type: 'enum',\s*enum: \['new', 'paid', 'sent'\],/)
    match(text, /stars: \{ type: 'integer', minimum: 1, maximum: 5, nullable: true \}/)
    match(text, /databaseDefault: 'new'/)
  })

  test('are in the document, and do not differ from the database', async () => {
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    const api = createApi({ db: db.kysely, models, config, onWarning })
    equal(await api.schemaDifferences(), [])
    const schemas = (await api.openapi()).components?.schemas ?? {}
    const members = (name: string) =>
      (schemas[name] as { properties: Record<string, Record<string, unknown>> }).properties
    const create = members('NewOrder')
    equal(create.status, {
      type: 'string',
      enum: ['new', 'paid', 'sent'],
      default: 'new',
      examples: ['new'],
    })
    equal([create.stars?.minimum, create.stars?.maximum], [1, 5])
    equal([create.quantity?.exclusiveMaximum, create.quantity?.default], [100, 1])
    equal([create.name?.minLength, create.name?.maxLength], [3, 20])
    equal([create.price?.description, create.price?.default], ['At least 0.01.', '0.00'])
    equal(
      [create.active?.default, create.day?.default, create.made?.default],
      [true, '2020-01-01', undefined],
    )
    equal(members('PatchOrder').quantity?.default, undefined)
    equal(members('Order').stars?.maximum, 5)
  })

  test('a value beyond a limit is refused before it reaches the database', async () => {
    const models = found.models.map((model) => ({ ...model, meta: {} }))
    const api = createApi({ db: db.kysely, models, config, onWarning })
    const body = {
      status: 'gone',
      quantity: 0,
      stars: 6,
      ratio: 0,
      price: '0.00',
      total: '-1',
      name: 'ab',
      label: '',
    }
    const { result, statements } = await db.capture(() =>
      api.handle({
        method: 'POST',
        url: '/api/orders',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    const { errors } = JSON.parse(JSON.stringify(result.body))
    equal(result.status, 400)
    equal(errors.reason, {
      status: ['Expected one of new, paid, sent.'],
      quantity: ['Expected at least 1, got 0.'],
      stars: ['Expected at most 5, got 6.'],
      ratio: ['Expected more than 0, got 0.'],
      price: ['Expected at least 0.01, got 0.'],
      total: ['Expected at least 0, got -1.'],
      name: ['Expected at least 3 characters, got 2.'],
      label: ['Expected at least 1 character, got 0.'],
    })
    equal(statements, [])
  })

  test('a model with other members than the constraint differs from the database', async () => {
    const models = found.models.map((model) => ({
      ...model,
      ...(model.name === 'Order'
        ? {
            columns: {
              ...model.columns,
              status: { ...model.columns.status, enum: ['new', 'paid', 'lost'] } as Column,
            },
          }
        : {}),
      meta: {},
    }))
    const api = createApi({ db: db.kysely, models, config, onWarning })
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind, table, column }) => `${kind} ${table}.${column}`),
      ['enum members orders.status'],
    )
  })
})

eachDatabase('introspect: spellings that are equal under the collation', (test, db) => {
  const nocase = {
    sqlite: 'text collate nocase',
    postgres: 'text collate ci',
    mysql: 'varchar(20) collate utf8mb4_general_ci',
  }[db.name]

  test.before(async () => {
    if (db.name === 'postgres') {
      await db.execScript(
        `create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      )
    }
    await createTables(
      db,
      `create table clean (id {id}, kind ${nocase} check (kind in ('a', 'b')));
       create table odd (id {id}, kind ${nocase} check (kind in ('a', 'b')));
       insert into clean (kind) values ('a'), (null);
       insert into odd (kind) values ('a'), ('B');`,
    )
  })

  test('make an enum only if no stored value has another spelling', async () => {
    const { models, notes } = await introspect(db.kysely)
    const types = models.map(({ table, columns }) => [table, columns.kind?.type])
    equal(types, [
      ['clean', 'enum'],
      ['odd', db.name === 'mysql' ? 'string' : 'text'],
    ])
    const note = notes.find(({ table }) => table === 'odd')?.note ?? ''
    ok(note.includes('stored in another spelling'))
  })
})

const comments: Parameters<typeof eachDatabase>[1] = (test, db) => {
  test.before(() =>
    createTables(
      db,
      db.name === 'postgres'
        ? `create type mood as enum ('good', 'bad'); comment on type mood is 'How it went';
           create domain percent as integer default 3 check (value >= 0) check (value <= 100);
           comment on domain percent is 'A share';
           create table visits (id {id}, mood mood, own mood, share percent not null);
           comment on table visits is 'Visits of the shop';
           comment on column visits.own is 'Mine';
           create view moods as select mood from visits; comment on view moods is 'All moods';`
        : `create table visits (id {id}, mood varchar(20) comment 'How it went') comment 'Visits of the shop';
           create view moods as select mood from visits;`,
    ),
  )

  test('of tables and views describe their models, those of types their columns', async () => {
    const { models } = await introspect(db.kysely)
    const visits = models.find(({ table }) => table === 'visits')
    const moods = models.find(({ table }) => table === 'moods')
    equal(visits?.description, 'Visits of the shop')
    equal(moods?.description, db.name === 'postgres' ? 'All moods' : undefined)
    equal(visits?.columns.mood?.description, 'How it went')
    match(printModels(models), /description: 'Visits of the shop',/)
    const api = createApi({
      db: db.kysely,
      models: models.map((model) => ({ ...model, meta: {} })),
      config,
      onWarning,
    })
    const document = await api.openapi()
    equal(document.components?.schemas?.Visit?.description, 'Visits of the shop')
    equal(document.tags?.find(({ name }) => name === 'Visit')?.description, 'Visits of the shop')
    equal(await api.schemaDifferences(), [])
    if (db.name !== 'postgres') return
    equal(visits?.columns.own?.description, 'Mine')
    equal(visits?.columns.share, {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      hasDefault: true,
      databaseDefault: 3,
      description: 'A share',
    })
  })
}

const loose: Parameters<typeof eachDatabase>[1] = (test, db) => {
  test('are ignored', async () => {
    // MariaDB enforces all CHECK constraints.
    const ending = db.engine === 'mysql' ? ' not enforced' : ''
    await createTables(
      db,
      db.name === 'postgres'
        ? `create table loose (id {id}, kind text, size integer);
           alter table loose add constraint a check (kind in ('a')) not valid;
           alter table loose add constraint b check (size > 0) no inherit;`
        : `create table loose (id {id}, kind varchar(9) check (kind in ('a'))${ending},
             size integer check (size > 0)${ending});`,
    )
    const { models } = await introspect(db.kysely)
    const { kind, size } = models[0]?.columns ?? {}
    const read = db.engine === 'mariadb' ? [['a'], 0] : [undefined, undefined]
    equal([kind?.enum, size?.exclusiveMinimum], read)
  })
}
for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase('introspect: comments', comments, { only })
  eachDatabase('introspect: constraints that rows may break', loose, { only })
}
