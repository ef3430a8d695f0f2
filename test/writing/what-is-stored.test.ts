/** What was stored is what was sent, or the request was refused: for declared types of each database, and in each way to write. */
import { type Column, defineModel } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

/** A declared type, the column of its model, values that it holds, and values that it would round, cut or change. */
type Case = readonly [
  declared: string,
  column: Column,
  held: readonly unknown[],
  refused: readonly unknown[],
]

const string = { type: 'string' } as const
const text = { type: 'text' } as const
const binary = { type: 'binary' } as const
const integer = { type: 'integer' } as const
const bigint = { type: 'bigint' } as const
const decimal = { type: 'decimal' } as const
const float = { type: 'float' } as const
const datetime = { type: 'datetime' } as const
const listOf = (items: 'string' | 'integer' | 'decimal' | 'float' | 'datetime'): Column => ({
  type: 'list',
  items,
})

const whole = '2024-05-14T10:30:00.000Z'
const tenth = '2024-05-14T10:30:00.100Z'
const milli = '2024-05-14T10:30:00.123Z'
const blanks = (length: number): string => `a${' '.repeat(length - 1)}`

const standard: readonly Case[] = [
  ['smallint', integer, [0, -32768, 32767], [32768, -32769, 1e9]],
  ['integer', integer, [0, 2147483647, -2147483648], [2147483648]],
  ['bigint', bigint, ['9223372036854775807', '-9223372036854775808', '0'], ['9223372036854775808']],
  ['decimal(10,1)', decimal, ['1.5', '-0.1', '999999999.9'], ['1.25', '0.04', '9999999999.9']],
  ['decimal(10,2)', float, [1.25, -0.5, 100, 1e6], [1.255, 1e-7, 0.001, 1e9]],
  ['decimal(10,0)', integer, [0, 12345], [99999999999]],
  ['decimal(30,25)', float, [1e-7, 1.5e-10, 12345], [1e-26]],
  ['double precision', float, [0.1, 1e300, -1e-300, 123456789.123], []],
  ['varchar(5)', string, ['abcde', 'abc  ', ' a', '', 'éàü€𝄞'], ['abcdef', 'abcde ', blanks(9)]],
  ['char(5)', string, ['abcde', ' a', '  abc'], ['abcdef', 'abcde ', 'abc ', ' ', blanks(4)]],
  ['char(5)', text, ['abcde'], ['abc ']],
  ['date', { type: 'date' }, ['2024-02-29', '1969-12-31', '9999-12-31'], ['2023-02-29']],
  ['time', { type: 'time' }, ['00:00:00', '23:59:59'], ['10:30:60']],
]

const serverCases = {
  postgres: [
    ['real', float, [0.1, 1e20, -123456], [16777217, 0.12345678912, 1e39]],
    ['numeric(5,-2)', decimal, ['1200', '0', '-100'], ['1250', '1', '1200.5']],
    ['numeric(5,-2)', bigint, ['1200', '0'], ['1250', '-1']],
    ['numeric(5,-2)', integer, [1200, 0], [1250, -1]],
    ['numeric(5,-2)', float, [1200, 0], [1250, -1, 0.5]],
    ['numeric(3,5)', decimal, ['0.00123'], ['0.000001', '0.1']],
    ['timestamp(0)', datetime, [whole], [tenth, milli]],
    ['timestamptz(1)', datetime, [whole, tenth], [milli]],
    ['timestamp', datetime, [whole, milli], []],
    ['name', string, ['abc', ' a '], ['a'.repeat(64), 'é'.repeat(32)]],
    ['"char"', string, ['a'], ['ab']],
    ['bpchar', string, ['abc'], ['abc ']],
    ['numeric(10,1)[]', listOf('decimal'), [['1.5', null], []], [['1.25'], ['1.5', '0.04']]],
    ['numeric(10,2)[]', listOf('float'), [[1.25]], [[1.255], [1, 1e-7]]],
    ['real[]', listOf('float'), [[0.1, -123456]], [[0.1, 16777217]]],
    ['timestamp(0)[]', listOf('datetime'), [[whole]], [[whole, milli]]],
    ['timestamptz(1)[]', listOf('datetime'), [[tenth]], [[milli]]],
    ['varchar(5)[]', listOf('string'), [['abcde', 'abc  ']], [['a', 'abcde '], ['abcdef']]],
    ['char(5)[]', listOf('string'), [['abcde', 'ab']], [['abc ']]],
    ['smallint[]', listOf('integer'), [[1, 2]], [[1, 32768]]],
    ['price', decimal, ['1.5'], ['1.25']],
    ['fine_price', decimal, ['1.5'], ['1.25']],
    ['price[]', listOf('decimal'), [['1.5']], [['1.25']]],
    ['prices', listOf('decimal'), [['1.5']], [['1.25']]],
    ['moment', datetime, [whole], [milli]],
    ['code', string, ['abcde'], ['abcde ']],
    ['padded', string, ['abcde'], ['abc ']],
    ['ratio', float, [0.1], [16777217]],
  ],
  mysql: [
    ['tinyint', integer, [-128, 127], [128]],
    ['tinyint unsigned', integer, [0, 255], [-1, 256]],
    ['int unsigned', integer, [4294967295], [-1]],
    ['bigint unsigned', bigint, ['9223372036854775807'], ['-1', '18446744073709551615']],
    [
      'bigint unsigned',
      { type: 'bigint', unsigned: true },
      ['18446744073709551615'],
      ['-1', '18446744073709551616'],
    ],
    ['decimal(10,1) unsigned', decimal, ['1.5'], ['-1.5', '1.25']],
    ['year', integer, [0, 1901, 2155], [5, 70, 99, 1900, 2156, -1]],
    ['bit(1)', { type: 'boolean' }, [true, false], []],
    ['float', float, [0.1, 1e20, -123456], [16777217, 0.12345678912, 1e39]],
    ['float(7,3)', float, [1.5, 1234.567, 0.001, -9999.999], [1.2345, 1e-7, 12345]],
    ['float(12,3)', float, [1234.567, 1.5], [1234567.891, 0.0001]],
    ['double(8,2)', float, [1.25, 123456.78], [1.255, 1e-7, 1e7]],
    ['datetime', datetime, [whole], [tenth, milli]],
    ['timestamp(1) null', datetime, [whole, tenth], [milli]],
    ['datetime(6)', datetime, [whole, milli], []],
    [
      'tinytext',
      text,
      ['a', 'a '.repeat(127), blanks(255)],
      [blanks(256), `${'é'.repeat(127)}  `, 'é'.repeat(128)],
    ],
    ['tinytext', string, ['a', `${'é'.repeat(127)} `], [blanks(300), `${'é'.repeat(127)}  `]],
    [
      'tinytext character set latin1',
      text,
      [`${'é'.repeat(253)}  `],
      [`${'é'.repeat(254)}  `, '€ł'],
    ],
    ['tinytext character set ucs2', text, [`${'é'.repeat(125)}  `], [`${'é'.repeat(126)}  `]],
    [
      'text',
      text,
      [blanks(65_535)],
      [blanks(65_536), `${'é'.repeat(32_767)}  `, 'é'.repeat(32_768)],
    ],
    ['varchar(5) character set latin1', string, ['éàü  '], ['éàüab ', 'ł']],
    ['varchar(5) collate utf8mb4_bin', string, ['abc  '], ['abcde ']],
    ['char(5) collate utf8mb4_bin', string, ['abcde'], ['abc ']],
    ['binary(3)', binary, ['AAAA', 'YWJj', 'YWIA'], ['YWI=', '', 'YWJjZA==']],
    ['varbinary(3)', binary, ['', 'YWI=', 'YWIA', 'YWIg'], ['YWJjIA==', 'YWJjAA==']],
    ['tinyblob', binary, ['YWIg'], [btoa(blanks(256))]],
    [
      "enum('small','Large')",
      { type: 'enum', enum: ['small', 'Large'] },
      ['small'],
      ['SMALL', 'small ', '1'],
    ],
  ],
  sqlite: [
    ['integer', integer, [0, -1, 2147483648, 9007199254740991], []],
    ['bigint', bigint, ['9223372036854775807', '0'], ['9223372036854775808']],
    ['real', float, [0.1, 16777217, 1e300], []],
    ['decimal(10,2)', { type: 'decimal', precision: 10, scale: 2 }, ['1.50', '-0.10'], ['1.255']],
    ['varchar(5)', string, ['abcde ', '  ', '12', '1e2'], []],
    ['char(5)', text, ['abc ', '007'], []],
    ['blob', binary, ['', 'YWIA'], []],
    ['datetime', datetime, [milli], []],
  ],
} satisfies Readonly<Record<string, readonly Case[]>>

/** One line of the comparison; long texts are shown by their length. */
const line = (declared: string, type: string, sent: unknown, then: unknown): string =>
  [declared, type, JSON.stringify(sent), JSON.stringify(then)]
    .map((part) => (part.length > 80 ? `${part.slice(0, 40)}… of ${part.length} characters` : part))
    .join(' | ')

const domains = `
  create domain price as numeric(10,1); create domain fine_price as price check (value > 0); create domain prices as numeric(10,1)[];
  create domain moment as timestamp(0); create domain code as varchar(5); create domain padded as char(5); create domain ratio as real;`

eachDatabase('what was stored is what was sent, or refused', (test, db) => {
  const cases: readonly Case[] =
    db.name === 'sqlite' ? serverCases.sqlite : [...standard, ...serverCases[db.name]]
  const columns = cases.map(([, column]) => ({ ...column, nullable: true }))
  const Thing = defineModel('Thing', {
    table: 'things',
    columns: {
      id: { type: 'integer', primaryKey: true },
      ...Object.fromEntries(columns.map((column, i) => [`c${i}`, column])),
      thingId: { type: 'integer', nullable: true, column: 'thing_id' },
    },
    relations: { parts: { kind: 'hasMany', target: 'Thing', key: 'thingId' } },
    meta: {},
  })
  const api = testApi(db, [Thing], {
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_BULK: true,
    API_ALLOW_UPSERT: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT'],
  })
  test.before(() =>
    db.execScript(`${db.name === 'postgres' ? domains : ''}
      create table things (id integer primary key, ${cases.map(([declared], i) => `c${i} ${declared}`).join(', ')}, thing_id integer)`),
  )

  let last = 0
  const next = (): number => (last += 1)
  /** Each way stores a value in the record `id`. */
  const ways: Readonly<Record<string, (id: number, values: object) => Promise<Answer>>> = {
    'a record': (id, values) => send(api, 'POST', '/api/things', { body: { id, ...values } }),
    'a list': (id, values) =>
      send(api, 'POST', '/api/things', {
        body: [{ id: next() }, { id, ...values }, { id: next(), ...values }],
      }),
    'a nested record': (id, values) =>
      send(api, 'POST', '/api/things', { body: { id: next(), parts: [{ id, ...values }] } }),
    async 'a change'(id, values) {
      await send(api, 'POST', '/api/things', { body: { id } })
      return send(api, 'PATCH', `/api/things/${id}`, { body: values })
    },
    async 'a list of changes'(id, values) {
      const ids = [id, next()]
      await send(api, 'POST', '/api/things', { body: ids.map((one) => ({ id: one })) })
      return send(api, 'PATCH', '/api/things', { body: ids.map((one) => ({ id: one, ...values })) })
    },
    async 'a change by filters'(id, values) {
      await send(api, 'POST', '/api/things', { body: { id } })
      return send(api, 'PATCH', `/api/things?id__eq=${id}`, { body: values })
    },
    'an upsert': (id, values) =>
      send(api, 'POST', '/api/things?on_conflict=id', {
        body: [
          { id, ...values },
          { id: next(), ...values },
        ],
      }),
  }

  for (const [way, write] of Object.entries(ways)) {
    test(`in ${way}`, async () => {
      const found: unknown[] = []
      const expected: unknown[] = []
      for (const [i, [declared, { type }, held, refused]] of cases.entries()) {
        for (const value of held) {
          const id = next()
          const { status, errors } = await write(id, { [`c${i}`]: value })
          const read = await get(api, `/api/things/${id}`)
          found.push(
            line(declared, type, value, status < 300 ? read.value?.[`c${i}`] : [status, errors]),
          )
          expected.push(line(declared, type, value, value))
        }
        for (const value of refused) {
          const id = next()
          const { status } = await write(id, { [`c${i}`]: value })
          const read = await get(api, `/api/things/${id}`)
          const isRefused = status === 400 || status === 422
          found.push(
            line(declared, type, value, isRefused ? 'refused' : [status, read.value?.[`c${i}`]]),
          )
          expected.push(line(declared, type, value, 'refused'))
        }
      }
      equal(found, expected)
    })
  }
})

const Counted = defineModel('Counted', {
  table: 'counted',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', nullable: true },
    parentId: { type: 'integer', nullable: true, column: 'parent_id' },
  },
  relations: {
    parent: { kind: 'belongsTo', target: 'Counted', key: 'parentId' },
    parts: { kind: 'hasMany', target: 'Counted', key: 'parentId' },
  },
  meta: {},
})

eachDatabase('the key 0 of a column with a counter', (test, db) => {
  const key = {
    sqlite: 'integer primary key',
    postgres: 'serial primary key',
    mysql: 'integer primary key auto_increment',
  }[db.name]
  const api = testApi(db, [Counted], {
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_BULK: true,
    API_ALLOW_UPSERT: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  })
  test.before(() =>
    db.execScript(`create table counted (id ${key}, name varchar(5), parent_id integer)`),
  )

  test('is stored, or refused where the database would generate another one', async () => {
    const problem = ['Expected another number than 0, for which the database generates one.']
    for (const [query, body, path] of [
      ['', { id: 0 }, 'id'],
      ['', [{ id: 1 }, { id: 0 }], '[1].id'],
      ['', { id: 1, parts: [{ id: 0 }] }, 'parts[0].id'],
      ['', { id: 1, parent: { id: 0, name: 'a' } }, 'parent.id'],
      ['?on_conflict=id', [{ id: 0, name: 'a' }], '[0].id'],
    ] as const) {
      const { status, errors } = await send(api, 'POST', `/api/counted${query}`, { body })
      const { value } = await get(api, '/api/counted?id__eq=0')
      const found = [path, status, errors?.reason, value.length]
      if (db.name === 'mysql') equal(found, [path, 400, { [path]: problem }, 0])
      else equal(found, [path, 201, undefined, 1])
      await db.execScript('delete from counted')
    }
  })

  test('of a stored record may be sent with its changes', async () => {
    await db.execScript(
      `insert into counted (id, name) values (5, 'a'); update counted set id = 0 where id = 5`,
    )
    for (const [method, url, body] of [
      ['PATCH', '/api/counted/0', { id: 0, name: 'b' }],
      ['PUT', '/api/counted/0', { id: 0, name: 'c' }],
      ['PATCH', '/api/counted', [{ id: 0, name: 'd' }]],
    ] as const) {
      const { status, errors } = await send(api, method, url, { body })
      equal([method, url, status, errors], [method, url, 200, null])
    }
    equal((await get(api, '/api/counted/0')).value.name, 'd')
  })
})

const Offer = defineModel('Offer', {
  table: 'offers',
  columns: {
    id: { type: 'integer', primaryKey: true },
    price: { type: 'decimal', default: () => '1.25' },
    code: { type: 'string', default: () => 'abcde ' },
    padded: { type: 'string', default: () => 'a ' },
    name: { type: 'string', nullable: true },
  },
  meta: {},
})

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'values of the host',
    (test, db) => {
      const api = testApi(db, [Offer], {
        API_ALLOW_BULK: true,
        API_UPDATE_CALLBACK: ({ record }) => ({ ...record, price: '2.25' }),
      })
      test.before(() =>
        db.execScript(
          'create table offers (id integer primary key, price decimal(10,1), code varchar(5), padded char(5), name varchar(5))',
        ),
      )

      test('are stored as the database rounds them, and shown as they are stored', async () => {
        const made = await send(api, 'POST', '/api/offers', { body: { id: 1 } })
        const listed = await send(api, 'POST', '/api/offers', { body: [{ id: 2 }, { id: 3 }] })
        equal([made.status, listed.status], [201, 201])
        const read = await get(api, '/api/offers/1')
        equal([made.value, made.headers.etag], [read.value, read.headers.etag])
        equal([read.value.price, read.value.code, read.value.padded], ['1.3', 'abcde', 'a'])
        equal(listed.value, (await get(api, '/api/offers?id__gt=1&order_by=id')).value)
        const changed = await send(api, 'PATCH', '/api/offers/1', { body: { name: 'a' } })
        const again = await get(api, '/api/offers/1')
        equal(
          [changed.status, changed.value, changed.headers.etag],
          [200, again.value, again.headers.etag],
        )
        equal(again.value.price, '2.3')
      })
    },
    { only },
  )
}
