/** Each change that the commit callbacks get says where the request has the record, and in a batch, in which operation. */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  belongsTo,
  type Change,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { type Operation, sendBatch } from '../support/batch.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 40 } as const
const optional = { ...text, nullable: true } as const

eachDatabase('paths of changes', (test, db) => {
  const Author = defineModel('Author', {
    columns: { id, name: text },
    relations: { posts: hasMany('Post', 'author_id') },
    meta: {},
  })
  const Tag = defineModel('Tag', { columns: { id, name: text }, meta: {} })
  const Team = defineModel('Team', { columns: { id, name: text }, meta: {} })
  const Post = defineModel('Post', {
    columns: {
      id,
      title: text,
      slug: { ...optional, unique: true },
      author_id: { type: 'integer', nullable: true },
      seen: { type: 'datetime', managed: 'updated' },
      gone: { type: 'boolean', default: false },
    },
    relations: {
      author: belongsTo('Author', 'author_id'),
      comments: hasMany('Comment', 'post_id'),
      tags: manyToMany('Tag', { through: 'post_tags', from: 'post_id', to: 'tag_id' }),
      teams: manyToMany('Team', { through: 'post_teams', from: 'post_id', to: 'team_id' }),
    },
    unique: [['slug']],
    meta: { soft_delete: true, soft_delete_attribute: 'gone', allow_cascade_delete: true },
  })
  const PostTeam = defineModel('PostTeam', {
    table: 'post_teams',
    columns: { id, post_id: { type: 'integer' }, team_id: { type: 'integer' } },
    relations: { post: belongsTo('Post', 'post_id'), team: belongsTo('Team', 'team_id') },
    meta: {},
  })
  const Comment = defineModel('Comment', {
    columns: { id, text, post_id: { type: 'integer', nullable: true } },
    relations: { post: belongsTo('Post', 'post_id') },
    meta: {},
  })
  const models = [Author, Tag, Team, Post, PostTeam, Comment] as unknown as readonly AnyModel[]

  let told: readonly Change[] = []
  const config: ApiConfig = {
    API_ALLOW_BATCH: true,
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    API_BEFORE_COMMIT_CALLBACK: (changes) => {
      told = changes
    },
  }
  const withoutHooks = testApi(db, models, config)
  // With a callback, links and lists are written record by record.
  const withHooks = testApi(db, models, {
    ...config,
    API_ADD_CALLBACK: (object) => object,
    API_UPDATE_CALLBACK: (object) => object,
    API_REMOVE_CALLBACK: (object) => object,
  })

  test.before(() => createTables(db, models))
  const reset = async (): Promise<void> => {
    const tables = ['post_tags', 'post_teams', 'comments', 'posts', 'tags', 'teams', 'authors']
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    const seen = '2020-01-01T00:00:00.000Z'
    const post = (key: number) => ({
      id: key,
      title: 'p',
      slug: `s${key}`,
      author_id: null,
      seen,
      gone: false,
    })
    await insertRows(db, Post, [post(1001), post(1002)])
    await insertRows(db, Post, [{ ...post(1003), gone: true }])
    await insertRows(db, Tag, [
      { id: 1001, name: 't' },
      { id: 1002, name: 'u' },
    ])
    await insertRows(db, Team, [
      { id: 1001, name: 't' },
      { id: 1002, name: 'u' },
    ])
    await insertRows(db, Comment, [{ id: 1001, text: 'c', post_id: 1001 }])
    await insertLinks(db, 'post_tags', [{ post_id: 1001, tag_id: 1001 }])
    await insertLinks(db, 'post_teams', [{ id: 1001, post_id: 1001, team_id: 1001 }])
    told = []
  }
  test.before.each(reset)

  const succeeded = ({ status, text: answered }: Answer): void => ok(status < 300, answered)
  const paths = () =>
    told
      .map(
        ({ model, action, path }) =>
          `${action} ${model.name} ${path === null ? 'null' : `'${path}'`}`,
      )
      .sort()

  const requests: readonly (readonly [
    method: string,
    url: string,
    body: unknown,
    expected: readonly string[],
  ])[] = [
    ['POST', '/api/tags', { name: 'x' }, ["create Tag ''"]],
    [
      'POST',
      '/api/posts',
      [
        {
          title: 'a',
          author: { name: 'n' },
          comments: [{ text: 'x' }, { text: 'y' }],
          tags: [{ id: 1001 }, { name: 'new' }],
          teams: [{ name: 'new' }, { id: 1001 }],
        },
        { title: 'b', comments: [{ id: 1001 }] },
      ],
      [
        "create Author '[0].author'",
        "create Comment '[0].comments[0]'",
        "create Comment '[0].comments[1]'",
        "create Post '[0]'",
        "create Post '[1]'",
        "create PostTeam '[0].teams[0]'",
        "create PostTeam '[0].teams[1]'",
        "create Tag '[0].tags[1]'",
        "create Team '[0].teams[0]'",
        "update Comment '[1].comments[0]'",
      ],
    ],
    ['PATCH', '/api/posts/1001', { title: 'x' }, ["update Post ''"]],
    ['PUT', '/api/tags/1001', { name: 'x' }, ["update Tag ''"]],
    [
      'PATCH',
      '/api/posts/1001',
      { tags: [{ id: 1002 }], teams: [{ id: 1002 }] },
      ["create PostTeam 'teams[0]'", "delete PostTeam 'teams'", "update Post ''"],
    ],
    [
      'PATCH',
      '/api/posts',
      [
        { id: 1001, title: 'x' },
        { id: 1002, title: 'y', tags: [{ id: 1001 }] },
      ],
      ["update Post '[0]'", "update Post '[1]'"],
    ],
    [
      'PATCH',
      '/api/tags',
      [
        { id: 1001, name: 'x' },
        { id: 1002, name: 'y' },
      ],
      ["update Tag '[0]'", "update Tag '[1]'"],
    ],
    ['PATCH', '/api/tags?id__ge=1001', { name: 'x' }, ['update Tag null', 'update Tag null']],
    [
      'PATCH',
      '/api/posts?id__eq=1001',
      { author: { name: 'new' }, tags: [] },
      ["create Author 'author'", 'update Post null'],
    ],
    [
      'POST',
      '/api/posts?on_conflict=slug',
      [
        { slug: 's1001', title: 'x' },
        { slug: 'new', title: 'y' },
      ],
      ["create Post '[1]'", "update Post '[0]'"],
    ],
    ['DELETE', '/api/posts/1001', undefined, ["delete Post ''"]],
    [
      'DELETE',
      '/api/posts/1001?cascade_delete=1',
      undefined,
      ['delete Comment null', "delete Post ''", 'delete PostTeam null'],
    ],
    ['DELETE', '/api/tags/1001', undefined, ["delete Tag ''"]],
    ['DELETE', '/api/tags?id__eq=1001', undefined, ['delete Tag null']],
    ['POST', '/api/posts/1003/restore', undefined, ["restore Post ''"]],
  ]

  for (const [method, url, body, expected] of requests) {
    test(`${method} ${url} ${JSON.stringify(body)?.slice(0, 60) ?? ''}`, async () => {
      for (const api of [withoutHooks, withHooks]) {
        succeeded(await send(api, method, url, body === undefined ? {} : { body }))
        equal(paths(), expected)
        equal(
          told.map(({ at }) => at),
          told.map(() => (way === 'batch' ? 'operations[0]' : null)),
        )
        if (api === withoutHooks) await reset()
      }
    })
  }

  test('in a batch, the operation that last names the record', async () => {
    const operations: readonly Operation[] = [
      { method: 'POST', url: '/api/posts', body: [{ title: 'a' }, { title: 'b' }] },
      { method: 'PATCH', url: '/api/posts/1002', body: { title: 'x' } },
      { method: 'PATCH', url: '/api/posts/{a.1.id}', body: { title: 'c' } },
      { method: 'PATCH', url: '/api/posts?title__in=(x,a)', body: { title: 'z' } },
      { method: 'PATCH', url: '/api/posts?id__eq=1001', body: { title: 'z' } },
      { method: 'DELETE', url: '/api/tags?id__eq=1002' },
    ]
    succeeded(await sendBatch(withoutHooks, operations))
    equal(
      told.map(({ model, path, at }) => [model.name, path, at]).sort(),
      [
        ['Post', '', 'operations[1]'],
        ['Post', '', 'operations[2]'],
        ['Post', '[0]', 'operations[0]'],
        ['Post', null, 'operations[4]'],
        ['Tag', null, 'operations[5]'],
      ].sort(),
    )
  })

  test('an error before COMMIT names the field, and in a batch the operation', async () => {
    const strict = testApi(db, models, {
      ...config,
      API_ERROR_CODES: { fixed_tags: { status: 403, description: 'The tags are fixed.' } },
      API_BEFORE_COMMIT_CALLBACK: (changes) => {
        for (const { path, at, links } of changes) {
          if (links?.tags === undefined) continue
          throw apiError(
            403,
            'Forbidden',
            { [path ? `${path}.tags` : 'tags']: ['No.'] },
            { code: 'fixed_tags', at },
          )
        }
      },
    })
    const body = [{ title: 'a' }, { title: 'b', tags: [{ id: 1001 }] }]
    const alone = await send(strict, 'POST', '/api/posts', { body })
    const error = {
      error: 'Forbidden',
      reason: { '[1].tags': ['No.'] },
      code: 'fixed_tags',
      problems: [{ path: '[1].tags', code: 'refused', params: {}, message: 'No.' }],
    }
    equal([alone.status, alone.errors], [403, error])
    const together = await sendBatch(strict, [
      { method: 'POST', url: '/api/tags', body: { name: 'x' } },
      { method: 'POST', url: '/api/posts', body },
    ])
    equal([together.status, together.errors], [403, { ...error, at: 'operations[1]' }])
    const { status, errors } = await send(strict, 'PATCH', '/api/posts/1001', {
      body: { tags: [] },
    })
    equal([status, errors.reason], [403, { tags: ['No.'] }])
  })
})
