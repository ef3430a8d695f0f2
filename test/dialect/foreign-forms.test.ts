/**
 * SQLite: a stored datetime, date, time, uuid or boolean in a form other than ours was filtered, sorted, grouped, paged and
 * joined as text.
 */
import { belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Event = defineModel('Event', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime', nullable: true },
    day: { type: 'date', nullable: true },
    opens: { type: 'time', nullable: true },
    code: { type: 'uuid', nullable: true },
    active: { type: 'boolean', nullable: true },
    price: { type: 'decimal', precision: 12, scale: 2, nullable: true },
    size: { type: 'integer', nullable: true },
    big: { type: 'bigint', nullable: true },
  },
  meta: {},
})

const A = '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'
const B = '4f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a02'

/** Stored by other programs in these forms: `id: [at, day, opens, code, active]` */
const stored: readonly (readonly unknown[])[] = [
  [1, '2024-01-05T10:30:00.000Z', '2024-01-05', '10:30:00', A.toUpperCase(), 'true'],
  [2, '2024-01-05 10:30:00', '2024-01-05 00:00:00', '10:30', A, 1],
  [3, '2024-01-05T12:30:00+02:00', '2024-01-05T23:00:00Z', '10:30:00.5', B, 'f'],
  [4, '2024-01-05T08:30:00.123456789-0200', '2024-01-04', '09:59:59.999Z', B.toUpperCase(), 0],
  [5, '2024-01-05', '2024-01-06', '00:00', null, 'FALSE'],
  [6, '2024-01-05T10:30', '2023-12-31T10:00', '23:59:59', null, 'T'],
  [7, '2024-01-04T23:30:00-05:00', null, '10:30:00+01', A.replace('f2b', 'F2B'), 't'],
  [8, '2024-01-05 10:30:00.1239', null, null, null, null],
  [9, null, null, null, null, false],
]

const served: Readonly<Record<string, readonly (string | boolean | null)[]>> = {
  at: [
    '2024-01-05T10:30:00.000Z',
    '2024-01-05T10:30:00.000Z',
    '2024-01-05T10:30:00.000Z',
    '2024-01-05T10:30:00.123Z',
    '2024-01-05T00:00:00.000Z',
    '2024-01-05T10:30:00.000Z',
    '2024-01-05T04:30:00.000Z',
    '2024-01-05T10:30:00.123Z',
    null,
  ],
  day: [
    '2024-01-05',
    '2024-01-05',
    '2024-01-05',
    '2024-01-04',
    '2024-01-06',
    '2023-12-31',
    null,
    null,
    null,
  ],
  opens: [
    '10:30:00',
    '10:30:00',
    '10:30:00',
    '09:59:59',
    '00:00:00',
    '23:59:59',
    '10:30:00',
    null,
    null,
  ],
  code: [A, A, B, B, null, null, A, null, null],
  active: [true, true, false, false, false, true, true, null, false],
}
const names = Object.keys(served)

const ddl = (indexed: boolean): string => `
  create table events (id integer primary key, at text, day text, opens text, code text, active, price decimal(12, 2), size integer, big bigint);
  ${indexed ? names.map((name) => `create index of_${name} on events (${name});`).join('') : ''}`

type Value = string | boolean | null

/** The ids of rows whose returned value passes the test. */
const where = (name: string, test: (value: string | boolean) => boolean): number[] =>
  (served[name] ?? []).flatMap((value: Value, i) => (value !== null && test(value) ? [i + 1] : []))

const idsOf = ({ body }: Answer): number[] => body.value.map(({ id }: { id: number }) => id)

for (const when of ['without indexes', 'with indexes', 'with indexes, stored after the start']) {
  eachDatabase(`other stored forms, ${when}`, (test, db) => {
    if (db.name !== 'sqlite') {
      test('exist in SQLite only', () => {})
      return
    }
    const api = testApi(db, [Event], { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
    test.before(async () => {
      await db.execScript(ddl(when !== 'without indexes'))
      if (when.endsWith('start')) equal((await get(api, '/api/events')).total, 0)
      for (const [id, at, day, opens, code, active] of stored) {
        await db.kysely
          .insertInto('events')
          .values({ id, at, day, opens, code, active: active === false ? 0 : active })
          .execute()
      }
    })

    test('are served in the form of their type', async () => {
      const { value } = await get(api, '/api/events')
      for (const name of names) {
        equal(
          value.map((row: Record<string, unknown>) => row[name]),
          served[name],
          name,
        )
      }
    })

    for (const name of names) {
      test(`${name}: filters`, async () => {
        const values = [...new Set(served[name])].filter((value) => value !== null)
        for (const value of values) {
          const found = async (operator: string): Promise<number[]> =>
            idsOf(await get(api, `/api/events?${name}__${operator}=${value}&order_by=id`))
          const title = `${name} ${value}`
          equal(
            await found('eq'),
            where(name, (other) => other === value),
            title,
          )
          equal(
            await found('ne'),
            where(name, (other) => other !== value),
            title,
          )
          const list = `(${value},${value})`
          equal(
            idsOf(await get(api, `/api/events?${name}__in=${list}&order_by=id`)),
            where(name, (other) => other === value),
          )
          equal(
            idsOf(await get(api, `/api/events?${name}__nin=${list}&order_by=id`)),
            where(name, (other) => other !== value),
          )
          if (name === 'active') continue
          equal(
            await found('lt'),
            where(name, (other) => other < value),
            title,
          )
          equal(
            await found('le'),
            where(name, (other) => other <= value),
            title,
          )
          equal(
            await found('gt'),
            where(name, (other) => other > value),
            title,
          )
          equal(
            await found('ge'),
            where(name, (other) => other >= value),
            title,
          )
        }
      })

      test(`${name}: long lists`, async () => {
        const [value] = (served[name] ?? []).filter((one) => one !== null)
        if (name === 'active') return
        const others = Array.from({ length: 60 }, (_, i) =>
          name === 'code'
            ? A.replace('3f2b8c1e', String(10_000_000 + i))
            : name === 'opens'
              ? `11:00:${String(i).padStart(2, '0')}`
              : `20${String(i + 30)}-01-01`,
        )
        const found = await get(api, `/api/events?${name}__in=(${[value, ...others]})&order_by=id`)
        equal(
          idsOf(found),
          where(name, (other) => other === value),
        )
      })

      test(`${name}: groups`, async () => {
        const { value } = await get(api, `/api/events?groupby=${name}&aggregate=id__count`)
        const counts = new Map<unknown, number>()
        for (const one of served[name] ?? []) counts.set(one, (counts.get(one) ?? 0) + 1)
        equal(
          new Map(value.map((row: Record<string, unknown>) => [row[name], row.id_count])),
          counts,
        )
      })

      for (const descending of [false, true]) {
        test(`${name}: cursors ${descending ? 'down' : 'up'}, and order`, async () => {
          const order = `${descending ? '-' : ''}${name}`
          const all = idsOf(await get(api, `/api/events?order_by=${order}`))
          const textAt = (id: number): string => String(served[name]?.[id - 1] ?? null)
          const known = all.filter((id) => served[name]?.[id - 1] !== null).map(textAt)
          const sorted = [...known].sort()
          equal(known, descending ? sorted.reverse() : sorted)
          const seen: number[] = []
          let url: string | null = `/api/events?order_by=${order}&limit=2&paging=cursor`
          while (url !== null && seen.length < 20) {
            const page: Answer = await get(api, url)
            equal(page.status, 200)
            seen.push(...idsOf(page))
            url = page.body.next_url
          }
          equal(seen, all)
        })
      }
    }

    test('calendar groups', async () => {
      const { value } = await get(api, '/api/events?groupby=day(at)&aggregate=id__count')
      equal(
        value.map((row: Record<string, unknown>) => [row['day(at)'], row.id_count]),
        [
          ['2024-01-05', 8],
          [null, 1],
        ],
      )
    })

    test('least and greatest', async () => {
      const { value } = await get(
        api,
        '/api/events?aggregate=at|first__min,at|last__max,day__min,opens__max',
      )
      equal(value[0], {
        first: '2024-01-05T00:00:00.000Z',
        last: '2024-01-05T10:30:00.123Z',
        day_min: '2023-12-31',
        opens_max: '23:59:59',
      })
    })
  })
}

const Maker = defineModel('Maker', {
  columns: { code: { type: 'uuid', primaryKey: true }, name: { type: 'string' } },
  relations: {
    parts: hasMany('Part', 'maker_code'),
    tags: manyToMany('Tag', { through: 'maker_tags', from: 'maker_code', to: 'tag_day' }),
  },
  meta: {},
})
const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    maker_code: { type: 'uuid', nullable: true },
  },
  relations: { maker: belongsTo('Maker', 'maker_code') },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: { day: { type: 'date', primaryKey: true } },
  relations: {
    makers: manyToMany('Maker', { through: 'maker_tags', from: 'tag_day', to: 'maker_code' }),
  },
  meta: {},
})

eachDatabase('keys in other stored forms', (test, db) => {
  if (db.name !== 'sqlite') {
    test('exist in SQLite only', () => {})
    return
  }
  const api = testApi(db, [Maker, Part, Tag], {
    API_ALLOW_JOIN: true,
    API_ALLOW_NESTED_WRITES: true,
  })
  test.before(async () => {
    await db.execScript(`
      create table makers (code text primary key, name text);
      create table parts (id integer primary key, maker_code text);
      create table tags (day text primary key);
      create table maker_tags (maker_code text, tag_day text);
      insert into makers values ('${A.toUpperCase()}', 'upper'), ('${B}', 'lower');
      insert into parts values (1, '${A}'), (2, '${A.toUpperCase()}'), (3, '${B.toUpperCase()}'), (4, null);
      insert into tags values ('2024-01-05 00:00:00'), ('2024-01-06');
      insert into maker_tags values ('${A}', '2024-01-05'), ('${B.toUpperCase()}', '2024-01-06T00:00:00');
    `)
  })

  test('match in URLs', async () => {
    equal((await get(api, `/api/makers/${A}`)).value.name, 'upper')
    equal((await get(api, `/api/makers/${B}`)).value.name, 'lower')
    equal((await get(api, '/api/tags/2024-01-05')).value.day, '2024-01-05')
  })

  test('match in embeds, joins and relation routes', async () => {
    for (const query of ['?dump=json', '?dump=dynamic&join=maker&join_type=left', '?dump=url']) {
      const { value } = await get(api, `/api/parts${query}`)
      equal(
        value.map(({ maker_code }: { maker_code: string | null }) => maker_code),
        [A, A, B, null],
      )
      if (query !== '?dump=url') {
        equal(
          value.map(({ maker }: { maker: { name: string } | null }) => maker?.name),
          ['upper', 'upper', 'lower', undefined],
          query,
        )
      }
    }
    const makers = await get(api, '/api/makers?dump=json&order_by=name')
    equal(
      makers.value.map(({ parts }: { parts: { id: number }[] }) => parts.map(({ id }) => id)),
      [[3], [1, 2]],
    )
    equal(
      makers.value.map(({ tags }: { tags: { day: string }[] }) => tags.map(({ day }) => day)),
      [['2024-01-06'], ['2024-01-05']],
    )
    equal(idsOf(await get(api, `/api/makers/${A}/parts`)), [1, 2])
    equal((await get(api, `/api/makers/${B}/tags`)).value[0].day, '2024-01-06')
    equal((await get(api, '/api/tags/2024-01-05/makers')).value[0].name, 'upper')
    equal((await get(api, '/api/parts/3/maker')).value.name, 'lower')
  })

  test('match in filters over relations', async () => {
    equal(idsOf(await get(api, '/api/parts?exists(maker.name__eq=upper)')), [1, 2])
    equal(idsOf(await get(api, '/api/parts?join=maker&maker.name__eq=lower')), [3])
    equal((await get(api, '/api/makers?exists(tags.day__eq=2024-01-05)')).value[0].name, 'upper')
    equal((await get(api, '/api/makers?missing(parts)')).total, 0)
  })

  test('match in foreign keys that are written', async () => {
    const made = await send(api, 'POST', '/api/parts', { body: { id: 5, maker_code: A } })
    equal([made.status, made.value.maker_code], [201, A])
    const changed = await send(api, 'PATCH', `/api/makers/${A}`, { body: { name: 'new' } })
    equal([changed.status, changed.value.name], [200, 'new'])
  })
})
