/** Embedded relations whose JSON the database builds: the bytes are the same as for rows that are read and serialised one by one. */
import { belongsTo, createApi, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import { CompiledQuery, sql } from 'kysely'
import { frozenClock } from '../support/api.ts'
import { askedFirst, askedTwice } from '../support/asked-twice.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Owner = defineModel('Owner', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string' },
    boss_id: { type: 'integer', nullable: true },
  },
  relations: {
    things: hasMany('Thing', 'owner_id'),
    card: hasOne('Card', 'owner_id'),
    boss: belongsTo('Owner', 'boss_id'),
    labels: manyToMany('Label', { through: 'owner_labels', from: 'owner_id', to: 'label_id' }),
  },
  meta: {},
})
const Card = defineModel('Card', {
  columns: { id: { type: 'uuid', primaryKey: true }, owner_id: { type: 'integer' } },
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id: { type: 'bigint', primaryKey: true }, text: { type: 'text' } },
  meta: {},
})
const Thing = defineModel('Thing', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    owner_id: { type: 'integer', nullable: true },
    title: { type: 'string' },
    price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
    big: { type: 'bigint', nullable: true },
    flag: { type: 'boolean', nullable: true },
    day: { type: 'date', nullable: true },
    moment: { type: 'datetime', nullable: true },
    clock: { type: 'time', nullable: true },
  },
  relations: { owner: belongsTo('Owner', 'owner_id'), parts: hasMany('Part', 'thing_id') },
  meta: {},
})
const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    thing_id: { type: 'integer' },
    note: { type: 'string', nullable: true },
  },
  relations: { thing: belongsTo('Thing', 'thing_id') },
  meta: {},
})
const models = [Owner, Card, Label, Thing, Part]

const texts = [
  'plain',
  'quote " back \\ slash /',
  'tab\tline\nreturn\r\b\f',
  '\u0001\u001f\u007f',
  'ß €😀\u2028',
  '',
  '{"',
  '[{"a":1}]',
  '\u0001?',
]

/** Values that only this database can store, or that it writes in its own way. */
const strange: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    `'NaN', 9223372036854775807, true, 'infinity', '-infinity', '24:00:00'`,
    `-0.01, -9223372036854775808, false, '0044-03-15 BC', '0044-03-15 10:00:00 BC', '00:00:00.999999'`,
    `0, 0, null, '10000-01-01', '10000-01-01 00:00:00', '23:59:59.9'`,
    `99999999.99, 1, true, '9999-12-31', '9999-12-31 23:59:59.9996', '10:30:00'`,
    `0.10, null, null, '0001-01-01', '0001-01-01 00:00:00', null`,
    `null, 7, true, '2024-02-29', '2024-02-29 12:34:56.000999', '10:30:00.5'`,
    `1.50, 7, true, null, '2024-03-31 01:30:00.1', '10:30:00'`,
  ],
  other: [
    `1.50, 7, true, '2024-02-29', '2024-02-29 12:34:56.789', '10:30:00'`,
    'null, null, null, null, null, null',
  ],
}

const config = {
  API_ALLOW_JOIN: true,
  API_SERIALIZATION_DEPTH: 3,
  API_MAX_EMBEDDED_ROWS: 60,
}

eachDatabase('embedded relations written by the database', (test, db) => {
  const { kysely } = db
  const apiOf = (more: object = {}) => {
    const options = {
      db: kysely,
      models,
      config: { API_SCHEMA_CHECK: 'off' as const, ...config, ...more },
      clock: frozenClock(),
      onWarning: () => {},
    }
    return createApi(options)
  }

  test.before(async () => {
    const zoned =
      db.name === 'postgres' ? 'timestamptz' : db.name === 'mysql' ? 'datetime(6)' : 'text'
    const time = db.name === 'mysql' ? 'time(6)' : db.name === 'postgres' ? 'time' : 'text'
    await db.execScript(`
      create table owners (id integer primary key, name varchar(80) not null, boss_id integer);
      create table cards (id ${db.name === 'postgres' ? 'uuid' : 'char(36)'} primary key, owner_id integer not null);
      create table labels (id bigint primary key, text varchar(80) not null);
      create table owner_labels (owner_id integer not null, label_id bigint not null);
      create table things (id integer primary key, owner_id integer, title varchar(80) not null, price decimal(10, 2),
        big bigint, flag boolean, day date, moment ${zoned}, clock ${time});
      create table parts (id integer primary key, thing_id integer not null, note varchar(80));
      insert into owners values (1, 'Ada', null), (2, 'Emil', 1), (3, 'Vera', 2), (4, 'Nobody', null);
      insert into cards values ('3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01', 1);
      insert into labels values (1, 'one'), (9223372036854775807, 'last');
      insert into owner_labels values (1, 1), (1, 9223372036854775807), (2, 1);`)
    const rows = strange[db.name] ?? strange.other ?? []
    let id = 0
    for (const owner of ['1', '2', 'null']) {
      for (const values of rows) {
        id += 1
        const title = texts[id % texts.length] ?? ''
        await sql`insert into things values (${id}, ${sql.raw(owner)}, ${title}, ${sql.raw(values)})`.execute(
          kysely,
        )
        await sql`insert into parts values (${id * 2}, ${id}, ${texts[(id + 3) % texts.length] ?? ''})`.execute(
          kysely,
        )
        await sql`insert into parts values (${id * 2 + 1}, ${id}, null)`.execute(kysely)
      }
    }
  })

  const urls = [
    '/api/owners?dump=json',
    '/api/owners?dump=hybrid',
    '/api/owners/1?dump=json',
    '/api/owners/4?dump=json',
    '/api/owners?dump=dynamic&join=things.parts&join_type=left',
    '/api/owners?dump=json&page=2&limit=1',
    '/api/owners?dump=json&page=2&limit=2&order_by=-name',
    '/api/owners?dump=json&things.limit=2&things.order_by=-price',
    '/api/owners?dump=json&things[flag__eq=true]&things.fields=title,price',
    '/api/things?dump=json&order_by=-id&limit=5',
    '/api/things?dump=url&fields=id',
    '/api/things?owner_id__eq=1&dump=json',
    '/api/things?owner_id__eq=2&dump=json',
    '/api/parts?dump=json&limit=3&page=3',
    '/api/cards?dump=json',
    '/api/owners?dump=json&dump_relationships=false',
  ]

  const listed = (value: unknown) => {
    const text = JSON.stringify(value)
    return Array.isArray(value) ? [...value, text] : { ...(value as object), text }
  }
  for (const [title, more] of [
    ['', {}],
    ['under another base', { API_BASE_URL: 'https://api.example.org' }],
    ['with a dump callback', { API_DUMP_CALLBACK: listed }],
    ['with a return callback', { API_RETURN_CALLBACK: listed }],
  ] as const) {
    const [fast, plain] = [askedTwice(apiOf(more)), askedFirst(() => apiOf(more))]
    for (const url of urls) {
      test(`${url} ${title}`, async () => {
        const request = { method: 'GET', url, headers: { 'x-request-id': 'test' } }
        for (const baseUrl of ['', '/mo"unted/ß', '']) {
          const mounted = { ...request, baseUrl }
          equal(await fast.answer(mounted), await plain.answer(mounted))
        }
      })
    }
  }

  test('one statement reads the record and everything embedded, if the database can write it as JSON', async () => {
    const url = '/api/owners/4?dump=json'
    for (const more of [{}, { API_DUMP_CALLBACK: listed }, { API_RETURN_CALLBACK: listed }]) {
      const request = { method: 'GET', url, headers: { 'x-request-id': 'test' } }
      const api = apiOf(more)
      await api.answer(request)
      const { result, statements } = await db.capture(() => api.answer(request))
      equal(result, await askedFirst(() => apiOf(more)).answer(request))
      // Without a boss, no relation has to be read as rows.
      equal(statements.length, db.name === 'postgres' ? 1 : 4)
    }
  })

  test('more rows than a request may embed are refused as without it', async () => {
    const few = { API_MAX_EMBEDDED_ROWS: 3 }
    const [fast, plain] = [askedTwice(apiOf(few)), askedFirst(() => apiOf(few))]
    for (const url of [
      '/api/owners?dump=json',
      '/api/owners/1?dump=json',
      '/api/owners/4?dump=json',
    ]) {
      const request = { method: 'GET', url, headers: { 'x-request-id': 'test' } }
      const answer = await fast.answer(request)
      equal(answer, await plain.answer(request))
      ok(answer.status === (url.includes('/4') ? 200 : 400), `${url} ${answer.status}`)
    }
  })

  test('nested lists are not written beyond the limit of a response', async () => {
    if (db.name !== 'postgres') return
    // Without an index or statistics, the plan may read all parts once for each thing, longer than a statement may last on a busy machine.
    await db.execScript(`
      create index parts_of_thing on parts (thing_id);
      insert into owners values (5, 'Many', null);
      insert into things (id, owner_id, title) select 1000 + i, 5, 'many' from generate_series(1, 300) i;
      insert into parts select 1000 + i, 1001 + i % 300, null from generate_series(1, 90000) i;
      analyze owners; analyze things; analyze parts;`)
    const more = { API_MAX_EMBEDDED_ROWS: 10_000 }
    const fast = apiOf(more)
    await fast.ready
    const url = '/api/owners/5?dump=dynamic&join=things.parts'
    const request = { method: 'GET', url, headers: { 'x-request-id': 'test' } }
    const planned = await fast.answer(request)
    const { result, statements } = await db.capture(() => fast.answer(request))
    equal(result, planned)
    const [first] = statements
    const { rows } = await kysely.executeQuery(
      CompiledQuery.raw(first?.sql ?? '', [...(first?.parameters ?? [])]),
    )
    const { length } = JSON.stringify(rows)
    ok(length < 10_000, `${length} characters were written`)
    await db.execScript(
      'delete from parts where id > 1000; delete from things where id > 1000; delete from owners where id = 5; drop index parts_of_thing;',
    )
  })
})
