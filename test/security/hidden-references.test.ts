/**
 * Writes of records that refer to records which a policy or soft delete may hide: one statement checks the references and
 * writes, with the same result as a transaction.
 */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  belongsTo,
  defineModel,
  hasMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: queries, expression builders and arguments of hooks of any model
type Any = any

const tenant = ({ user }: Any): number => user.tenant
const key = { type: 'integer', primaryKey: true } as const

/** Policies of lists whose condition the INSERT of a task contains. */
const inStatement: Readonly<Record<string, object>> = {
  'scope as data': { scope: { tenant: { eq: tenant } } },
  'scope as a function, without conditions for an administrator': {
    scope: (args: Any) => tenant(args) === 9 || { tenant: { eq: tenant(args) } },
  },
  'values in a list of varying length': {
    scope: { tenant: { in: (args: Any) => [tenant(args), ...(tenant(args) === 2 ? [1] : [])] } },
  },
  'scope_query with a value': {
    scope_query: (query: Any, args: Any) => query.where('lists.tenant', '=', tenant(args)),
  },
  'scope_query without conditions for an administrator': {
    scope_query: (query: Any, args: Any) =>
      tenant(args) === 9 ? query : query.where('tenant', '=', tenant(args)),
  },
}

/** Policies for which the write takes a transaction. */
const inTransaction: Readonly<Record<string, object>> = {
  'a promise': {
    scope_query: async (query: Any, args: Any) => query.where('tenant', '=', tenant(args)),
  },
  'another table': { scope: { tasks: { note: { eq: 'first' } } } },
  'a refusal': { scope: (args: Any) => tenant(args) === 1 && { tenant: { eq: 1 } } },
  'an error of the host': {
    scope: () => {
      throw apiError(418, 'no')
    },
  },
}

const listOf = (policy: object): AnyModel =>
  defineModel('List', {
    columns: { id: key, tenant: { type: 'integer' } },
    relations: { tasks: hasMany('Task', 'list_id') },
    meta: { access_policy: policy } as Any,
  })
const Label = defineModel('Label', {
  columns: { id: key, name: { type: 'string', unique: true }, gone: { type: 'boolean' } },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})
const Task = defineModel('Task', {
  columns: {
    id: { ...key, generated: true },
    note: { type: 'string', unique: true, nullable: true },
    list_id: { type: 'integer', nullable: true },
    other_id: { type: 'integer', nullable: true },
    label_name: { type: 'string', nullable: true },
    parent_id: { type: 'integer', nullable: true },
  },
  relations: {
    list: belongsTo('List', 'list_id'),
    other: belongsTo('List', 'other_id'),
    label: belongsTo('Label', 'label_name', { references: 'name' }),
    parent: belongsTo('Task', 'parent_id'),
  },
  meta: { access_policy: { scope: { note: { ne: 'secret' } } } } as Any,
})

const lists = [1, 1, 2].map((tenant, i) => ({ id: i + 1, tenant }))
const labels = [
  { id: 1, name: 'kept', gone: false },
  { id: 2, name: 'gone', gone: true },
]
const tasks = [
  { id: 1, note: 'first', list_id: 1 },
  { id: 2, note: 'secret', list_id: 3 },
  { id: 3, note: 'third', list_id: 3, label_name: 'gone' },
]

const bodies: readonly object[] = [
  {},
  { list_id: null, note: 'a' },
  ...[1, 2, 3, 99].map((list_id) => ({ list_id, note: 'b' })),
  ...[1, 3].flatMap((list_id) => [1, 3, null].map((other_id) => ({ list_id, other_id }))),
  ...['kept', 'gone', 'none'].map((label_name) => ({ label_name })),
  { label_name: 'kept', list_id: 1, other_id: 2 },
  ...[1, 2, 99].map((parent_id) => ({ parent_id, list_id: 1 })),
  // A second mistake is reported after a hidden reference.
  ...[1, 3, 99].map((list_id) => ({ list_id, note: 'first' })),
  { list_id: 3, note: 'secret' },
  { list_id: 1, note: 'second' },
]

/** Changes of stored records that already refer to hidden ones. */
const changes = [1, 2, 3, 99].flatMap((id) => [
  ...[
    {},
    { note: 'changed' },
    ...[1, 2, 3, null, 99].map((list_id) => ({ list_id })),
    { list_id: 3, label_name: 'kept' },
    ...['kept', 'gone', 'GONE', 'none'].map((label_name) => ({ label_name, list_id: 3 })),
    { parent_id: 1 },
    { parent_id: 2, list_id: 3 },
    { list_id: 1, note: 'first' },
    { list_id: 99, note: 'first' },
  ].map((body) => ['PATCH', id, body] as const),
  ...[1, 3].map((list_id) => ['PUT', id, { note: 'put', list_id, label_name: 'gone' }] as const),
])

const users = [1, 2, 9, 1].map((tenant) => ({ tenant }))

eachDatabase('references to records that may be hidden', (test, db) => {
  const tables = [listOf({}), Label, Task]
  const clear = () => db.kysely.deleteFrom('tasks').where('id', '>', 3).execute()
  const restore = async () => {
    const empty = { list_id: null, other_id: null, label_name: null, parent_id: null }
    for (const { id, ...task } of tasks) {
      const values = { ...empty, ...task }
      await db.kysely.updateTable('tasks').set(values).where('id', '=', id).execute()
    }
  }
  const serve = (models: readonly AnyModel[], config: ApiConfig = {}) =>
    [{}, { dialect: plainDialect(db.kysely) }].map((options) =>
      testApi(db, models, config, { onError: () => {}, ...options }),
    )
  test.before(async () => {
    await createTables(db, tables)
    await insertRows(db, listOf({}), lists)
    await insertRows(db, Label, labels)
    // Omits the keys, so that the database generates them and its counter advances.
    for (const { id: _, ...task } of tasks) await insertRows(db, Task, [task])
  })

  let turn = 0
  /** All cases; on servers a third of them, a different third for each policy. */
  const share = <T>(cases: readonly T[]): readonly T[] => {
    turn += 1
    return db.name === 'sqlite' ? cases : cases.filter((_, i) => i % 3 === turn % 3)
  }

  /** Sends all bodies for all users to the API and to one without single statements. */
  async function compare(models: readonly AnyModel[], config?: ApiConfig): Promise<void> {
    const apis = serve(models, config)
    const statuses = new Set<number>()
    for (const body of share(bodies)) {
      for (const user of users) {
        const outcomes: unknown[] = []
        for (const api of apis) {
          const { status, text } = await send(api, 'POST', '/api/tasks', { user, body })
          statuses.add(status)
          const rows = await db.kysely
            .selectFrom('tasks')
            .select(['note', 'list_id', 'other_id', 'label_name', 'parent_id'])
            .where('id', '>', 3)
            .execute()
          outcomes.push([status, text.replaceAll(/\b(id"?:|tasks\/)\d+/g, '$1…'), rows])
          if (rows.length > 0) await clear()
        }
        const about = `${JSON.stringify(body)} for ${JSON.stringify(user)}`
        equal(JSON.stringify(outcomes[0]), JSON.stringify(outcomes[1]), about)
      }
    }
    ok(statuses.size > 1)
  }

  /** Sends all changes for all users to the API and to one without single statements. */
  async function compareChanges(models: readonly AnyModel[]): Promise<void> {
    const apis = serve(models)
    const stored = () => db.kysely.selectFrom('tasks').selectAll().orderBy('id').execute()
    const before = await stored()
    for (const [method, id, body] of share(changes)) {
      for (const user of users.slice(0, 2)) {
        const outcomes: unknown[] = []
        for (const api of apis) {
          const { status, text } = await send(api, method, `/api/tasks/${id}`, { user, body })
          const after = await stored()
          outcomes.push([status, text, after])
          if (JSON.stringify(after) === JSON.stringify(before)) continue
          await restore()
        }
        const about = `${method} ${id} ${JSON.stringify(body)} for ${JSON.stringify(user)}`
        equal(JSON.stringify(outcomes[0]), JSON.stringify(outcomes[1]), about)
      }
    }
  }

  for (const [name, policy] of Object.entries({ ...inStatement, ...inTransaction })) {
    test(`are answered and stored as in a transaction: ${name}`, async () => {
      await compare([listOf(policy), Label, Task])
    })
    test(`are answered and stored as in a transaction: changes, ${name}`, async () => {
      await compareChanges([listOf(policy), Label, Task])
    })
  }

  test('are answered and stored as in a transaction: with a callback for the response', async () => {
    const dump = (value: Any) => value
    const policy = inStatement['scope as data'] as object
    await compare([listOf(policy), Label, Task], { API_DUMP_CALLBACK: dump })
  })

  test('are answered and stored as in a transaction: where the caller may not read the other model', async () => {
    const policy = inStatement['scope as data'] as object
    const hidden = defineModel('List', {
      columns: { id: key, tenant: { type: 'integer' } },
      meta: { access_policy: policy, allowed_methods: ['POST'] } as Any,
    })
    await compare([hidden, Label, Task])
    await compareChanges([hidden, Label, Task])
  })

  test('are answered and stored as in a transaction: where the caller may not read the changed model', async () => {
    const policy = inStatement['scope as data'] as object
    const writeOnly = defineModel('Task', {
      columns: Task.columns,
      relations: Task.relations,
      meta: { allowed_methods: ['PATCH', 'PUT'] },
    } as Any)
    await compareChanges([listOf(policy), Label, writeOnly])
  })

  const count = async (policy: object, body: object): Promise<number> => {
    const [api] = serve([listOf(policy), Label, Task])
    await api?.ready
    const post = () => send(api as never, 'POST', '/api/tasks', { user: users[0], body })
    const { result, statements } = await db.capture(post)
    equal(result.status, 201)
    await clear()
    return statements.length
  }
  const single = db.engine === 'mysql' ? 2 : 1
  const full = { list_id: 1, other_id: 2, label_name: 'kept', parent_id: 1 }

  for (const [name, policy] of Object.entries(inStatement)) {
    test(`are written by one statement: ${name}`, async () => {
      equal(await count(policy, full), single)
      equal(await count(policy, { list_id: null, label_name: null }), single)
    })
  }

  test('are changed by one statement where an UPDATE may read any table', async () => {
    const [api] = serve([listOf(inStatement['scope as data'] as object), Label, Task])
    await api?.ready
    const body = { list_id: 2, label_name: 'kept' }
    const patch = () => send(api as never, 'PATCH', '/api/tasks/1', { user: users[0], body })
    const { result, statements } = await db.capture(patch)
    equal(result.status, 200)
    if (db.name === 'mysql') ok(statements.length > 2)
    else equal(statements.length, 1)
    await restore()
  })

  test('are written in a transaction: another table', async () => {
    ok((await count(inTransaction['another table'] as object, { list_id: 1 })) > single)
  })

  test('call the policy of each reference once, in the order of the relations', async () => {
    const asked: unknown[] = []
    const scope = ({ action, many, relation_name: relation, model }: Any) => {
      asked.push([model.name, action, many, relation])
      return true
    }
    const [api] = serve([listOf({ scope }), Label, Task])
    await send(api as never, 'POST', '/api/tasks', { user: users[0], body: full })
    equal(asked, [
      ['List', 'POST', false, null],
      ['List', 'POST', false, null],
    ])
    await clear()
  })
})
