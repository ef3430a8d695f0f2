/** Values: JSON forms, strict conversion for each type, refusals, and the same bytes on every database. */
import { defineModel } from '@model-api/core'
import { sql } from 'kysely'
import {
  type FilterOperator,
  filterOperators,
} from '../../packages/core/src/model/query-words/operators.ts'
import { testApi } from '../support/api.ts'
import { equal, notEqual } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { column, read, refuses, succeeds } from '../support/expect.ts'
import { eachDatabase, notRun, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Sample = defineModel('Sample', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    n: { type: 'integer', nullable: true },
    big: { type: 'bigint', nullable: true },
    f: { type: 'float', nullable: true },
    d: { type: 'decimal', precision: 12, scale: 3, nullable: true },
    b: { type: 'boolean', nullable: true },
    s: { type: 'string', maxLength: 100, nullable: true },
    t: { type: 'text', nullable: true },
    day: { type: 'date', nullable: true },
    at: { type: 'datetime', nullable: true },
    time: { type: 'time', nullable: true },
    u: { type: 'uuid', nullable: true },
    j: { type: 'json', nullable: true },
    raw: { type: 'binary', nullable: true },
    e: { type: 'enum', enum: ['north', 'South', 'east'], nullable: true },
    wide: { type: 'decimal', precision: 30, scale: 10, storage: 'text', nullable: true },
  },
  meta: {},
})

const one = {
  n: 2_147_483_647,
  big: '-9223372036854775808',
  f: 0.1,
  d: '-123456789.125',
  b: true,
  s: 'Ünïcödé 🦉 "quoted" \\ 100% _',
  t: 'line one\nline two\ttab',
  day: '0001-01-01',
  at: '1969-12-31T23:59:59.999Z',
  time: '23:59:59',
  u: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
  j: { z: 1, a: [true, null, 'é'], '10': 1.5, ä: {} },
  raw: 'AP/+QQ==',
  e: 'South',
  wide: '12345678901234567890.0123456789',
}

const rows = [
  { id: 1, ...one },
  {
    id: 2,
    n: -5,
    big: '9223372036854775807',
    f: -1e-300,
    d: '0.000',
    b: false,
    s: '',
    t: '',
    day: '9999-12-31',
    at: '2024-02-29T12:00:00.000Z',
    time: '00:00:00',
    u: '00000000-0000-0000-0000-000000000000',
    j: [],
    raw: '',
    e: 'north',
    wide: '-0.5',
  },
  { id: 3 },
  {
    id: 4,
    n: 0,
    big: '0',
    f: 1e21,
    d: '100.100',
    s: 'a',
    at: '2024-07-01T00:00:00.123Z',
    day: '2024-07-01',
    j: 'text',
    e: 'east',
  },
  { id: 5, s: 'A', f: 3, j: 12, u: 'ffffffff-0000-0000-0000-000000000000' },
]

const setUp = async (db: Parameters<typeof createTables>[0]): Promise<void> => {
  await createTables(db, [Sample])
  await insertRows(db, Sample, rows)
}

const config = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('contract: JSON forms', (test, db) => {
  test.before(() => setUp(db))
  const api = testApi(db, [Sample], config)

  test('integer and float are numbers; bigint and decimal strings, exact, with the column’s scale', async () => {
    const value = await read(api, '/api/samples?fields=n,big,f,d&id__in=(1,2,4)')
    equal(value, [
      { n: 2147483647, big: '-9223372036854775808', f: 0.1, d: '-123456789.125' },
      { n: -5, big: '9223372036854775807', f: -1e-300, d: '0.000' },
      { n: 0, big: '0', f: 1e21, d: '100.100' },
    ])
  })

  test('a float that is not finite is null', async () => {
    // MySQL and MariaDB cannot store one.
    const stored = { sqlite: ['9e999', '-9e999'], postgres: ["'NaN'", "'Infinity'"], mysql: [] }
    for (const [i, text] of stored[db.name].entries()) {
      const id = 91 + i
      await db.execScript(`insert into samples (id, f) values (${id}, ${text})`)
      equal(await read(api, `/api/samples/${id}?fields=id,f`), { id, f: null })
      equal(await read(api, `/api/samples?id__eq=${id}&fields=f`), [{ f: null }])
      equal(await read(api, `/api/samples?id__eq=${id}&f|hi__max=1`), [{ hi: null }])
      await db.execScript(`delete from samples where id = ${id}`)
    }
  })

  test('boolean is true or false, null is null', async () => {
    equal(await column(api, '/api/samples', 'b'), [true, false, null, null, null])
    const empty = await read(api, '/api/samples/3')
    for (const key of Object.keys(one)) equal(empty[key], null, key)
  })

  test('date, datetime in UTC with milliseconds, time', async () => {
    const value = await read(api, '/api/samples?fields=day,at,time&id__lt=3')
    equal(value, [
      { day: '0001-01-01', at: '1969-12-31T23:59:59.999Z', time: '23:59:59' },
      { day: '9999-12-31', at: '2024-02-29T12:00:00.000Z', time: '00:00:00' },
    ])
  })

  test('json with its keys sorted by code point', async () => {
    const { text } = await succeeds(api, '/api/samples/1?fields=j')
    equal(text.includes('{"10":1.5,"a":[true,null,"é"],"z":1,"ä":{}}'), true, text)
    equal(await column(api, '/api/samples?id__gt=3', 'j'), ['text', 12])
  })

  test('binary is base64, uuid and enum text', async () => {
    const [first, second] = await read(api, '/api/samples?fields=raw,u,e&id__lt=3')
    equal(first, { raw: 'AP/+QQ==', u: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01', e: 'South' })
    equal(second.raw, '')
  })

  test('text with any characters', async () => {
    equal(await read(api, '/api/samples/1?fields=s,t'), { s: one.s, t: one.t })
    equal(
      await column(
        api,
        `/api/samples?s__eq=${encodeURIComponent(`"${'Ünïcödé 🦉 \\"quoted\\" \\\\ 100% _'}"`)}`,
      ),
      [1],
    )
    equal(await column(api, `/api/samples?s__eq=${encodeURIComponent(one.s)}`), [1])
  })

  test('a decimal stored as text is exact; order, ranges and aggregates on it are 400', async () => {
    equal(await read(api, '/api/samples/1?fields=wide'), {
      wide: '12345678901234567890.0123456789',
    })
    equal(await column(api, '/api/samples?wide__isnull=false'), [1, 2])
    for (const query of ['order_by=wide', 'wide__gt=1', 'wide__sum=1', 'wide__max=1'])
      await refuses(api, `/api/samples?${query}`)
  })

  test('order is by value: numbers, points in time, enum and uuid as text', async () => {
    const by = (name: string) => column(api, `/api/samples?order_by=${name}&${name}__isnull=false`)
    equal(await by('f'), [2, 1, 5, 4])
    equal(await by('d'), [1, 2, 4])
    equal(await by('big'), [1, 4, 2])
    equal(await by('e'), [1, 4, 2])
    equal(await by('u'), [2, 1, 5])
    equal(await by('s'), [2, 5, 4, 1])
    equal(await by('at'), [1, 2, 4])
    equal(await by('time'), [2, 1])
    equal(await by('day'), [1, 4, 2])
    equal(await by('b'), [2, 1])
  })
})

eachDatabase('contract: conversion', (test, db) => {
  test.before(() => setUp(db))
  const api = testApi(db, [Sample], config)

  const accepted: readonly (readonly [filter: string, ids: readonly number[]])[] = [
    ['n__eq=2147483647', [1]],
    ['n__eq=-5', [2]],
    ['n__eq=-0', [4]],
    ['n__eq=9007199254740991', []],
    ['big__eq=-9223372036854775808', [1]],
    ['big__eq=9223372036854775807', [2]],
    ['f__eq=0.1', [1]],
    ['f__eq=1e21', [4]],
    ['f__eq=1000000000000000000000', [4]],
    ['f__eq=3.0', [5]],
    ['d__eq=100.1', [4]],
    ['d__eq=0100.10', [4]],
    ['d__eq=-0', [2]],
    ['d__lt=-123456789.124', [1]],
    ['b__eq=yes', [1]],
    ['b__eq=1', [1]],
    ['b__eq=no', [2]],
    ['b__in=(true,0)', [1, 2]],
    ['day__eq=0001-01-01', [1]],
    ['day__between=(2024-01-01,9999-12-31)', [2, 4]],
    ['at__eq=2024-02-29T12:00:00Z', [2]],
    ['at__eq=2024-02-29T12:00', [2]],
    ['at__eq=2024-02-29T14:00:00%2B02:00', [2]],
    ['at__eq=2024-02-29T14:00:00+02:00', [2]],
    ['at__eq=2024-02-29T07:00:00.000-05:00', [2]],
    ['at__eq=2024-07-01T00:00:00.123Z', [4]],
    ['at__lt=1970-01-01', [1]],
    ['at__ge=2024-07-01', [4]],
    ['time__eq=23:59:59', [1]],
    ['time__eq=00:00', [2]],
    ['u__eq=3F2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01', [1]],
    ['e__eq=South', [1]],
    ['e__in=(north,east)', [2, 4]],
    ['s__eq=a', [4]],
    ['s__eq=', [2]],
    ['t__like=two', [1]],
  ]
  for (const [filter, ids] of accepted) {
    test(`${filter} is understood`, async () => {
      equal(await column(api, `/api/samples?${filter}`), ids)
    })
  }

  const refused: readonly (readonly [filter: string, value: string, expected: string])[] = [
    ['n__eq=1.5', '1.5', 'a whole number'],
    ['n__eq=1e3', '1e3', 'a whole number'],
    ['n__eq=0x10', '0x10', 'a whole number'],
    ['n__eq=', '', 'a whole number'],
    ['n__eq=%201', ' 1', 'a whole number'],
    ['n__eq=%D9%A1', '١', 'a whole number'],
    [
      'n__eq=9007199254740992',
      '9007199254740992',
      'between -9007199254740991 and 9007199254740991',
    ],
    ['big__eq=18446744073709551616', '18446744073709551616', '64 bits'],
    ['big__eq=1.0', '1.0', '64 bits'],
    ['f__eq=abc', 'abc', 'a number'],
    ['f__eq=NaN', 'NaN', 'a number'],
    ['f__eq=Infinity', 'Infinity', 'a number'],
    ['f__eq=1e999', '1e999', 'a number that fits 64 bits'],
    ['f__eq=1,5', '1,5', 'a number'],
    ['d__eq=1.2345', '1.2345', 'at most 3 digits after the point'],
    ['d__eq=1234567890', '1234567890', 'at most 9 digits before the point'],
    ['d__eq=1e2', '1e2', 'a decimal number'],
    ['b__eq=TRUE', 'TRUE', 'true or false'],
    ['b__eq=2', '2', 'true or false'],
    ['day__eq=2024-2-9', '2024-2-9', 'a date such as'],
    ['day__eq=2023-02-29', '2023-02-29', 'a date such as'],
    ['day__eq=2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z', 'a date such as'],
    ['at__eq=yesterday', 'yesterday', 'a date and time such as'],
    ['at__eq=2024-01-01T25:00:00Z', '2024-01-01T25:00:00Z', 'a date and time'],
    ['at__eq=2024-01-01T10:00:00.0001Z', '2024-01-01T10:00:00.0001Z', 'to the millisecond'],
    ['at__eq=2024-01-01T10:00:00+24:00', '2024-01-01T10:00:00 24:00', 'a date and time'],
    ['at__eq=2024-01-01T10:00:00%2B02:60', '2024-01-01T10:00:00+02:60', 'a date and time'],
    ['at__eq=1704067200', '1704067200', 'a date and time'],
    ['time__eq=23:60:00', '23:60:00', 'a time such as'],
    ['u__eq=3f2b8c1e', '3f2b8c1e', 'a UUID such as'],
    ['e__eq=west', 'west', 'one of north, South, east'],
    ['e__eq=south', 'south', 'one of north, South, east'],
  ]
  for (const [filter, value, expected] of refused) {
    test(`${filter} is refused: names the field, quotes the value, says what was expected`, async () => {
      const [name = ''] = filter.split('__')
      await refuses(api, `/api/samples?${filter}`, {
        says: [`"${value}" is not a value of ${name}: expected `, expected],
        at: filter,
        code: 'invalid_value',
      })
    })
  }

  const equality = 'eq ne in nin isnull'
  const ordered = `${equality} lt le gt ge between`
  const texts = `${ordered} like ilike nlike nilike startswith istartswith endswith iendswith`
  const operatorsOf: Readonly<Record<string, string>> = {
    n: ordered,
    big: ordered,
    f: ordered,
    d: ordered,
    b: equality,
    s: texts,
    t: texts,
    day: ordered,
    at: ordered,
    time: ordered,
    u: ordered,
    j: 'isnull',
    raw: 'isnull',
    e: texts,
  }
  /** A value that rows have, of a list where the operator takes one. */
  const asked = (name: string, operator: FilterOperator): string => {
    if (operator === 'isnull') return 'true'
    const text = String(one[name as keyof typeof one]).replace(/["\\]/g, '\\$&')
    const value = encodeURIComponent(`"${text}"`)
    if (operator === 'between') return `(${value},${value})`
    return filterOperators[operator].takes === 'list' ? `(${value})` : value
  }
  for (const [name, taken] of Object.entries(operatorsOf)) {
    test(`${name} takes ${taken} and no other operator`, async () => {
      // An operator that `operatorsOf` lacks for a type must be refused.
      for (const operator of Object.keys(filterOperators) as FilterOperator[]) {
        const filter = `${name}__${operator}=${asked(name, operator)}`
        if (taken.split(' ').includes(operator)) await succeeds(api, `/api/samples?${filter}`)
        else {
          await refuses(api, `/api/samples?${filter}`, {
            says: [`"${operator}"`, ` ${name}, `],
            code: 'operator_not_for_type',
          })
        }
      }
    })
  }

  test('neq, lte and gte are other names of ne, le and ge, for every type that has these', async () => {
    for (const [operator, other] of [
      ['ne', 'neq'],
      ['le', 'lte'],
      ['ge', 'gte'],
    ] as const) {
      for (const [name, taken] of Object.entries(operatorsOf)) {
        const value = asked(name, operator)
        if (taken.split(' ').includes(operator)) {
          const ids = await column(api, `/api/samples?${name}__${operator}=${value}`)
          equal(await column(api, `/api/samples?${name}__${other}=${value}`), ids, name)
        } else await refuses(api, `/api/samples?${name}__${other}=${value}`)
      }
    }
  })

  test('an invalid item of a list is refused like a single value', async () => {
    await refuses(api, '/api/samples?n__in=(1,x)', { says: ['"x" is not a value of n'] })
    await refuses(api, '/api/samples?or[n__eq=1,day__gt=soon]', {
      says: ['"soon"'],
      at: 'day__gt=soon',
    })
  })

  test('a value that cannot be converted never reaches the database', async () => {
    await api.ready
    const { statements } = await db.capture(() => refuses(api, '/api/samples?d__gt=cheap'))
    equal(statements, [])
  })
})

eachDatabase('contract: milliseconds', (test, db) => {
  test.before(async () => {
    await setUp(db)
    const zone = db.name === 'postgres' ? '+00' : ''
    await sql`update samples set at = ${`2024-05-01 10:00:00.000400${zone}`} where id = 3`.execute(
      db.kysely,
    )
    await sql`update samples set at = ${`2024-05-01 10:00:00.000900${zone}`} where id = 5`.execute(
      db.kysely,
    )
  })
  const api = testApi(db, [Sample], config)
  const ids = (filter: string) =>
    column(api, `/api/samples?at__gt=2024-04-01&at__lt=2024-06-01&${filter}`)

  test('eq, in and ne match the whole millisecond', async () => {
    equal(await ids('at__eq=2024-05-01T10:00:00Z'), [3, 5])
    equal(await ids('at__in=(2024-05-01T10:00:00Z)'), [3, 5])
    equal(await ids('at__ne=2024-05-01T10:00:00Z'), [])
    equal(await ids('at__nin=(2024-05-01T10:00:00Z)'), [])
    equal(await ids('at__nin=(2024-05-01T10:00:00.001Z)'), [3, 5])
  })

  test('le includes the millisecond, gt begins after it', async () => {
    equal(await ids('at__le=2024-05-01T10:00:00Z'), [3, 5])
    equal(await ids('at__gt=2024-05-01T10:00:00Z'), [])
    equal(await ids('at__ge=2024-05-01T10:00:00Z'), [3, 5])
    equal(await ids('at__between=(2024-05-01T10:00:00Z,2024-05-01T10:00:00Z)'), [3, 5])
    equal(await ids('at__lt=2024-05-01T10:00:00Z'), [])
  })

  test('responses have milliseconds, and groups are by milliseconds', async () => {
    equal(await read(api, '/api/samples?id__in=(3,5)&groupby=at,id|many__count=1'), [
      { at: '2024-05-01T10:00:00.000Z', many: 2 },
    ])
  })
})

const databases = everyDatabase()
const present = databases.filter((db) => db.missing === undefined)
for (const { label, missing } of databases) {
  if (missing !== undefined) notRun(`parity with ${label}`, missing)
}

suite('contract: parity', (test) => {
  test.before(async () => {
    for (const db of present) await setUp(db)
  })
  test.after(async () => {
    for (const db of present) await db.close()
  })
  const urls = [
    '',
    ...Object.keys(one).map((name) => `fields=id,${name}&limit=100`),
    ...Object.keys(one)
      .filter((name) => !['j', 'raw', 'wide'].includes(name))
      .flatMap((name) => [
        `order_by=${name}`,
        `order_by=-${name}`,
        `groupby=${name},id|c__count=1`,
      ]),
    ...['n', 'big', 'f', 'd'].flatMap((name) => [`${name}|x__sum=1`, `${name}|x__avg=1`]),
    ...['n', 'big', 'f', 'd', 's', 't', 'day', 'at', 'time', 'u', 'e'].map(
      (name) => `${name}|lo__min=1&${name}|hi__max=1`,
    ),
    'groupby=year(day),month(at)|m,day(at)|d',
    's__ilike=%C3%9CN%C3%8FC%C3%96D%C3%89',
    's__like=%F0%9F%A6%89',
    's__gt=a',
    'or[s__eq=a,s__eq=A]',
    'nonsense__eq=1',
    's__nonsense=1',
  ]
  for (const query of urls) {
    test(`?${query} gives the same bytes on every database`, async () => {
      const texts = []
      for (const db of present) {
        const api = testApi(db, [Sample], config)
        const { body } = await api.handle({
          method: 'GET',
          url: `/api/samples?${query}`,
          headers: { 'x-request-id': 'p' },
        })
        notEqual(body?.status_code, 500)
        texts.push(JSON.stringify(body))
      }
      for (const text of texts) equal(text, texts[0])
    })
  }
})
