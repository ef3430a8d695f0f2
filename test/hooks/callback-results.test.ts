/**
 * Results of add and update callbacks: columns of the model are stored, even those that clients may not write; anything else is
 * an error in the log.
 */
import { belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

type Result = (object: Record<string, unknown>) => unknown

eachDatabase('the result of a callback', (test, db) => {
  let result: Result = (object) => object
  const Ticket = defineModel('Ticket', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      title: { type: 'string', maxLength: 40 },
      openedOn: { type: 'date', column: 'opened_on', nullable: true, readOnly: true },
      parent_id: { type: 'integer', nullable: true },
    },
    computed: {
      // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
      twice: { type: 'integer', expression: (eb: any) => eb('id', '*', eb.val(2)) },
    },
    relations: { parent: belongsTo('Ticket', 'parent_id') },
    meta: {
      allow_bulk: true,
      add_callback: (object) => result(object) as typeof object,
      update_callback: (object) => result(object) as typeof object,
    },
  })
  const reported: string[] = []
  const onError = (error: unknown) => void reported.push((error as Error).message)
  const api = testApi(db, [Ticket], {}, { onError })
  test.before(async () => {
    await createTables(db, [Ticket])
    await insertRows(db, Ticket, [{ title: 'first' }])
  })
  const stored = async () =>
    (await db.kysely.selectFrom('tickets').select(['id', 'title']).orderBy('id').execute()).length

  const writes: readonly (readonly [hook: string, method: string, url: string, body: unknown])[] = [
    ['add', 'POST', '/api/tickets', { title: 'x' }],
    ['add', 'POST', '/api/tickets', [{ title: 'x' }, { title: 'y' }]],
    ['update', 'PATCH', '/api/tickets/1', { title: 'x' }],
    ['update', 'PATCH', '/api/tickets', [{ id: 1, title: 'x' }]],
  ]
  const mistakes: readonly (readonly [title: string, result: Result, message: string])[] = [
    [
      'the name of the database',
      (object) => ({ ...object, opened_on: '2024-05-14' }),
      'returned opened_on, which is no column of the model. Did you mean "openedOn"?',
    ],
    [
      'a relation',
      (object) => ({ ...object, parent: { title: 'x' } }),
      'returned parent, which is no column of the model.',
    ],
    [
      'a value of another type',
      (object) => ({ ...object, openedOn: 'soon' }),
      'returned a value of openedOn that is not a date such as 1925-05-14.',
    ],
    ['a list', () => [], 'must return the record.'],
    ['nothing', () => undefined, 'returned undefined; it must return a value.'],
  ]
  for (const [title, wrong, message] of mistakes) {
    test(`${title}: 500, nothing is stored, and the log names the callback`, async () => {
      for (const [hook, method, url, body] of writes) {
        const before = await stored()
        reported.length = 0
        result = wrong
        equal((await send(api, method, url, { body })).status, 500)
        const [first = ''] = reported
        ok(first.startsWith(`The ${hook} callback of Ticket ${message}`), first)
        equal(await stored(), before)
      }
    })
  }

  test('unchanged values, computed columns and undefined members are accepted', async () => {
    result = (object) => ({ ...object, twice: 8, openedOn: '2024-05-14', nothing: undefined })
    for (const [, method, url, body] of writes) {
      const { status, value } = await send(api, method, url, { body })
      ok(status < 300)
      equal([value].flat()[0].openedOn, '2024-05-14')
    }
  })
})

eachDatabase('a callback that changes the key', (test, db) => {
  const Tag = defineModel('Tag', {
    columns: {
      slug: { type: 'string', maxLength: 40, primaryKey: true },
      title: { type: 'string', maxLength: 40, unique: true },
    },
    meta: {
      allow_bulk: true,
      allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'],
      update_callback: (tag) => ({ ...tag, slug: String(tag.title).toLowerCase() }),
    },
  })
  const seen: unknown[] = []
  const api = testApi(db, [Tag], {
    API_AFTER_COMMIT_CALLBACK: (changes) =>
      void seen.push(...changes.map(({ key, before, after }) => [key, before?.slug, after?.slug])),
  })
  test.before(async () => {
    await createTables(db, [Tag])
    await insertRows(db, Tag, [
      { slug: 'a', title: 'A' },
      { slug: 'b', title: 'B' },
    ])
  })

  const writes: readonly (readonly [
    name: string,
    method: string,
    url: string,
    body: (slug: string, title: string) => unknown,
  ])[] = [
    ['PATCH of one record', 'PATCH', '/api/tags/SLUG', (_, title) => ({ title })],
    ['PUT', 'PUT', '/api/tags/SLUG', (_, title) => ({ title })],
    ['PATCH of a list', 'PATCH', '/api/tags', (slug, title) => [{ slug, title }]],
    ['PATCH by filter', 'PATCH', '/api/tags?slug__eq=SLUG', (_, title) => ({ title })],
    [
      'POST with on_conflict',
      'POST',
      '/api/tags?on_conflict=slug',
      (slug, title) => ({ slug, title }),
    ],
    [
      'a list with on_conflict',
      'POST',
      '/api/tags?on_conflict=slug',
      (slug, title) => [{ slug, title }],
    ],
  ]
  let slug = 'a'
  for (const [i, [name, method, url, body]] of writes.entries()) {
    test(`${name}: the response has the record under its new key`, async () => {
      const title = `Title${i}`
      seen.length = 0
      const path = url.replace('SLUG', slug)
      const { status, body: answer } = await send(api, method, path, { body: body(slug, title) })
      equal(status, 200)
      const record = { slug: `title${i}`, title }
      equal(answer.value, Array.isArray(answer.value) ? [record] : record)
      equal(seen, [[[record.slug], slug, record.slug]])
      slug = record.slug
    })
  }
})
