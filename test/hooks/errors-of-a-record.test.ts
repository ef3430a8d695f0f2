/** An apiError of a hook about one record, with messages by field: in lists and nested records the fields become paths in the body. */
import {
  apiError,
  belongsTo,
  defineModel,
  hasMany,
  type JsonValue,
  manyToMany,
} from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const refused = ['Not this one.']

eachDatabase('errors of hooks about one record', (test, db) => {
  /** The hook that refuses records named "bad". */
  let refusing = ''
  let reason: JsonValue = { name: refused }
  const refuse = (hook: string, { name }: { readonly name?: unknown }): void => {
    if (hook === refusing && name === 'bad') {
      throw apiError(409, 'Conflict', reason, 'test.refused')
    }
  }
  const id = { type: 'integer', primaryKey: true, generated: true } as const
  const name = { type: 'string', maxLength: 20 } as const
  const meta = {
    allow_bulk: true,
    allow_nested_writes: true,
    // The callbacks are asynchronous, the hooks of the policy are not: both ways to throw.
    add_callback: async <T extends object>(object: T) => {
      refuse('add', object)
      return object
    },
    update_callback: async <T extends object>(object: T) => {
      refuse('update', object)
      return object
    },
    remove_callback: async <T extends object>(object: T) => {
      refuse('remove', object)
      return object
    },
    access_policy: {
      can_create: (data: object) => {
        refuse('can_create', data)
        return true
      },
      can_update: (object: object, data: object) => {
        refuse('can_update', { ...object, ...data })
        return true
      },
      can_delete: (object: object) => {
        refuse('can_delete', object)
        return true
      },
    },
  }
  const Author = defineModel('Author', { columns: { id, name }, meta })
  const Post = defineModel('Post', {
    columns: { id, name, author_id: { type: 'integer', nullable: true } },
    relations: {
      author: belongsTo('Author', 'author_id'),
      comments: hasMany('Comment', 'post_id'),
      tags: manyToMany('Tag', { through: 'taggings', from: 'post_id', to: 'tag_id' }),
    },
    meta,
  })
  const Comment = defineModel('Comment', {
    columns: { id, name, post_id: { type: 'integer', nullable: true } },
    meta,
  })
  const Tag = defineModel('Tag', { columns: { id, name }, meta: {} })
  const Tagging = defineModel('Tagging', {
    columns: {
      post_id: { type: 'integer', primaryKey: true },
      tag_id: { type: 'integer', primaryKey: true },
      name: { type: 'string', default: 'bad' },
    },
    relations: { post: belongsTo('Post', 'post_id'), tag: belongsTo('Tag', 'tag_id') },
    meta,
  })
  const models = [Author, Post, Comment, Tag, Tagging]
  const api = testApi(db, models, { API_ALLOW_BATCH: true })
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Author, [{ name: 'first' }, { name: 'second' }, { name: 'bad' }])
    await insertRows(db, Post, [{ name: 'stored' }])
    await insertRows(db, Comment, [{ name: 'bad' }])
    await insertRows(db, Tag, [{ name: 'red' }, { name: 'blue' }])
    await insertRows(db, Tagging, [{ post_id: 1, tag_id: 2, name: 'bad' }])
  })

  const good = { name: 'good' }
  const bad = { name: 'bad' }
  type Request = readonly [method: string, url: string, body?: JsonValue]
  const reasonOf = async (hook: string, [method, url, body]: Request) => {
    refusing = hook
    // Without the check by the OpenAPI document, which has no codes of the host.
    const response = await api.handle({ method, url, ...(body === undefined ? {} : { body }) })
    const errors = response.body?.errors
    const got = [response.status, errors?.error, errors?.code]
    equal(got, [409, 'Conflict', 'test.refused'], JSON.stringify(errors))
    return errors?.reason
  }

  const changed = [
    { id: 1, name: 'good' },
    { id: 2, name: 'bad' },
  ]
  const cases: readonly (readonly [
    title: string,
    hooks: readonly string[],
    request: Request,
    path: string,
  ])[] = [
    ['a record', ['add', 'can_create'], ['POST', '/api/authors', bad], 'name'],
    [
      'a record of a list',
      ['add', 'can_create'],
      ['POST', '/api/authors', [good, good, good, bad]],
      '[3].name',
    ],
    ['a changed record', ['update', 'can_update'], ['PATCH', '/api/authors/1', bad], 'name'],
    [
      'a changed record of a list',
      ['update', 'can_update'],
      ['PATCH', '/api/authors', changed],
      '[1].name',
    ],
    [
      'a nested record',
      ['add', 'can_create'],
      ['POST', '/api/posts', { ...good, author: bad }],
      'author.name',
    ],
    [
      'a nested record that exists',
      ['update', 'can_update'],
      ['POST', '/api/posts', { ...good, comments: [good, { id: 1 }] }],
      'comments[1].name',
    ],
    [
      'a record of a nested list',
      ['add', 'can_create'],
      ['POST', '/api/posts', { ...good, comments: [good, good, bad] }],
      'comments[2].name',
    ],
    [
      'a nested record of a list',
      ['add', 'can_create'],
      ['POST', '/api/posts', [good, { ...good, comments: [good, bad] }]],
      '[1].comments[1].name',
    ],
    [
      'a link',
      ['add', 'can_create'],
      ['PATCH', '/api/posts/1', { tags: [{ id: 2 }, { id: 1 }] }],
      'tags[1].name',
    ],
    [
      'a link that a list removes',
      ['remove', 'can_delete'],
      ['PATCH', '/api/posts/1', { tags: [] }],
      'tags.name',
    ],
    ['a deleted record', ['remove', 'can_delete'], ['DELETE', '/api/authors/3'], 'name'],
    [
      'records changed by filters',
      ['update', 'can_update'],
      ['PATCH', '/api/authors?id__ge=2', bad],
      'name',
    ],
    [
      'records deleted by filters',
      ['remove', 'can_delete'],
      ['DELETE', '/api/authors?id__ge=2'],
      'name',
    ],
  ]
  for (const [title, hooks, request, path] of cases) {
    test(`${title}: ${path}`, async () => {
      reason = { name: refused }
      for (const hook of hooks) equal(await reasonOf(hook, request), { [path]: refused }, hook)
    })
  }

  test('an operation of a batch has the path in its own body', async () => {
    reason = { name: refused, '': refused }
    const operations = [
      { id: 'a', method: 'POST', url: '/api/authors', body: good },
      { id: 'b', method: 'POST', url: '/api/authors', body: [good, bad] },
    ]
    equal(await reasonOf('add', ['POST', '/api/batch', { operations }]), {
      '[1].name': refused,
      '[1]': refused,
    })
  })

  test('other reasons are sent as they are', async () => {
    const list: Request = ['POST', '/api/authors', [good, bad]]
    const nested: Request = ['POST', '/api/posts', [good, { ...good, author: bad }]]
    const kept: readonly (readonly [JsonValue, Request])[] = [
      ['A text.', list],
      [['A text.'], list],
      [{ id: 4, title: 'x' }, list],
      [{ name: refused, id: 4 }, list],
      [{ names: [1, 2] }, list],
      [{ '[1].name': refused }, list],
      [{ '[1]': refused, name: refused }, list],
      [{ '[7].name': refused }, list],
      [{ '[1].author.name': refused }, nested],
      [null, list],
    ]
    for (const [given, request] of kept) {
      reason = given
      equal(await reasonOf('add', request), given)
    }
    const author: Request = ['POST', '/api/posts', { ...good, author: bad }]
    for (const given of [{ 'author.name': refused }, { author: refused }]) {
      reason = given
      equal(await reasonOf('can_create', author), given)
    }
    reason = { authors: refused }
    equal(await reasonOf('can_create', author), { 'author.authors': refused })
  })

  test('an error that the hook keeps and throws again is not changed', async () => {
    const constant: JsonValue = { name: refused }
    reason = constant
    for (const at of [1, 2]) {
      const list = [...Array.from({ length: at }, () => good), bad]
      equal(await reasonOf('add', ['POST', '/api/authors', list]), { [`[${at}].name`]: refused })
    }
    equal(constant, { name: refused })
  })
})
