/**
 * A cursor, name or key that comes from outside the program could add parameters to a request of the typed client, or lead to
 * another endpoint.
 */
import { createClient } from '@model-api/core/client'
import { equal, throws } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

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
    return [...new URLSearchParams(sent.at(-1)?.split('?')[1])]
  }

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

  test('names stay in their parameter', async () => {
    const evil = 'id&include_deleted=true#'
    const names = async (query: object) => (await queryOf(query)).map(([name]) => name)
    const shape = 'dump_relationships'
    equal(await names({ orderBy: [evil] }), ['order_by', shape])
    equal(await names({ fields: [evil, 'id'] }), ['fields'])
    equal(await names({ where: { [evil]: 1 } }), [`${evil}__eq`, shape])
    equal(await names({ where: { author: { [evil]: 1 } } }), [`exists(author.${evil}__eq`, shape])
    equal(await names({ where: { [evil]: { id: 1 } } }), [`exists(${evil}.id__eq`, shape])
    equal(await names({ where: { [evil]: null } }), [`${evil}__isnull`, shape])
    equal(await names({ groupBy: [evil], aggregate: { [evil]: { sum: evil } } }), [
      'groupby',
      `${evil}|${evil}__sum`,
    ])
    equal(await names({ include: { [evil]: { fields: [evil], limit: 1 } } }), [
      `${evil}.limit`,
      `${evil}.fields`,
      'join',
      'join_type',
      'dump',
    ])
    equal(await names({ params: { [evil]: 'a' } }), [shape, evil])
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
