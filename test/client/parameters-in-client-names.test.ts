/**
 * A cursor, name or key that comes from outside the program could add parameters to a request of the typed client, or lead to
 * another endpoint.
 */
import { defineModel, hasMany } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { queryText } from '../../packages/core/src/client/query/query-text.ts'
import { testApi } from '../support/api.ts'
import { equal, throws } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: a program that passes on what it was sent has no types for it
type Loose = any

suite('names and keys of the typed client', (test) => {
  const sent: string[] = []
  const client = createClient<Loose>('http://api.test', {
    fetch: async ({ url }) => {
      sent.push(url.slice('http://api.test'.length))
      return new Response('{"value":[]}')
    },
  }) as Loose
  const queryOf = async (query: object): Promise<readonly (readonly [string, string])[]> => {
    await client.books.list(query)
    return pairs()
  }
  const pairs = () => [...new URLSearchParams(sent.at(-1)?.split('?')[1])] as const

  test('a cursor and other values stay in their parameter', async () => {
    const evil = 'x&include_deleted=true&fields=secret#'
    for (const name of ['after', 'before', 'page', 'limit', 'count', 'search']) {
      equal(await queryOf({ [name]: evil, fields: ['id'] }), [
        ...(name === 'search' ? [['search', evil]] : []),
        ['fields', 'id'],
        ...(name === 'search' ? [] : [[name, evil]]),
      ])
    }
  })

  test('a name of a custom parameter stays in it', async () => {
    const evil = 'id&include_deleted=true#'
    equal(await queryOf({ params: { [evil]: evil }, fields: ['id'] }), [
      ['fields', 'id'],
      [evil, evil],
    ])
  })

  const named: readonly (readonly [option: string, query: (name: string) => object])[] = [
    ['fields', (name) => ({ fields: [name] })],
    ['fields', (name) => ({ fields: ['id', name], include: { author: true } })],
    ['order_by', (name) => ({ orderBy: ['id', name] })],
    ['groupby', (name) => ({ groupBy: [name] })],
    ['distinct_on', (name) => ({ distinctOn: [name] })],
    ['include', (name) => ({ include: { [name]: true } })],
    ['include', (name) => ({ include: { author: { include: { [name]: true } } } })],
    ['author.fields', (name) => ({ include: { author: { fields: [name] } } })],
    ['author.order_by', (name) => ({ include: { author: { orderBy: [name] } } })],
    ['a condition', (name) => ({ include: { author: { where: { [name]: 1 } } } })],
    ['a condition', (name) => ({ where: { [name]: 1 } })],
    ['a condition', (name) => ({ where: { [name]: null } })],
    ['a condition', (name) => ({ where: { [name]: [1, 2] } })],
    ['a condition', (name) => ({ where: { [name]: {} } })],
    ['a condition', (name) => ({ where: { [name]: { id: 1 } } })],
    ['a condition', (name) => ({ where: { author: { [name]: 1 } } })],
    ['a condition', (name) => ({ where: { author: { [name]: { id: 1 } } } })],
    ['a condition', (name) => ({ where: { id: { [name]: 1 } } })],
    ['a condition', (name) => ({ where: { or: [{ id: 1 }, { not: { [name]: 1 } }] } })],
    ['a condition', (name) => ({ having: { [name]: { gt: 1 } } })],
    ['aggregate', (name) => ({ aggregate: { [name]: { count: 'tags' } } })],
    ['aggregate', (name) => ({ aggregate: { n: { [name]: 'tags' } } })],
    ['aggregate', (name) => ({ aggregate: { n: { count: name } } })],
    ['aggregate', (name) => ({ aggregate: { n: { max: `tags.${name}` } } })],
    ['aggregate', (name) => ({ aggregate: { n: { max: `${name}.price` } } })],
    ['a condition', (name) => ({ aggregate: { n: { count: 'tags', where: { [name]: 1 } } } })],
    ['aggregate', (name) => ({ grouped: { [name]: { sum: 'price' } } })],
    ['aggregate', (name) => ({ grouped: { n: { [name]: 'price' } } })],
    ['aggregate', (name) => ({ grouped: { n: { sum: name } } })],
    ['on_conflict', (name) => ({ onConflict: name })],
    ['on_conflict', (name) => ({ onConflict: ['id', name] })],
    ['linkBy', (name) => ({ linkBy: { [name]: 'name' } })],
    ['tags.on_conflict', (name) => ({ linkBy: { tags: name } })],
    ['tags.on_conflict', (name) => ({ linkBy: { tags: ['name', name] } })],
    ['onMissing', (name) => ({ onMissing: { [name]: 'remove' } })],
  ]

  test('a text that is not a name is an error wherever a name is expected', () => {
    const characters = [...`,()[]{}|="'&%#+;:*/\\<>!?~^\`$@ \t\n\0é`]
    const texts = [
      ...characters.flatMap((one) => [`a${one}b`, `${one}a`, `a${one}`]),
      ...['id%2Csecret', 'tags)|k,secret,count(tags', 'tags[name__eq=zz]', 'id,secret.x'],
      ...['max(tags.name)', 'secret,year(id)', 'year(id,secret)', 'a-b'],
      ...['id&include_deleted=true#', '-'],
    ]
    for (const [option, query] of named) {
      for (const text of texts) {
        const end = ` in ${option} is not a name.`
        const { name, message } = throws(() => queryText(query(text) as Loose))
        equal([name, message.slice(-end.length)], ['TypeError', end], `${text}: ${message}`)
      }
    }
    for (const text of ['a->b,c', 'a->b->c', 'a->', '->b', 'a->b[c]']) {
      throws(() => queryText({ fields: [text] }), `"${text}" in fields is not a name.`)
    }
  })

  test('names, paths and parts of dates are written as they are', async () => {
    for (const [, query] of named) queryText(query('author_2') as Loose)
    const texts = ['-author.name.nullslast', 'profile->address.zip-code', '-year(created_at)']
    equal(await queryOf({ orderBy: texts, distinctOn: ['id'], dump: 'url' }), [
      ['join', 'author'],
      ['join_type', 'left'],
      ['order_by', '-author.name.nullslast,profile.address.zip-code,-year(created_at)'],
      ['distinct_on', 'id'],
      ['dump', 'url'],
    ])
    const aggregate = { n: { max: 'books.details->size.a-b', where: { id: 1 } } }
    equal(await queryOf({ aggregate, fields: ['id'] }), [
      ['fields', 'id,max(books[id__eq=1].details.size.a-b)|n'],
    ])
  })

  test('a key that a path cannot contain is an error, and nothing is sent', () => {
    const before = sent.length
    for (const key of ['', '.', '..', []]) {
      for (const call of [
        () => client.books.get(key),
        () => client.books.related(key, 'authors'),
        () => client.books.remove(key),
        () => client.books.restore(key),
        () => client.books.update(key, {}),
      ]) {
        throws(call, /is no key/)
      }
    }
    equal(sent.length, before)
  })

  test('a batch refuses the calls of another client, and sends nothing', () => {
    const before = sent.length
    const other = createClient<Loose>('http://api.test') as Loose
    throws(() => client.batch([client.books.get(1), other.books.get(1)]), /made with its client/)
    equal(sent.length, before)
  })

  test('an include that is missing in the response is a failure of the batch', async () => {
    const url = 'http://api.test'
    const urls = createClient<Loose>(url, {
      fetch: async () =>
        new Response('{"value":[{"value":{"id":1,"author":"/api/books/1/author"}}]}'),
    }) as Loose
    const result = await urls.batch([urls.books.get(1, { include: { author: true } })])
    equal([result.ok, result.error.code], [false, 'not_embedded'])
  })
})

const id = { type: 'integer', primaryKey: true } as const
const Note = defineModel('Note', {
  columns: { id, text: { type: 'text' }, secret: { type: 'text' } },
  relations: { tags: hasMany('Tag', 'note_id') },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: { id, name: { type: 'text' }, note_id: { type: 'integer' } },
  meta: {},
})

eachDatabase('an API that is sent names from outside of the program', (test, db) => {
  test.before(() => createTables(db, [Note, Tag]))
  const api = testApi(db, [Note, Tag], { API_ALLOW_JOIN: true, API_ALLOW_AGGREGATION: true })

  test('answers with the chosen fields alone', async () => {
    const client = api.as('system') as Loose
    await client.notes.create({ id: 1, text: 'a', secret: 's' }).unwrap()
    await client.tags.create({ id: 1, name: 't', note_id: 1 }).unwrap()
    const fields = ['text']
    equal(await client.notes.list({ fields, aggregate: { n: { count: 'tags' } } }).unwrap(), [
      { text: 'a', n: 1 },
    ])
    for (const query of [
      { aggregate: { 'n,secret': { count: 'tags' } } },
      { aggregate: { 'n,max(tags.name)|k': { count: 'tags' } } },
      { aggregate: { n: { count: 'tags)|k,secret,count(tags' } } },
      { aggregate: { n: { count: 'tags[name__eq=x]' } } },
      { aggregate: { n: { max: 'tags[name__eq=x].name' } } },
      { aggregate: { n: { 'secret,count': 'tags' } } },
      { fields: ['text,secret'] },
      { orderBy: ['text,secret'] },
      { where: { 'text__eq=a&id': 1 } },
    ]) {
      throws(() => client.notes.list({ fields, ...query }), /is not a name/)
    }
    const where = { name: 't"],secret,count(tags[name__eq="t' }
    equal(
      await client.notes.list({ fields, aggregate: { n: { count: 'tags', where } } }).unwrap(),
      [{ text: 'a', n: 0 }],
    )
  })
})
