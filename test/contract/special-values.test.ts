/** Values outside the usual form of their type: PostgreSQL's infinity and NaN, the zero dates of MySQL and MariaDB. */
import { defineModel } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses, succeeds } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Rate = defineModel('Rate', {
  table: 'rates',
  columns: {
    id: { type: 'integer', primaryKey: true },
    day: { type: 'date', nullable: true },
    valid_to: { type: 'datetime' },
    zoned: { type: 'datetime', nullable: true },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    any_price: { type: 'decimal', nullable: true },
  },
  meta: {},
})

/** The primary key is a date. */
const Day = defineModel('Day', {
  table: 'days',
  columns: {
    day: { type: 'date', primaryKey: true },
    price: { type: 'decimal', precision: 8, scale: 2, primaryKey: true },
  },
  meta: {},
})

interface Sample {
  readonly script: string
  readonly rows: readonly object[]
  /** By column: its special values, in order, and the ids of the rows with each of them. */
  readonly ids: Readonly<Record<string, readonly (readonly [value: string, ...ids: number[]])[]>>
  readonly key: readonly [string, string]
}

const usual = {
  day: '2024-05-14',
  valid_to: '2024-05-14T10:30:00.123Z',
  zoned: '2024-05-14T10:30:00.000Z',
  price: '12.50',
  any_price: '1.5',
}

const samples: Readonly<Record<'postgres' | 'mysql', Sample>> = {
  postgres: {
    script: `
      create table rates (id int primary key, day date, valid_to timestamptz not null default 'infinity', zoned timestamptz,
        price numeric(8,2), any_price numeric);
      insert into rates values
        (1, '2024-05-14', '2024-05-14 10:30:00.123456Z', '2024-05-14 10:30:00Z', 12.5, 1.5),
        (2, 'infinity', default, '-infinity', 'NaN', 'NaN'),
        (3, '-infinity', '-infinity', 'infinity', null, '-Infinity'),
        (4, 'infinity', default, null, 'NaN', 'Infinity'),
        (5, null, default, null, null, null);
      create table days (day date, price numeric(8,2), primary key (day, price));
      insert into days values ('infinity', 'NaN'), ('2024-05-14', 1);`,
    rows: [
      { id: 1, ...usual },
      {
        id: 2,
        day: 'infinity',
        valid_to: 'infinity',
        zoned: '-infinity',
        price: 'NaN',
        any_price: 'NaN',
      },
      {
        id: 3,
        day: '-infinity',
        valid_to: '-infinity',
        zoned: 'infinity',
        price: null,
        any_price: '-Infinity',
      },
      {
        id: 4,
        day: 'infinity',
        valid_to: 'infinity',
        zoned: null,
        price: 'NaN',
        any_price: 'Infinity',
      },
      { id: 5, day: null, valid_to: 'infinity', zoned: null, price: null, any_price: null },
    ],
    ids: {
      day: [
        ['-infinity', 3],
        ['infinity', 2, 4],
      ],
      valid_to: [
        ['-infinity', 3],
        ['infinity', 2, 4, 5],
      ],
      zoned: [
        ['-infinity', 2],
        ['infinity', 3],
      ],
      price: [['NaN', 2, 4]],
      any_price: [
        ['-Infinity', 3],
        ['Infinity', 4],
        ['NaN', 2],
      ],
    },
    key: ['infinity', 'NaN'],
  },
  mysql: {
    script: `
      set sql_mode = '';
      create table rates (id int primary key, day date, valid_to datetime(6) not null, zoned timestamp null,
        price decimal(8,2), any_price decimal(8,1));
      insert into rates values
        (1, '2024-05-14', '2024-05-14 10:30:00.123456', convert_tz('2024-05-14 10:30:00', '+00:00', @@session.time_zone), 12.5, 1.5),
        (2, '0000-00-00', '0000-00-00', '0000-00-00', null, null),
        (3, '2024-05-00', '0000-00-00', null, null, null),
        (4, '0000-00-00', '2024-00-00 10:30:00.123456', null, null, null),
        (5, null, '0000-00-00', null, null, null);
      create table days (day date, price decimal(8,2), primary key (day, price));
      insert into days values ('0000-00-00', 2), ('2024-05-14', 1);`,
    rows: [
      { id: 1, ...usual },
      {
        id: 2,
        day: '0000-00-00',
        valid_to: '0000-00-00T00:00:00.000Z',
        zoned: '0000-00-00T00:00:00.000Z',
        price: null,
        any_price: null,
      },
      {
        id: 3,
        day: '2024-05-00',
        valid_to: '0000-00-00T00:00:00.000Z',
        zoned: null,
        price: null,
        any_price: null,
      },
      {
        id: 4,
        day: '0000-00-00',
        valid_to: '2024-00-00T10:30:00.123Z',
        zoned: null,
        price: null,
        any_price: null,
      },
      {
        id: 5,
        day: null,
        valid_to: '0000-00-00T00:00:00.000Z',
        zoned: null,
        price: null,
        any_price: null,
      },
    ],
    ids: {
      day: [
        ['0000-00-00', 2, 4],
        ['2024-05-00', 3],
      ],
      valid_to: [
        ['0000-00-00T00:00:00.000Z', 2, 3, 5],
        ['2024-00-00T10:30:00.123Z', 4],
      ],
      zoned: [['0000-00-00T00:00:00.000Z', 2]],
    },
    key: ['0000-00-00', '2.00'],
  },
}

eachDatabase('special values', (test, db) => {
  if (db.name === 'sqlite') {
    test('are refused by a database that has none', async () => {
      await db.execScript('create table rates (id int primary key); create table days (day text)')
      const small = testApi(db, [
        defineModel('Rate', {
          table: 'rates',
          columns: { id: { type: 'integer', primaryKey: true }, day: { type: 'date' } },
          meta: {},
        }),
      ])
      for (const value of ['infinity', '0000-00-00']) {
        await refuses(small, `/api/rates?day__eq=${value}`, { code: 'invalid_value' })
      }
    })
    return
  }
  const api = testApi(db, [Rate, Day], { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
  const { script, rows, ids, key } = samples[db.name]
  const cases = Object.entries(ids).flatMap(([name, values]) =>
    values.map(([value, ...found]) => ({ name, value, found })),
  )
  const valuesOf = (name: string): unknown[] =>
    rows.map((row) => (row as Readonly<Record<string, unknown>>)[name])
  test.before(() => db.execScript(script))

  test('are served as text, and NULL as null', async () => {
    equal(await read(api, '/api/rates'), rows)
    for (const row of rows) {
      equal(await read(api, `/api/rates/${(row as { id: number }).id}`), row)
    }
  })

  test('are found by the value that was read', async () => {
    for (const { name, value, found } of cases) {
      const at = `${name} ${value}`
      const all = rows.map((row) => (row as { id: number }).id)
      const known = all.filter((_, i) => valuesOf(name)[i] !== null)
      equal(await column(api, `/api/rates?${name}__eq=${value}`), found, at)
      equal(await column(api, `/api/rates?${name}__in=(${value},${value})`), found, at)
      equal(
        await column(api, `/api/rates?${name}__ne=${value}`),
        known.filter((id) => !found.includes(id)),
        at,
      )
      equal(
        await column(api, `/api/rates?${name}__nin=(${value})`),
        known.filter((id) => !found.includes(id)),
        at,
      )
      equal(await column(api, `/api/rates?${name}__between=(${value},${value})`), found, at)
      equal(await column(api, `/api/rates?or[id__eq=99,${name}__eq=${value}]`), found, at)
      // The same query with another value, which uses the cached statement.
      equal((await column(api, `/api/rates?${name}__eq=${valuesOf(name)[0]}`))[0], 1, at)
    }
  })

  test('are in the order of the database', async () => {
    for (const name of Object.keys(ids)) {
      const order = (await read(api, `/api/rates?order_by=${name},id`)) as Record<string, unknown>[]
      const known = order.filter((row) => row[name] !== null)
      for (const [i, row] of known.entries()) {
        const later = known.slice(i).map(({ id }) => id as number)
        const found = await column(api, `/api/rates?${name}__ge=${row[name]}&order_by=${name},id`)
        const from = found.indexOf(row.id as number)
        equal(found.slice(from), later, `${name} ${row[name]}`)
        const before = await column(api, `/api/rates?${name}__lt=${row[name]}`)
        equal(
          before.every((id) => !later.includes(id as number)),
          true,
        )
      }
    }
  })

  test('are not null', async () => {
    for (const name of Object.keys(ids)) {
      const nulls = rows.filter((_, i) => valuesOf(name)[i] === null)
      equal((await read(api, `/api/rates?${name}__isnull=true`)).length, nulls.length, name)
      equal((await read(api, `/api/rates?${name}__isnull=false`)).length, 5 - nulls.length, name)
    }
  })

  test('are groups of their own', async () => {
    for (const [name, values] of Object.entries(ids)) {
      // MySQL groups a date whose day is zero together with the zero date.
      if (db.label.startsWith('MySQL') && name === 'day') continue
      const groups = await read(api, `/api/rates?groupby=${name}&id|n__count=1&order_by=${name}`)
      for (const [value, ...found] of values) {
        equal(
          groups.filter((group: Record<string, unknown>) => group[name] === value),
          [{ [name]: value, n: found.length }],
          `${name} ${value}`,
        )
      }
      const nulls = valuesOf(name).filter((value) => value === null).length
      const none = groups.filter((group: Record<string, unknown>) => group[name] === null)
      equal(none, nulls === 0 ? [] : [{ [name]: null, n: nulls }])
    }
  })

  test('are the least or the greatest', async () => {
    for (const name of Object.keys(ids)) {
      const [answer] = await read(api, `/api/rates?${name}|low__min=1&${name}|high__max=1`)
      const [first] = await read(api, `/api/rates?order_by=${name}.nullslast&limit=1`)
      const [last] = await read(api, `/api/rates?order_by=-${name}.nullslast&limit=1`)
      equal(answer, { low: first[name], high: last[name] }, name)
    }
  })

  test('may be sent back', async () => {
    for (const { id } of rows as readonly { id: number }[]) {
      const stored = await read(api, `/api/rates/${id}`)
      const back = await send(api, 'PATCH', `/api/rates/${id}`, { body: stored })
      // The SQL mode of the server may refuse to store them.
      if (back.status === 200) equal(back.value, stored)
      else equal([back.status, back.errors.code, db.name], [422, 'value_not_storable', 'mysql'])
      if (db.name === 'postgres') equal(back.status, 200)
      equal(await read(api, `/api/rates/${id}`), stored)
    }
  })

  test('are part of URLs', async () => {
    const [first] = await read(api, '/api/days?day__ne=2024-05-14')
    equal(first, { day: key[0], price: key[1] })
    equal(await read(api, `/api/days/${key.join(',')}`), first)
    await refuses(api, `/api/days/${key[0]},7`, { status: 404 })
  })

  test('are passed by cursors', async () => {
    for (const name of Object.keys(ids)) {
      for (const order of [name, `-${name}`, `${name}.nullsfirst`]) {
        const all = await column(api, `/api/rates?order_by=${order}`)
        const seen: unknown[] = []
        let url: string | null = `/api/rates?order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length < 9) {
          const page: Answer = await get(api, url)
          seen.push(...page.value.map(({ id }: { id: number }) => id))
          url = page.body.next_url
        }
        equal(seen, all, order)
      }
    }
  })

  test('other strings are refused', async () => {
    for (const value of ['NaN', 'soon', '2024-13-01', '2024-02-30']) {
      await refuses(api, `/api/rates?day__eq=${value}`, { code: 'invalid_value' })
    }
    await refuses(api, '/api/rates?price__eq=Infinity', { code: 'invalid_value' })
    await succeeds(api, '/api/rates?day__eq=2024-02-29')
  })
})
