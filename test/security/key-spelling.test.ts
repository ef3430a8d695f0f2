/** A key has only one spelling in paths, which is the one in URLs of the service. Any other is 404. */
import { type AnyModel, belongsTo, type Column, defineModel, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

/** Keys of each type: the stored value, and other texts with the same meaning. */
const keys: readonly (readonly [Column, stored: unknown, others: readonly string[]])[] = [
  [{ type: 'integer' }, 1, ['01', '+1', '%2B1', '1.0', '1e0', '-01', '%201']],
  [{ type: 'integer' }, 0, ['-0', '00', '%2D0']],
  [{ type: 'integer' }, -5, ['-05', '%2D05']],
  [{ type: 'bigint' }, '9007199254740993', ['09007199254740993', '%2B9007199254740993']],
  [{ type: 'bigint' }, '0', ['-0', '00']],
  [{ type: 'decimal', precision: 8, scale: 2 }, '12.50', ['12.5', '012.50', '12.500', '%2B12.50']],
  [{ type: 'decimal', precision: 8, scale: 2 }, '0.00', ['0', '-0.00', '.00', '0.0']],
  [{ type: 'decimal', precision: 8, scale: 0 }, '7', ['07', '7.0', '-07']],
  [{ type: 'float' }, 1.5, ['1.50', '01.5', '15e-1']],
  [{ type: 'boolean' }, true, ['1', 'yes', 'True', 'TRUE']],
  [{ type: 'boolean' }, false, ['0', 'no', 'FALSE']],
  [{ type: 'date' }, '2024-02-29', ['2024-2-29', '02024-02-29']],
  [
    { type: 'datetime' },
    '2024-05-14T10:30:00.000Z',
    [
      '2024-05-14T10:30:00Z',
      '2024-05-14T10:30:00.000z',
      '2024-05-14%2010:30:00.000Z',
      '2024-05-14T12:30:00.000%2B02:00',
      '2024-05-14T10:30:00.000',
      '2024-05-14T10:30Z',
      '2024-05-14T10:30:00.0000Z',
    ],
  ],
  [{ type: 'time' }, '10:30:00', ['10:30']],
  [
    { type: 'uuid' },
    '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    [
      '3F2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01',
      '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9A01',
      '%7B3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01%7D',
      '3f2b8c1e0d4a4b7e9a526c1d8e7f9a01',
    ],
  ],
  [{ type: 'string', maxLength: 40 }, '01', ['1', '01%20', '%2001']],
  [{ type: 'string', maxLength: 40 }, 'Ada/b,c', ['ada%2Fb%2Cc', 'Ada%2Fb%2Cc%20']],
  [{ type: 'enum', enum: ['on', 'off'] }, 'on', ['ON', 'on%20']],
]

const models: readonly AnyModel[] = keys.map(([column], i) =>
  defineModel(`Thing${i}`, {
    table: `things_${i}`,
    columns: {
      key: { ...column, primaryKey: true },
      name: { type: 'string' },
      deleted: { type: 'boolean' },
      parent: { ...column, nullable: true },
    },
    relations: {
      children: hasMany(`Thing${i}`, 'parent'),
      above: belongsTo(`Thing${i}`, 'parent'),
    },
    meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
  }),
)

const Pair = defineModel('Pair', {
  columns: {
    day: { type: 'date', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    code: { type: 'string', maxLength: 20, primaryKey: true },
    name: { type: 'string' },
  },
  meta: {},
})

eachDatabase('the key of a path', (test, db) => {
  const api = testApi(db, [...models, Pair], {
    API_SOFT_DELETE: true,
    API_SOFT_DELETE_ATTRIBUTE: 'deleted',
  })
  test.before(() => createTables(db, [...models, Pair]))

  for (const [i, [column, stored, others]] of keys.entries()) {
    test(`${column.type} ${stored} is found as emitted, and in no other spelling`, async () => {
      const list = api.registry.byName.get(`Thing${i}`)?.endpoint
      const body = { key: stored, name: 'one' }
      const { status, headers } = await send(api, 'POST', `/api/${list}`, { body })
      const location = headers.location ?? ''
      equal(status, 201)
      const linked = await send(api, 'PATCH', location, { body: { parent: stored } })
      equal([location, linked.status], [location, 200])
      const { value } = await get(api, `/api/${list}`)
      equal(
        [value[0].children, value[0].above],
        [`${location}/children`, `${location}/above`],
        'what is emitted',
      )
      equal((await get(api, location)).value.key, value[0].key)
      equal((await get(api, value[0].children)).total, 1)
      equal((await get(api, value[0].above)).status, 200)
      const encoded = [...decodeURIComponent(location.split('/').pop() ?? '')]
        .map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
        .join('')
      equal((await get(api, `/api/${list}/${encoded}`)).status, 200, 'percent-encoded')

      for (const other of others) {
        const url = `/api/${list}/${other}`
        const answers = [
          await get(api, url),
          await get(api, `${url}/children`),
          await get(api, `${url}/above`),
          await send(api, 'PATCH', url, { body: { name: 'changed' } }),
          await send(api, 'PUT', url, { body: { name: 'changed' } }),
          await send(api, 'DELETE', url),
          await send(api, 'POST', `${url}/restore`),
        ]
        equal(
          answers.map(({ status }) => status),
          answers.map(() => 404),
          url,
        )
      }
      equal((await get(api, location)).value.name, 'one')
    })
  }

  test('a uuid stored in upper case has a lower-case URL', async () => {
    // PostgreSQL has a column type for it.
    const [stored, address] = [
      'AB2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01',
      'ab2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    ]
    const index = keys.findIndex(([{ type }]) => type === 'uuid')
    const row = { key: stored, name: 'capitals', deleted: db.name === 'sqlite' ? 0 : false }
    await db.kysely.insertInto(`things_${index}`).values(row).execute()
    const list = `/api/${api.registry.byName.get(`Thing${index}`)?.endpoint}`
    // Compared as text: the document promises uuids in lower case.
    const { text } = await api.answer({ method: 'GET', url: `${list}?name__eq=capitals` })
    const { value } = JSON.parse(text ?? '')
    equal([value[0].children], [`${list}/${address}/children`])
    equal((await get(api, `${list}/${stored}`)).status, 404)
    const found = await api.answer({ method: 'GET', url: `${list}/${address}` })
    equal(found.status, 200)
  })

  test('of several columns has one spelling, too', async () => {
    const body = { day: '2024-01-02', number: 7, code: 'a,b' }
    const { headers } = await send(api, 'POST', '/api/pairs', { body: { ...body, name: 'x' } })
    equal(headers.location, '/api/pairs/2024-01-02,7,a%2Cb')
    equal((await get(api, '/api/pairs/2024-01-02,7,a%2Cb')).status, 200)
    equal((await get(api, '/api/pairs/2024-01-02,%37,%61%2cb')).status, 200)
    const others = ['2024-1-2,7,a%2Cb', '2024-01-02,07,a%2Cb', '2024-01-02,%2B7,a%2Cb']
    for (const other of [...others, '2024-01-02,7,a,b', '2024-01-02%2C7,a%2Cb']) {
      equal((await get(api, `/api/pairs/${other}`)).status, 404, other)
    }
  })
})
