/**
 * Writes with a scope_query and a filter callback: one statement if the conditions depend only on the row, with the same result
 * as a transaction.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AnyModel, type ApiConfig, defineModel } from '@model-api/core'
import { sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainOnly } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const note = (policy?: AccessPolicy, more: object = {}): AnyModel =>
  defineModel('Note', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      text: { type: 'string', column: 'text_of_note' },
      tenant: { type: 'integer' },
      level: { type: 'integer', nullable: true },
      gone: { type: 'boolean', readOnly: false, default: false },
    },
    meta: { ...more, ...(policy && { access_policy: policy }) },
  })
const Note = note()

// biome-ignore lint/suspicious/noExplicitAny: queries, expression builders and arguments of hooks of any model
type Any = any
type Narrow = (query: Any, tenant: number) => Any

/** The scope of a policy as plain data. */
type Conditions = { readonly conditions: (tenant: number) => object }

const asData: Readonly<Record<string, Conditions>> = {
  'a condition': { conditions: (tenant) => ({ tenant: { eq: tenant } }) },
  'not, or': {
    conditions: (tenant) => ({
      or: [{ not: { tenant: { ne: tenant } } }, { not: { level: { lt: 7 } } }],
    }),
  },
}

/** Scopes that depend only on the row itself. */
const ofTheRow: Readonly<Record<string, Narrow>> = {
  'a value': (query, tenant) => query.where('tenant', '=', tenant),
  'columns by the name of the table': (query, tenant) => query.where('notes.tenant', '=', tenant),
  values: (query, tenant) =>
    query.where('tenant', 'in', [tenant, 7]).where('level', 'is not', null),
  'or, not': (query, tenant) =>
    query.where((eb: Any) =>
      eb.or([
        eb('tenant', '=', tenant),
        eb.and([eb('level', '>', 5), eb.not(eb('tenant', '=', 3))]),
      ]),
    ),
  'SQL that compares columns': (query, tenant) =>
    query.where(sql`tenant = ${tenant} and level < ${9}`),
  'all rows': (query) => query,
  'one or all rows': (query, tenant) => (tenant === 1 ? query : query.where('tenant', '=', tenant)),
}

/** Scopes for which the write takes a transaction: they depend on other rows, or are not plain conditions on columns. */
const ofOtherRows: Readonly<Record<string, Narrow>> = {
  'a subquery': (query, tenant) =>
    query.where((eb: Any) =>
      eb(
        'id',
        'in',
        eb.selectFrom('notes as own').select('own.id').where('own.tenant', '=', tenant),
      ),
    ),
  'a function': (query, tenant) => query.where(sql`coalesce(tenant, 0)`, '=', tenant),
  'SQL with a comment': (query, tenant) =>
    query.where(sql`tenant = ${tenant} -- is null
  `),
  'a limit': (query, tenant) => query.where('tenant', '=', tenant).orderBy('id').limit(2),
  'a join': (query, tenant) =>
    query.innerJoin('notes as own', 'own.id', 'notes.id').where('own.tenant', '=', tenant),
  'a mask': (query, tenant) =>
    query
      .clearSelect()
      .select(['id', 'tenant', 'level', 'gone', sql`'hidden'`.as('text_of_note')])
      .where('tenant', '=', tenant),
  'no rows at all': () => null,
}

const bodies = {
  text: { text: 'changed' },
  level: { level: 9 },
  tenant: { tenant: 2 },
}
const created = { text: 'new', level: 6, gone: false }
const requests: readonly (readonly [method: string, url: string, body?: object])[] = [
  ...[1, 2, 99].flatMap((id) =>
    Object.values(bodies).map((body) => ['PATCH', `/api/notes/${id}`, body] as const),
  ),
  ['PUT', '/api/notes/1', { ...created, tenant: 1 }],
  ['PUT', '/api/notes/1', { ...created, tenant: 3, level: null }],
  ['PUT', '/api/notes/2', { ...created, tenant: 1 }],
  ['POST', '/api/notes', { ...created, id: 11, tenant: 1 }],
  ['POST', '/api/notes', { ...created, id: 11, tenant: 3 }],
  ['POST', '/api/notes', { ...created, id: 1, tenant: 1 }],
  ['DELETE', '/api/notes/1'],
  ['DELETE', '/api/notes/2'],
  ['DELETE', '/api/notes/99'],
]

const methods = { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }
const softDelete = { soft_delete: true, soft_delete_attribute: 'gone' }

eachDatabase('a write under a scope', (test, db) => {
  const rows = [1, 2, 3, 1].map((tenant, i) => ({
    id: i + 1,
    text: `note ${i + 1}`,
    tenant,
    level: i === 3 ? null : i + 5,
    gone: false,
  }))
  const clear = () => db.kysely.deleteFrom('notes').execute()
  const stored = () => db.kysely.selectFrom('notes').selectAll().orderBy('id').execute()
  /** The rows as the database returns them. */
  let filled: Awaited<ReturnType<typeof stored>>
  const serve = (
    scope: Narrow | Conditions | undefined,
    filter?: Narrow,
    more: object = {},
    waits = false,
  ) => {
    const maybeWaiting = (call: (...args: Any[]) => unknown) =>
      waits ? async (...args: Any[]) => call(...args) : call
    const by = (narrow: Narrow) =>
      maybeWaiting((query: Any, { user }: Any) => narrow(query, user.tenant))
    const policyOf = (one: Narrow | Conditions) =>
      typeof one === 'function'
        ? { scope_query: by(one) }
        : { scope: maybeWaiting(({ user }: Any) => one.conditions(user.tenant)) }
    const config: ApiConfig =
      filter === undefined
        ? {}
        : { API_FILTER_CALLBACK: (query, _model, _params, args) => by(filter)(query, args) }
    const policy = scope && (policyOf(scope) as AccessPolicy)
    return testApi(db, [note(policy, { ...methods, ...more })], config, { onError: () => {} })
  }
  type Served = ReturnType<typeof serve>
  const users = [{ tenant: 1 }, { tenant: 2 }]

  test.before(() => createTables(db, [Note]))
  test.before.each(async () => {
    await clear()
    await insertRows(db, Note, rows)
    filled = await stored()
  })

  async function outcome(
    api: Served,
    [method, url, body]: (typeof requests)[number],
    user: object,
  ) {
    const { status, text, headers } = await send(api, method, url, { user, ...(body && { body }) })
    const after = await stored()
    if (!isDeepStrictEqual(after, filled)) {
      await clear()
      await db.kysely.insertInto('notes').values(filled).execute()
    }
    return { answer: `${status} ${text}`, etag: headers.etag, after }
  }

  /** Compares with an API whose hooks return promises, so that every write takes a transaction. */
  async function compare(
    scope: Narrow | Conditions | undefined,
    filter?: Narrow,
    more?: object,
  ): Promise<void> {
    const apis = [serve(scope, filter, more), serve(scope, filter, more, true)] as const
    for (const request of requests) {
      for (const user of [...users, ...users]) {
        const [one, other] = [
          await outcome(apis[0], request, user),
          await outcome(apis[1], request, user),
        ]
        equal(one, other, `${JSON.stringify(request)} for ${JSON.stringify(user)}`)
      }
    }
  }

  for (const [name, scope] of Object.entries({ ...asData, ...ofTheRow, ...ofOtherRows })) {
    test(`is answered and stored as in a transaction: ${name}`, async () => {
      await compare(scope)
    })
  }
  test('is answered and stored as in a transaction: under a filter callback', async () => {
    const high: Narrow = (query) => query.where('level', '>', 5)
    await compare(undefined, high)
    await compare(ofTheRow['a value'], high)
    await compare(ofOtherRows['a subquery'], high)
    await compare(ofTheRow['a value'], ofOtherRows['a join'])
    await compare(asData['a condition'], high)
    await compare(asData['a condition'], ofOtherRows['a join'])
  })
  test('is answered and stored as in a transaction: where records are marked as deleted', async () => {
    await compare(ofTheRow['or, not'], undefined, softDelete)
  })

  if (plainOnly) return

  const returns = db.name === 'sqlite' || db.engine === 'postgres'
  const counts = async (api: Served, user: object) => {
    await api.ready
    const all: number[] = []
    for (const [method, url, body] of [
      ['PATCH', '/api/notes/1', bodies.text],
      ['PATCH', '/api/notes/1', { tenant: 1 }],
      ['POST', '/api/notes', { ...created, id: 20 + all.length, tenant: 1 }],
      ['DELETE', '/api/notes/1'],
    ] as const) {
      const { statements } = await db.capture(() =>
        send(api, method, url, { user, ...(body && { body }) }),
      )
      all.push(statements.length)
    }
    return all
  }
  const insert = db.engine === 'mysql' ? 2 : 1

  for (const [name, scope] of Object.entries({ ...asData, ...ofTheRow })) {
    test(`is one statement: ${name}`, async () => {
      const change = returns ? 1 : 2
      equal(await counts(serve(scope), users[0] as object), [change, change, insert, 1])
    })
  }
  test('is one statement: a filter callback', async () => {
    const change = returns ? 1 : 2
    const api = serve(undefined, ofTheRow['a value'])
    equal(await counts(api, users[0] as object), [change, change, insert, 1])
  })
  for (const [name, scope] of Object.entries(ofOtherRows)) {
    test(`runs in a transaction: ${name}`, async () => {
      const [patch = 0] = await counts(serve(scope), users[0] as object)
      ok(patch > (returns ? 1 : 2), String(patch))
    })
  }

  test('calls a scope function once, and once more in a transaction', async () => {
    const asked: unknown[] = []
    const watched = (narrow: Narrow, waits = false) => {
      const scope_query = (query: unknown, { action, many, relation_name: relation }: never) => {
        asked.push([action, many, relation])
        return waits ? Promise.resolve(narrow(query, 1)) : narrow(query, 1)
      }
      return testApi(db, [note({ scope_query } as never, methods)])
    }
    const change = async (api: Served) => {
      asked.length = 0
      await send(api, 'PATCH', '/api/notes/1', { body: bodies.text })
      return asked
    }
    const once = ['PATCH', false, null]
    const ofRow = watched(ofTheRow['a value'] as Narrow)
    equal(await change(ofRow), [once])
    equal(await change(ofRow), [once])
    const waiting = watched(ofTheRow['a value'] as Narrow, true)
    equal(await change(waiting), [once, once, once])
    equal(await change(waiting), [once, once])
  })

  if (db.name === 'sqlite') return

  test('checks the scope again after it has waited for the lock of the record', async () => {
    for (const scope of [ofTheRow['a value'], ofOtherRows['a subquery']]) {
      const api = serve(scope)
      await api.ready
      let answer: ReturnType<typeof send> | undefined
      await db.kysely.transaction().execute(async (own) => {
        await own.updateTable('notes').set({ tenant: 2 }).where('id', '=', 1).execute()
        answer = send(api, 'PATCH', '/api/notes/1', { user: users[0], body: bodies.text })
        await new Promise((resolve) => setTimeout(resolve, 100))
      })
      equal((await answer)?.status, 404)
      equal((await stored())[0], { ...(await stored())[0], text_of_note: 'note 1' })
      await db.kysely.updateTable('notes').set({ tenant: 1 }).where('id', '=', 1).execute()
    }
  })
})
