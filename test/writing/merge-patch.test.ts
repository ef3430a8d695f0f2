/** JSON Merge Patch: a PATCH of one record that merges documents into those of json columns. */
import { type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import fc from 'fast-check'
import { sql } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { type Json, mergeExamples, referenceMerge } from '../support/merge-reference.ts'
import { check, propertySeed } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const merging = { 'content-type': 'application/merge-patch+json' }

/** Documents in which `from` is not after `to`. */
const inOrder = (value: unknown): string | true => {
  const { from, to } = value as { readonly from?: number; readonly to?: number }
  return (from ?? 0) <= (to ?? from ?? 0) || `from ${from} is after to ${to}`
}

const Group = defineModel('Group', {
  table: 'groups_of_people',
  columns: { id, name: { type: 'string' } },
  relations: { people: hasMany('Person', 'group_id') },
  meta: { endpoint: 'groups' },
})
const Person = defineModel('Person', {
  table: 'merged_people',
  columns: {
    id,
    name: { type: 'string' },
    settings: { type: 'json', nullable: true },
    range: { type: 'json', default: {}, validator: inOrder },
    notes: { type: 'json', nullable: true, read: 'staff' },
    group_id: { type: 'integer', nullable: true },
  },
  relations: { group: belongsTo('Group', 'group_id') },
  meta: { endpoint: 'people' },
})
const models = [Group, Person] as const
const config: ApiConfig = {
  API_ALLOW_BATCH: true,
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_BODY_LIMIT: 20_000,
}

eachDatabase('merge patch of a record', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Group, [{ id: 1, name: 'Readers' }])
    await insertRows(db, Person, [
      { id: 1, name: 'Ann', settings: null, range: {}, notes: { grade: 1 }, group_id: 1 },
    ])
  })

  const store = async (values: object): Promise<void> => {
    equal((await send(api, 'PATCH', '/api/people/1', { body: values })).status, 200)
  }
  const merge = (patch: string | object, more: object = {}) =>
    send(api, 'PATCH', '/api/people/1', {
      headers: merging,
      body: typeof patch === 'string' ? patch : JSON.stringify(patch),
      ...more,
    })
  const problemOf = async (patch: object, path: string): Promise<string> => {
    const { status, errors } = await merge(patch)
    equal([status, Object.keys(errors.reason)], [400, [path]])
    return errors.reason[path].join()
  }

  test('the examples of RFC 7396, as the values of a column', async () => {
    for (const [document, patch, result] of mergeExamples) {
      await store({ settings: JSON.parse(document) })
      const { status, value } = await merge(`{"settings":${patch}}`)
      equal([status, value.settings], [200, JSON.parse(result)], patch)
    }
  })

  test('any documents are merged as by the algorithm of RFC 7396', async () => {
    const { node: json } = fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<Json>(null, false, 0, -7, 12.5, '', 'é"\\'),
        fc.array(tie('node'), { maxLength: 3 }) as fc.Arbitrary<Json>,
        fc.dictionary(fc.constantFrom('a', 'b', 'é', '10', '9'), tie('node')) as fc.Arbitrary<Json>,
      ),
    }))
    let stored: Json = null
    await store({ settings: stored })
    await check(json, { numRuns: 30, seed: propertySeed }, async (patch) => {
      // Each patch changes the result of the previous one.
      const expected: Json = referenceMerge(stored, patch)
      const { value } = await merge({ settings: patch })
      stored = expected
      equal(value.settings, expected)
      equal((await get(api, '/api/people/1')).value.settings, expected)
      return undefined
    })
  })

  test('other columns are written as in a plain PATCH, which replaces documents', async () => {
    await store({ name: 'Ann', settings: { a: 1, b: { c: 2 } } })
    const { value } = await merge({ name: 'Bea', settings: { b: { d: 3 } }, group_id: null })
    equal([value.name, value.settings, value.group_id], ['Bea', { a: 1, b: { c: 2, d: 3 } }, null])
    await store({ settings: { b: { d: null } } })
    equal((await get(api, '/api/people/1')).value.settings, { b: { d: null } })
    equal(await problemOf({ range: null }, 'range'), 'This field cannot be null.')
    equal((await merge({ settings: null })).value.settings, null)
    equal((await merge({ settings: { a: { b: null } } })).value.settings, { a: {} })
    equal((await merge({})).status, 200)
  })

  test('digits of stored numbers are preserved', async () => {
    await send(api, 'PATCH', '/api/people/1', {
      headers: { 'content-type': 'application/json' },
      body: '{"settings":{"n":12345678901234567,"o":1}}',
    })
    const { text } = await merge({ settings: { o: 2 } })
    match(text, /"settings":\{"n":12345678901234567,"o":2\}/)
  })

  test('validators see the merged document', async () => {
    await store({ range: { from: 3, to: 5 } })
    equal(await problemOf({ range: { from: 7 } }, 'range'), 'from 7 is after to 5')
    equal((await merge({ range: { from: 7, to: null } })).value.range, { from: 7 })
  })

  test('a document does not grow beyond the limits of bodies', async () => {
    await store({ settings: { long: 'é'.repeat(6_000) } })
    match(
      await problemOf({ settings: { more: 'x'.repeat(9_000) } }, 'settings'),
      /^The merged document has 210\d\d bytes; at most 20000 are allowed \(API_BODY_LIMIT\)\.$/,
    )
    const keys = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, 1]))
    await store({ settings: { a: keys(0, 1000) } })
    equal(
      await problemOf({ settings: { a: keys(1000, 1) } }, 'settings'),
      'The merged document has an object of too many keys.',
    )
    equal((await merge({ settings: { a: { k0: null, other: 1 } } })).status, 200)
    // A document that the host has stored may be larger than a body may be, and can still be patched.
    const long = JSON.stringify({ a: keys(0, 1100), long: 'x'.repeat(30_000) })
    await sql`update merged_people set settings = ${long}`.execute(db.kysely)
    equal((await merge({ settings: { a: { k0: null } } })).status, 200)
  })

  test('"__proto__" in a stored document stays, and is refused in a patch', async () => {
    const stored = '{"__proto__":{"a":1},"b":2}'
    await sql`update merged_people set settings = ${stored}`.execute(db.kysely)
    match((await merge({ settings: { b: 3 } })).text, /"settings":\{"__proto__":\{"a":1\},"b":3\}/)
    const { errors } = await merge('{"settings":{"__proto__":{"polluted":true}}}')
    equal(errors.reason, {
      'settings.__proto__': ['The key "__proto__" is not allowed in a body.'],
    })
    equal('polluted' in {}, false)
  })

  test('concurrent merges of different members are all preserved', async () => {
    await store({ settings: {} })
    const members = ['a', 'b', 'c', 'd', 'e', 'f']
    const answers = await Promise.all(members.map((name) => merge({ settings: { [name]: 1 } })))
    equal(
      answers.map(({ status }) => status),
      members.map(() => 200),
    )
    const { value } = await get(api, '/api/people/1')
    equal(value.settings, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })
  })

  test('If-Match is compared first, and the response has the new ETag', async () => {
    const { headers } = await get(api, '/api/people/1')
    const known = { ...merging, 'if-match': headers.etag ?? '' }
    const first = await merge({ settings: { z: 1 } }, { headers: known })
    equal(first.status, 200)
    equal(first.headers.etag, (await get(api, '/api/people/1')).headers.etag)
    equal((await merge({ settings: { z: 2 } }, { headers: known })).status, 412)
  })

  test('callbacks get the merged document and the stored one', async () => {
    const seen: unknown[] = []
    const own = testApi(db, models, {
      ...config,
      API_UPDATE_CALLBACK: (object) => {
        seen.push(object.settings)
        return object
      },
      API_AFTER_COMMIT_CALLBACK: (changes) => {
        for (const { before, after } of changes) seen.push([before?.settings, after?.settings])
      },
    })
    await store({ settings: { a: 1 } })
    const body = '{"settings":{"b":2}}'
    await send(own, 'PATCH', '/api/people/1', { headers: merging, body })
    equal(seen, [{ a: 1, b: 2 }, [{ a: 1 }, { a: 1, b: 2 }]])
  })

  test('related records are refused; null and the URL of a relation work as in a plain PATCH', async () => {
    const expected = 'A merge patch has no related records; send application/json.'
    equal(await problemOf({ group: { name: 'New' } }, 'group'), expected)
    equal(await problemOf({ group: { id: 1 } }, 'group'), expected)
    await store({ group_id: 1 })
    equal((await merge({ group: '/api/people/1/group' })).status, 200)
    equal((await merge({ group: null })).value.group_id, null)
  })

  test('a column that the caller may not read is unknown, whatever it holds', async () => {
    equal(await problemOf({ notes: { grade: 2 } }, 'notes'), 'Unknown field "notes".')
    const user = { id: 1, roles: ['staff'] }
    equal((await merge({ notes: { extra: 1 } }, { user })).value.notes, { grade: 1, extra: 1 })
  })

  test('only a PATCH of one record accepts it; OPTIONS and the 415 response name the types', async () => {
    const both = 'application/json, application/merge-patch+json'
    equal((await send(api, 'OPTIONS', '/api/people/1')).headers['accept-patch'], both)
    equal((await send(api, 'OPTIONS', '/api/people')).headers['accept-patch'], 'application/json')
    const refused = async (method: string, url: string, type = 'application/merge-patch+json') => {
      const headers = { 'content-type': type }
      const answer = await send(api, method, url, { headers, body: '{"name":"x"}' })
      equal(answer.status, 415)
      return [answer.errors.reason.split('; ')[1], answer.headers['accept-patch']]
    }
    for (const [method, url] of [
      ['POST', '/api/people'],
      ['PUT', '/api/people/1'],
      ['PATCH', '/api/people?id__eq=1'],
    ] as const) {
      equal(await refused(method, url), ['expected application/json.', undefined])
    }
    const [expected, accepted] = await refused('PATCH', '/api/people/1', 'text/plain')
    equal(expected, 'expected application/json or application/merge-patch+json.')
    equal(accepted, both)
    const charset = { 'content-type': 'application/merge-patch+json; charset=utf-8' }
    equal((await merge({}, { headers: charset })).status, 200)
  })

  test('the OpenAPI document has the media type where a model has documents', async () => {
    const typesOf = async (path: string): Promise<readonly string[]> => {
      const body = (await api.openapi()).paths?.[path]?.patch?.requestBody
      return Object.keys(body !== undefined && 'content' in body ? body.content : {})
    }
    equal(await typesOf('/api/people/{id}'), ['application/json', 'application/merge-patch+json'])
    equal(await typesOf('/api/people'), ['application/json'])
    equal(await typesOf('/api/groups/{id}'), ['application/json'])
  })

  test('an operation of a batch names the type in its headers', async () => {
    await store({ settings: { a: 1 } })
    const operation = { method: 'PATCH', url: '/api/people/1' }
    const body = {
      operations: [
        { ...operation, id: 'a', headers: merging, body: { settings: { b: 2 } } },
        { ...operation, id: 'b', headers: merging, body: { settings: { a: null } } },
        { ...operation, id: 'c', body: { settings: { whole: true } } },
      ],
    }
    const { value } = await send(api, 'POST', '/api/batch', { body })
    equal(
      value.map((one: { readonly value: { readonly settings: Json } }) => one.value.settings),
      [{ a: 1, b: 2 }, { b: 2 }, { whole: true }],
    )
  })
})
