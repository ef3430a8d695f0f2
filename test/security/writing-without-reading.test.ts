/**
 * A caller who may change records but not read them: no write reveals their values. The response to each write is the same,
 * byte for byte, whether its guess at a stored value is right or wrong; a caller who may read the records gets different ones.
 */
import {
  type Api,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, notEqual, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, replacingScript } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const readersOnly = { role_map: { GET: 'reader', '*': 'writer' } } as const

const Bill = defineModel('Bill', {
  columns: {
    id,
    title: { type: 'string' },
    total: { type: 'integer', readOnly: true, nullable: true },
    payer_id: { type: 'integer', nullable: true },
    seller_id: { type: 'integer', nullable: true, readOnly: true },
    backer_id: { type: 'integer', nullable: true },
  },
  relations: {
    backer: belongsTo('Person', 'backer_id'),
    payer: belongsTo('Person', 'payer_id'),
    seller: belongsTo('Person', 'seller_id'),
    tags: manyToMany('Tag', { through: 'bill_tags', from: 'bill_id', to: 'tag_id' }),
  },
  meta: readersOnly,
})
const Person = defineModel('Person', {
  columns: { id, name: { type: 'string' } },
  relations: { bills: hasMany('Bill', 'payer_id') },
  // Nobody may see the people that backer_id refers to.
  meta: { access_policy: { scope: { or: [{ id: { lt: 8 } }, { id: { gt: 9 } }] } } },
})
const Tag = defineModel('Tag', {
  columns: { id, name: { type: 'string' } },
  relations: { bills: manyToMany('Bill', { through: 'bill_tags', from: 'tag_id', to: 'bill_id' }) },
  meta: {},
})
const models = [Bill, Person, Tag] as const

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

/** Two sets of stored values; each write guesses values of the first. */
const bills = {
  guessed: { id: 1, title: 'May', total: 41, payer_id: 1, seller_id: 2, backer_id: 8 },
  other: { id: 1, title: 'June', total: 42, payer_id: 2, seller_id: null, backer_id: 9 },
}
const people = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Bob' },
  { id: 8, name: 'Hal' },
  { id: 9, name: 'Ida' },
]

interface Guess {
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

const guesses: Readonly<Record<string, Guess>> = {
  'a read-only field in PATCH': { method: 'PATCH', url: '/api/bills/1', body: { total: 41 } },
  'a read-only field in PUT': {
    method: 'PUT',
    url: '/api/bills/1',
    body: { title: 'New', total: 41 },
  },
  'a read-only field in a list': {
    method: 'PATCH',
    url: '/api/bills',
    body: [{ id: 1, total: 41 }],
  },
  'a read-only field in an upsert': {
    method: 'POST',
    url: '/api/bills?on_conflict=id',
    body: { id: 1, title: 'New', total: 41 },
  },
  'the URL of a relation': {
    method: 'PATCH',
    url: '/api/bills/1',
    body: { seller: '/api/bills/1/seller' },
  },
  'a relation that is null': { method: 'PATCH', url: '/api/bills/1', body: { seller: null } },
  'a reference to a hidden record': {
    method: 'PATCH',
    url: '/api/bills/1',
    body: { backer_id: 8 },
  },
  'a reference to a hidden record, in PUT': {
    method: 'PUT',
    url: '/api/bills/1',
    body: { title: 'May', backer_id: 8 },
  },
  'a reference to a hidden record, in a list': {
    method: 'PATCH',
    url: '/api/bills',
    body: [{ id: 1, backer_id: 8 }],
  },
  'a reference to a hidden record, in an upsert': {
    method: 'POST',
    url: '/api/bills?on_conflict=id',
    body: { id: 1, title: 'May', backer_id: 8 },
  },
  'a child that is moved': {
    method: 'POST',
    url: '/api/people',
    body: { name: 'Cid', bills: [{ id: 1, title: 'May' }] },
  },
  'the parent of a child': {
    method: 'PATCH',
    url: '/api/people/1',
    body: { bills: [{ id: 1, title: 'New' }] },
  },
  'a read-only field of a child': {
    method: 'PATCH',
    url: '/api/people/1',
    body: { bills: [{ id: 1, total: 41 }] },
  },
  'the whole list of children': {
    method: 'PUT',
    url: '/api/people/1',
    body: { name: 'Ann', bills: [{ id: 1, title: 'New' }] },
  },
  'the parent of a child, in a list': {
    method: 'PATCH',
    url: '/api/people',
    body: [{ id: 1, bills: [{ id: 1, title: 'New' }] }],
  },
  'children that are removed': {
    method: 'PATCH',
    url: '/api/people/1?bills.on_missing=remove',
    body: { bills: [{ id: 1, title: 'New' }, { title: 'Newer' }] },
  },
  'filters of PATCH': {
    method: 'PATCH',
    url: '/api/bills?total__eq=41',
    body: { title: 'New' },
  },
  'filters of DELETE': { method: 'DELETE', url: '/api/bills?title__startswith=Ma' },
  'filters through a relation': {
    method: 'PATCH',
    url: '/api/bills?exists(payer.name__eq=Ann)',
    body: { title: 'New' },
  },
}

const writer = { id: 1, roles: ['writer'] }
const reader = { id: 2, roles: ['writer', 'reader'] }

eachDatabase('a caller who may write but not read', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(
      db,
      models.map((model) => ({ ...model, relations: {} })),
    )
    await db.execScript('create table bill_tags (bill_id integer, tag_id integer)')
    await insertLinks(db, 'bill_tags', [{ bill_id: 1, tag_id: 1 }])
  })
  const fill = (stored: keyof typeof bills) =>
    db.execOften(
      [
        replacingScript(db, Bill, [bills[stored]]),
        replacingScript(db, Person, people),
        replacingScript(db, Tag, [{ id: 1, name: 'paid' }]),
      ].join('; '),
    )
  const told = async (
    user: object,
    { method, url, body }: Guess,
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const sent = { user, headers, ...(body === undefined ? {} : { body }) }
    const { status, text } = await send(api, method, url, sent)
    ok(status < 500, text)
    // The key of a record that the guess has created.
    return `${status} ${text.replace(/\/people\/\d+|"id":\d+/g, '-')}`
  }

  for (const [what, guess] of Object.entries(guesses)) {
    test(`does not learn what a record contains from ${what}`, async () => {
      const answers: string[] = []
      for (const user of [writer, reader]) {
        for (const stored of ['guessed', 'other'] as const) {
          await fill(stored)
          answers.push(await told(user, guess))
        }
      }
      equal(answers[0], answers[1])
      notEqual(answers[2], answers[3], 'the guess tells readers nothing, so that it proves nothing')
    })
  }

  test('does not learn the ETag of a record from If-Match', async () => {
    await fill('guessed')
    const { headers } = await send(api, 'GET', '/api/bills/1', { user: reader })
    for (const guess of [
      { method: 'PATCH', url: '/api/bills/1', body: { title: 'May' } },
      { method: 'DELETE', url: '/api/bills/1' },
    ]) {
      for (const etag of [headers.etag ?? '', '"0.0"']) {
        ok((await told(writer, guess, { 'if-match': etag })).startsWith('412'))
      }
    }
    const any = { method: 'PATCH', url: '/api/bills/1', body: { title: 'May' } }
    ok((await told(writer, any, { 'if-match': '*' })).startsWith('200'))
    ok((await told(reader, any, { 'if-match': headers.etag ?? '' })).startsWith('200'))
  })

  test('does not learn the ETag of a record from If-None-Match', async () => {
    for (const guess of [
      { method: 'PATCH', url: '/api/bills/1', body: { title: 'May' } },
      { method: 'DELETE', url: '/api/bills/1' },
    ]) {
      await fill('guessed')
      const { headers } = await send(api, 'GET', '/api/bills/1', { user: reader })
      const noneMatch = { 'if-none-match': headers.etag ?? '' }
      ok((await told(reader, guess, noneMatch)).startsWith('412'))
      ok((await told(writer, guess, { 'if-none-match': '*' })).startsWith('412'))
      ok((await told(writer, guess, noneMatch)).startsWith('200'))
    }
  })

  test('changes records by their keys, and the error for a filter says so', async () => {
    await fill('guessed')
    const answer = await told(writer, {
      method: 'PATCH',
      url: '/api/bills',
      body: [{ id: 1, title: 'New' }],
    })
    ok(answer.startsWith('200'), answer)
    const refused = await told(writer, guesses['filters of PATCH'] as Guess)
    ok(refused.includes('"forbidden_filters"') && refused.includes('by their keys'), refused)
  })
})

eachDatabase('a caller who may write, and read either lists or single records', (test, db) => {
  const Sheet = defineModel('Sheet', {
    columns: { id, title: { type: 'string' }, made: { type: 'integer', readOnly: true } },
    meta: { role_map: { GET_ONE: 'reader', GET_MANY: 'lister', '*': 'writer' } },
  })
  const api = testApi(db, [Sheet], config)
  test.before(() => createTables(db, [Sheet]))

  for (const role of ['lister', 'reader']) {
    test(`may send back what it has read, with its ETag: ${role}`, async () => {
      await db.execOften(replacingScript(db, Sheet, [{ id: 1, title: 'a', made: 7 }]))
      const user = { id: 1, roles: ['writer', role] }
      const change = (body: object, headers = {}) =>
        send(api, 'PATCH', '/api/sheets/1', { user, body, headers })
      equal((await change({ title: 'a', made: 7 })).status, 200)
      equal((await change({ title: 'a', made: 8 })).status, 400)
      const shown =
        role === 'reader' ? await send(api, 'GET', '/api/sheets/1', { user }) : await change({})
      equal((await change({ title: 'b' }, { 'if-match': shown.headers.etag ?? '' })).status, 200)
      equal((await change({ title: 'c' }, { 'if-match': shown.headers.etag ?? '' })).status, 412)
    })
  }
})

eachDatabase('an object that links an existing record', (test, db) => {
  const Page = defineModel('Page', {
    columns: { id, title: { type: 'string' }, part_id: { type: 'integer', nullable: true } },
    relations: { part: belongsTo('Part', 'part_id') },
    meta: {},
  })
  const Part = defineModel('Part', {
    columns: { id, name: { type: 'string' }, volume_id: { type: 'integer', nullable: true } },
    relations: { volume: belongsTo('Volume', 'volume_id') },
    meta: {},
  })
  const Volume = defineModel('Volume', { columns: { id, name: { type: 'string' } }, meta: {} })
  const own = [Page, Part, Volume] as const
  const api: Api = testApi(db, own, config)
  test.before(async () => {
    await createTables(db, own)
    await db.execScript("insert into volumes (id, name) values (1, 'I')")
    await db.execScript(
      "insert into parts (id, name, volume_id) values (1, 'A', 1), (2, 'B', null)",
    )
    await db.execScript("insert into pages (id, title, part_id) values (1, 'a', null)")
  })

  test('does not clear its relations: null is accepted only where the relation is null', async () => {
    const link = (part: object) => send(api, 'PATCH', '/api/pages/1', { body: { part } })
    const refused = await link({ id: 1, volume: null })
    equal([refused.status, Object.keys(refused.errors?.reason ?? {})], [400, ['part.volume']])
    equal((await link({ id: 2, volume: null })).status, 200)
    equal((await link({ id: 1, volume: '/api/parts/1/volume' })).status, 200)
  })
})
