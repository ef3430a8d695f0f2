/** Columns of type opaque: types that only one database has, returned as text, read-only, without filters or order. */
import { type AnyModel, type Api, createApi, defineModel } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { read, refuses, succeeds } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

interface Sample {
  readonly table: string
  readonly row: string
  readonly served: Readonly<Record<string, string>>
}

const samples: Readonly<Record<'sqlite' | 'postgres' | 'mysql', Sample>> = {
  sqlite: {
    table: 'odd any_thing, mixed money, bytes whatever',
    row: "1.5, 'x', x'00ff'",
    served: { odd: '1.5', mixed: 'x', bytes: "X'00FF'" },
  },
  postgres: {
    table: `address inet, period interval, page xml, span int4range, digits bit(5), cost money, place point,
      spot gis.geometry, words tsvector, paired pair`,
    row: `'10.0.0.1/8', '1 day 02:00', '<a>é</a>', '[1,5)', '00101', 12.5, '(1,2)', row(1.5, -2), 'a b', row(1, 'x')`,
    served: {
      address: '10.0.0.1/8',
      period: '1 day 02:00:00',
      page: '<a>é</a>',
      span: '[1,5)',
      digits: '00101',
      cost: '$12.50',
      place: '(1,2)',
      spot: 'POINT(1.5 -2)',
      words: "'a' 'b'",
      paired: '(1,x)',
    },
  },
  mysql: {
    table: "flags set('x','y','z'), digits bit(5), place point, area polygon",
    row: `'x,z', b'101', point(1.5, -2), st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))')`,
    served: {
      flags: 'x,z',
      digits: '00101',
      place: 'POINT(1.5 -2)',
      area: 'POLYGON((0 0,1 0,1 1,0 0))',
    },
  },
}

/** Like PostGIS: a type in a separate schema, and the function that converts it to text. */
const before = {
  sqlite: '',
  mysql: '',
  postgres: `
    create type pair as (a int, b text);
    create schema gis;
    create type gis.geometry as (x float8, y float8);
    create function gis.st_astext(gis.geometry) returns text language sql immutable
      as $$ select 'POINT(' || ($1).x || ' ' || ($1).y || ')' $$;`,
}

eachDatabase('opaque values', (test, db) => {
  const { table, row, served } = samples[db.name]
  const nothing = Object.fromEntries(Object.keys(served).map((name) => [name, null]))
  const fields = Object.keys(served)
  const [first = ''] = fields
  let found: Introspection
  test.before(async () => {
    await db.execScript(`${before[db.name]}
      create table things (id int primary key, name varchar(20), ${table});`)
    // For SQLite, introspection would depend on the stored values.
    found = await introspect(db.kysely)
    await db.execScript(`
      insert into things values (1, 'one', ${row});
      insert into things (id, name) values (2, 'two');`)
  })
  const models = (): AnyModel[] => found.models.map((model) => ({ ...model, meta: {} }))
  const api = (): Api => testApi(db, models())

  test('introspect publishes them with a warning', () => {
    equal(
      fields.map((field) => found.models[0]?.columns[field]),
      fields.map(() => ({ type: 'opaque', nullable: true, readOnly: true })),
    )
    for (const { note } of found.notes) {
      match(note, 'so it is served as text and cannot be written')
    }
    equal(
      found.notes.map(({ column }) => column),
      fields,
    )
  })

  test('they are served as text', async () => {
    equal(await read(api(), '/api/things'), [
      { id: 1, name: 'one', ...served },
      { id: 2, name: 'two', ...nothing },
    ])
    equal(await read(api(), '/api/things/1'), { id: 1, name: 'one', ...served })
  })

  test('they can be filtered by isnull alone', async () => {
    const things = api()
    for (const field of fields) {
      equal((await read(things, `/api/things?${field}__isnull=true`)).length, 1)
      equal((await read(things, `/api/things?${field}__isnull=false`))[0].id, 1)
    }
    await refuses(things, `/api/things?${first}__eq=1`, {
      code: 'operator_not_for_type',
      says: [`"eq" cannot be used on ${first}, which is of type opaque. Operators for it: isnull.`],
    })
    await refuses(things, `/api/things?${first}__like=1`, { code: 'operator_not_for_type' })
  })

  test('they have no order, groups or sums', async () => {
    const things = testApi(db, models(), { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
    for (const query of [`order_by=${first}`, `groupby=${first}`, `${first}__max=1`]) {
      await refuses(things, `/api/things?${query}`, { says: [first] })
    }
    equal(await read(things, `/api/things?${first}__count=1`), [{ [`${first}_count`]: 1 }])
  })

  test('they are read-only, and what was read may be sent back', async () => {
    const things = api()
    const stored = await read(things, '/api/things/1')
    const back = await send(things, 'PATCH', '/api/things/1', { body: { ...stored, name: 'uno' } })
    equal([back.status, back.value], [200, { ...stored, name: 'uno' }])
    const changed = await send(things, 'PATCH', '/api/things/1', { body: { [first]: 'other' } })
    equal([changed.status, changed.errors.reason], [400, { [first]: ['This field is read-only.'] }])
    const created = await send(things, 'POST', '/api/things', { body: { id: 3, name: 'three' } })
    equal([created.status, created.value], [201, { id: 3, name: 'three', ...nothing }])
    equal((await send(things, 'DELETE', '/api/things/3')).status, 200)
  })

  test('their text is part of the ETag', async () => {
    const things = api()
    const { headers } = await succeeds(things, '/api/things/1')
    const again = await send(things, 'GET', '/api/things/1', {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    equal(again.status, 304)
  })

  test('declaring them without readOnly, or as a key, is an error', () => {
    const problem = (column: object): string => {
      try {
        const columns = {
          id: { type: 'integer', primaryKey: true },
          x: { type: 'opaque', ...column },
        }
        const model = defineModel('Thing', { columns: columns as never, meta: {} })
        createApi({ db: db.kysely, models: [model as never] })
        return ''
      } catch (error) {
        return String(error)
      }
    }
    match(problem({}), 'a column of type opaque is only read: add readOnly: true.')
    match(problem({ readOnly: true, primaryKey: true }), 'a column of type opaque cannot be a key.')
    equal(problem({ readOnly: true }), '')
  })
})
