/** `allow_cascade_delete: 'always'`: every DELETE of a model behaves as with cascade_delete=1, whatever the client sends. */
import { type AnyModel, belongsTo, defineModel, hasMany, type Meta } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const gone = { type: 'boolean', default: false } as const
const config = { API_ALLOW_BATCH: true, API_ALLOW_BULK: true, API_MAX_BULK: 6 } as const

eachDatabase('deletes that always cascade', (test, db) => {
  interface Metas {
    readonly project?: Meta
    readonly issue?: Meta
    readonly comment?: Meta
  }
  const soft: Meta = { soft_delete: true, soft_delete_attribute: 'gone' }
  const modelsOf = ({ project, issue, comment }: Metas): readonly AnyModel[] =>
    [
      defineModel('Project', {
        columns: { id, gone },
        relations: { issues: hasMany('Issue', 'project_id') },
        meta: { allow_cascade_delete: 'always', ...project },
      }),
      defineModel('Issue', {
        columns: { id, project_id: { type: 'integer' }, gone },
        relations: {
          project: belongsTo('Project', 'project_id'),
          comments: hasMany('Comment', 'issue_id'),
        },
        meta: { ...issue },
      }),
      defineModel('Comment', {
        columns: { id, issue_id: { type: 'integer' }, gone },
        relations: { issue: belongsTo('Issue', 'issue_id') },
        meta: { ...comment },
      }),
    ] as unknown as readonly AnyModel[]
  const models = modelsOf({})
  const [Project, Issue, Comment] = models as [AnyModel, AnyModel, AnyModel]

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of ['comments', 'issues', 'projects'])
      await db.kysely.deleteFrom(table).execute()
    await insertRows(
      db,
      Project,
      [1, 2].map((key) => ({ id: key, gone: false })),
    )
    await insertRows(db, Issue, [
      { id: 1, project_id: 1, gone: false },
      { id: 2, project_id: 2, gone: false },
    ])
    await insertRows(db, Comment, [
      { id: 1, issue_id: 1, gone: false },
      { id: 2, issue_id: 2, gone: false },
    ])
  })

  /** The keys of the records that are stored and not marked as deleted: those of projects, issues and comments. */
  const left = () =>
    Promise.all(
      ['projects', 'issues', 'comments'].map(async (table) => {
        const rows = await db.kysely.selectFrom(table).selectAll().orderBy('id').execute()
        return rows.filter((row) => !row.gone).map((row) => Number(row.id))
      }),
    )
  const stored = async () => (await db.kysely.selectFrom('issues').select('id').execute()).length
  const succeeded = ({ status, text }: Answer): void => ok(status < 300, text)

  for (const [kind, metas] of Object.entries({
    hard: {},
    soft: { project: soft, issue: soft, comment: soft },
  })) {
    const api = testApi(db, modelsOf(metas), config)
    const others = [[2], [2], [2]]

    for (const url of [
      '/api/projects/1',
      '/api/projects/1?cascade_delete=1',
      '/api/projects?id__eq=1',
    ]) {
      test(`${kind}: DELETE ${url}`, async () => {
        succeeded(await send(api, 'DELETE', url))
        equal(await left(), others)
        equal(await stored(), kind === 'soft' ? 2 : 1)
      })
    }

    test(`${kind}: in a batch`, async () => {
      succeeded(await sendBatch(api, [{ method: 'DELETE', url: '/api/projects/1' }]))
      equal(await left(), others)
    })

    test(`${kind}: cascade_delete=0 is refused, and says why`, async () => {
      for (const url of [
        '/api/projects/1?cascade_delete=0',
        '/api/projects?id__eq=1&cascade_delete=false',
      ]) {
        const { status, errors } = await send(api, 'DELETE', url)
        equal([status, errors.code], [400, 'invalid_parameter'])
        match(errors.reason, "(API_ALLOW_CASCADE_DELETE is 'always')")
      }
      equal(await left(), [
        [1, 2],
        [1, 2],
        [1, 2],
      ])
    })

    test(`${kind}: a dependent by itself needs its own setting`, async () => {
      const { status, errors } = await send(api, 'DELETE', '/api/issues/1?cascade_delete=1')
      equal([status, errors.code], [400, 'feature_disabled'])
      const alone = await send(api, 'DELETE', '/api/issues/1')
      equal(alone.status, kind === 'soft' ? 200 : 409)
      equal((await left())[2], [1, 2])
    })

    test(`${kind}: dependents decide with their own policies, methods and limits`, async () => {
      const policy: Meta = { access_policy: () => ({ can_delete: () => false }) }
      for (const comment of [policy, { block_methods: ['DELETE'] } satisfies Meta]) {
        const strict = testApi(
          db,
          modelsOf({ ...metas, comment: { ...comment, ...('comment' in metas ? soft : {}) } }),
          config,
        )
        for (const url of ['/api/projects/1', '/api/projects/1?cascade_delete=1'])
          equal((await send(strict, 'DELETE', url)).status, 403)
      }
      await insertRows(
        db,
        Comment,
        [3, 4, 5, 6, 7].map((key) => ({ id: key, issue_id: 1, gone: false })),
      )
      const { status, errors } = await send(api, 'DELETE', '/api/projects/1')
      equal([status, errors.code], [400, 'too_many_records'])
      equal((await left())[0], [1, 2])
      // The client sent no parameter that it could leave out.
      equal(
        [errors.at, errors.reason],
        [
          undefined,
          "This concerns more than 6 records, with those of comments (API_MAX_BULK or max_bulk of projects). Every DELETE here also deletes dependents (API_ALLOW_CASCADE_DELETE is 'always'); delete some of them first.",
        ],
      )
    })
  }

  test('max_bulk of the model in the URL counts all records of a cascade', async () => {
    const limited = (metas: Metas) => testApi(db, modelsOf(metas), { API_ALLOW_BULK: true })
    const refused = await send(limited({ project: { max_bulk: 2 } }), 'DELETE', '/api/projects/1')
    equal([refused.status, refused.errors.code], [400, 'too_many_records'])
    match(refused.errors.reason, 'more than 2 records, with those of comments')
    match(refused.errors.reason, 'max_bulk of projects')
    equal((await left())[0], [1, 2])
    const others = limited({
      project: { max_bulk: 3 },
      issue: { max_bulk: 1 },
      comment: { max_bulk: 1 },
    })
    await insertRows(db, Issue, [{ id: 3, project_id: 1, gone: false }])
    await db.kysely.deleteFrom('comments').where('id', '=', 1).execute()
    equal((await send(others, 'DELETE', '/api/projects/1')).status, 200)
    equal((await left())[0], [2])
  })

  test('the document says so', () => {
    const descriptionOf = (metas: Metas) => {
      const { paths } = testApi(db, modelsOf(metas), config).openapi() as unknown as {
        paths: Record<string, { delete: { description: string } }>
      }
      return ['/api/projects', '/api/projects/{id}'].map((path) =>
        paths[path]?.delete.description.includes('depend on it are deleted too'),
      )
    }
    equal(descriptionOf({}), [true, true])
    equal(descriptionOf({ project: { allow_cascade_delete: true } }), [false, false])
  })
})
