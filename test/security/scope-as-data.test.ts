/** `scope` of a policy: conditions as data narrow every read and write as `scope_query` does. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { FilterOperator } from '../../packages/core/src/model/query-words/operators.ts'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import type { ScopeConditions } from '../../packages/core/src/model/settings/access/scope-types.ts'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { plainOnly } from '../support/path.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

function models(policies: Readonly<Record<string, AccessPolicy>> = {}): readonly AnyModel[] {
  const meta = (name: string) => {
    const policy = policies[name]
    return policy === undefined ? {} : { access_policy: policy }
  }
  return [
    defineModel('Team', {
      columns: { id, name: { type: 'string' } },
      relations: {
        tasks: hasMany('Task', 'team_id'),
        members: manyToMany('Member', { through: 'seats', from: 'team_id', to: 'member_id' }),
      },
      meta: meta('Team'),
    }),
    defineModel('Member', { columns: { id, name: { type: 'string' } }, meta: meta('Member') }),
    defineModel('Task', {
      columns: {
        id,
        title: { type: 'string', column: 'name_of_task' },
        points: { type: 'integer', nullable: true },
        due: { type: 'date', nullable: true },
        open: { type: 'boolean' },
        team_id: { type: 'integer', nullable: true },
        parent_id: { type: 'integer', nullable: true },
        owner: { type: 'string', hidden: true, default: 'ann' },
      },
      relations: {
        team: belongsTo('Team', 'team_id'),
        parent: belongsTo('Task', 'parent_id'),
        parts: hasMany('Task', 'parent_id'),
      },
      meta: meta('Task'),
    }),
  ]
}

const [Team, Member, Task] = models() as [AnyModel, AnyModel, AnyModel]

const config: ApiConfig = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true }

eachDatabase('a scope as data', (test, db) => {
  const reports: string[] = []
  const api = (policies: Readonly<Record<string, AccessPolicy>>, more: ApiConfig = {}) =>
    testApi(
      db,
      models(policies),
      { ...config, ...more },
      { onError: (error) => void reports.push(String((error as Error).message)) },
    )
  const tasks = async (policy: AccessPolicy, user: unknown = { id: 'ann', team: 1 }) => {
    const { value, status } = await send(api({ Task: policy }), 'GET', '/api/tasks?order_by=id', {
      user,
    })
    return status === 200 ? value.map((one: { id: number }) => one.id) : status
  }
  const inScope = (scope: ScopeConditions, user?: unknown) => tasks({ scope }, user)

  test.before(async () => {
    await createTables(db, [Team, Member, Task])
    await insertRows(db, Team, [
      { id: 1, name: 'Red' },
      { id: 2, name: 'Blue' },
    ])
    await insertRows(db, Member, [
      { id: 7, name: 'ann' },
      { id: 8, name: 'bob' },
    ])
    await insertLinks(db, 'seats', [
      { team_id: 1, member_id: 7 },
      { team_id: 1, member_id: 8 },
      { team_id: 2, member_id: 8 },
    ])
  })

  const row = { points: 1, due: null, open: true, team_id: 1, parent_id: null, owner: 'ann' }
  const rows = [
    { ...row, id: 1, title: 'Plan' },
    { ...row, id: 2, title: 'planks', points: 5, due: '2024-05-01', team_id: 2 },
    { ...row, id: 3, title: 'Build', points: null, open: false, parent_id: 1, owner: 'bob' },
    { ...row, id: 4, title: 'Sell', points: 9, due: '2024-06-01', team_id: null, parent_id: 2 },
  ]

  const clear = async () => {
    await db.kysely.updateTable('tasks').set({ parent_id: null }).execute()
    await db.kysely.deleteFrom('tasks').execute()
  }

  test.before.each(async () => {
    reports.length = 0
    await clear()
    await insertRows(db, Task, rows)
  })

  const operators: readonly (readonly [ScopeConditions, readonly number[]])[] = [
    [{ owner: { eq: 'bob' } }, [3]],
    [{ owner: { ne: 'bob' } }, [1, 2, 4]],
    [{ points: { gt: 1, le: 5 } }, [2]],
    [{ points: { lt: 5 } }, [1]],
    [{ points: { ge: 5n } }, [2, 4]],
    [{ due: { ge: new Date('2024-06-01') } }, [4]],
    [{ open: { eq: false } }, [3]],
    [{ points: { isnull: true } }, [3]],
    [{ points: { isnull: false } }, [1, 2, 4]],
    [{ points: { in: [1, 9, null] } }, [1, 4]],
    [{ points: { nin: [1, 9] } }, [2]],
    [{ points: { nin: [1, null] } }, []],
    [{ points: { in: [] } }, []],
    [{ points: { between: [2, 9] } }, [2, 4]],
    [{ title: { startswith: 'Plan' } }, [1]],
    [{ title: { istartswith: 'PLAN' } }, [1, 2]],
    [{ title: { ilike: 'L' } }, [1, 2, 3, 4]],
    [{ title: { nlike: 'l' } }, []],
  ]
  for (const [scope, expected] of operators) {
    test(`matches the rows of ${JSON.stringify(scope, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`, async () => {
      equal(await inScope(scope), expected)
    })
  }

  test('decides whether the response to a POST contains the new record', async () => {
    for (const [scope, expected] of operators) {
      const served = api({ Task: { scope } })
      // No client may set the owner; a new task is ann's.
      for (const { owner: _, ...one } of rows.filter((task) => task.owner === 'ann')) {
        const body = { ...one, id: one.id + 10, parent_id: null }
        const { status, value } = await send(served, 'POST', '/api/tasks', { body })
        equal([status, value !== null], [201, expected.includes(one.id)], Object.keys(scope).join())
        await db.kysely.deleteFrom('tasks').where('id', '=', body.id).execute()
      }
    }
  })

  test('of a new record is that of its creator, whoever created the previous one', async () => {
    const served = api({ Task: { scope: { team_id: { eq: ({ user }) => user.team } } } })
    for (const [i, team] of [1, 2, 1, 2].entries()) {
      const body = { id: 10 + i, title: 'New', open: true, team_id: 2 }
      const { status, value } = await send(served, 'POST', '/api/tasks', { body, user: { team } })
      equal([status, value !== null], [201, team === 2])
    }
  })

  test('combines conditions by and, or and not', async () => {
    equal(await inScope({ open: { eq: true }, points: { gt: 1 } }), [2, 4])
    equal(await inScope({ or: [{ points: { eq: 1 } }, { owner: { eq: 'bob' } }] }), [1, 3])
    equal(await inScope({ and: [{ points: { gt: 1 } }, { team_id: { eq: 2 } }] }), [2])
    equal(await inScope({ not: { points: { gt: 1 } } }), [1])
    equal(await inScope({ not: { or: [{ id: { eq: 1 } }, { id: { eq: 4 } }] } }), [2, 3])
  })

  test('follows relations, regardless of the policies of their models', async () => {
    equal(await inScope({ team: { name: { eq: 'Red' } } }), [1, 3])
    equal(await inScope({ team: { members: { id: { eq: 8 } } } }), [1, 2, 3])
    equal(await inScope({ team: { members: { name: { eq: 'ann' } } } }), [1, 3])
    equal(await inScope({ parent: { parent: { id: { eq: 1 } } } }), [])
    equal(await inScope({ parts: { owner: { eq: 'bob' } } }), [1])
    equal(await inScope({ parts: {} }), [1, 2])
    equal(await inScope({ not: { team: {} } }), [4])
    equal(await inScope({ or: [{ parts: {} }, { parent: { points: { eq: 1 } } }] }), [1, 2, 3])
    const closed = api({
      Task: { scope: { team: { members: { id: { eq: 7 } } } } },
      Team: { scope: { id: { eq: 0 } } },
      Member: { scope: () => false },
    })
    const { value } = await send(closed, 'GET', '/api/tasks?order_by=id')
    equal(
      value.map((one: { id: number }) => one.id),
      [1, 3],
    )
  })

  /** Scopes whose value is the caller's, each with values that need other SQL than those before them. */
  const given = ({ user }: { readonly user: unknown }) =>
    (user as { readonly given: unknown }).given as never
  const isOpen = { open: { eq: false } }
  const bound: readonly (readonly [ScopeConditions, readonly unknown[]])[] = [
    [{ or: [{ points: { nin: given } }, isOpen] }, [[1, 5], [1, null], [9], [1, 5, 9], []]],
    [{ or: [{ points: { in: given } }, isOpen] }, [[1, 5], [1, null], [], null, [9]]],
    [{ not: { or: [{ points: { in: given } }, isOpen] } }, [[1, 5], null, [1, null], [9]]],
    [{ points: { isnull: given } }, [true, false, null, true]],
    [{ or: [{ points: { between: given } }, isOpen] }, [[1, 5], null, [9, 9], [5, 1]]],
    [{ due: { ge: given } }, ['2024-05-02', '2024-01-01', null]],
    [{ title: { ilike: given } }, ['plan', '', 'PL%', null, 'x'.repeat(40)]],
    [{ team: { name: { in: given } } }, [['Red'], ['Red', 'Blue'], [], null]],
  ]
  for (const [scope, values] of bound) {
    test(`a stored statement has the scope of each caller: ${JSON.stringify(values)}`, async () => {
      const shared = api({ Task: { scope } })
      const asked = async (by: Api, value: unknown, url: string): Promise<unknown> => {
        const user = { id: 'ann', team: 1, given: value }
        const read = await send(by, 'GET', url, { user })
        const body = { points: 9 }
        const written = await send(by, 'PATCH', '/api/tasks/4', { user, body })
        return [read.status, read.value, written.status]
      }
      for (const url of ['/api/tasks?order_by=id', '/api/tasks/3', '/api/tasks?join=parent']) {
        // In several orders, so that each value is asked for after each other one.
        const orders = [values, [...values].reverse(), [...values, ...values]]
        for (const value of orders.flat()) {
          const alone = await asked(api({ Task: { scope } }), value, url)
          equal(await asked(shared, value, url), alone, `${url} ${JSON.stringify(value)}`)
        }
      }
    })
  }

  /** Two values of each operator that find different tasks. The compiler requires an entry for each operator. */
  const pairs: Readonly<Record<FilterOperator, readonly [string, unknown, unknown] | null>> = {
    eq: ['points', 1, 5],
    ne: ['points', 1, 5],
    lt: ['points', 2, 9],
    le: ['points', 1, 5],
    gt: ['points', 1, 5],
    ge: ['points', 5, 9],
    in: ['points', [1, 5], [5, 9]],
    nin: ['points', [1, 5], [5, 9]],
    like: ['title', 'Pl', 'pl'],
    ilike: ['title', 'PLANK', 'BUILD'],
    nlike: ['title', 'Pl', 'pl'],
    nilike: ['title', 'PLANK', 'BUILD'],
    startswith: ['title', 'Pl', 'pl'],
    istartswith: ['title', 'PLANK', 'BUILD'],
    endswith: ['title', 'an', 'ks'],
    iendswith: ['title', 'AN', 'KS'],
    between: ['points', [1, 5], [5, 9]],
    isnull: ['points', true, false],
    // Lists are columns of PostgreSQL only (test/dialect/operators.test.ts).
    contains: null,
    overlaps: null,
  }
  test('a stored statement has the value of each caller, by every operator', async () => {
    for (const [operator, pair] of Object.entries(pairs)) {
      if (pair === null) continue
      const [column, ...values] = pair
      const scope = { [column]: { [operator]: given } } as ScopeConditions
      const read = async (by: Api, value: unknown): Promise<string> =>
        (await send(by, 'GET', '/api/tasks?order_by=id', { user: { given: value } })).text
      const alone = await Promise.all(values.map((value) => read(api({ Task: { scope } }), value)))
      ok(alone[0] !== alone[1], operator)
      const shared = api({ Task: { scope } })
      for (let turn = 0; turn < 6; turn++) {
        equal(await read(shared, values[turn % 2]), alone[turn % 2], `${operator}, turn ${turn}`)
      }
    }
  })

  test('a stored statement has no embed that the policy of the caller refuses', async () => {
    const id = { type: 'integer', primaryKey: true } as const
    const Shop = defineModel('Shop', {
      columns: { id, name: { type: 'string' } },
      meta: { access_policy: { scope: ({ user }) => user !== null } },
    })
    // With no other relation, a database may build the whole object, with the shop in it.
    const Sale = defineModel('Sale', {
      columns: { id, shop_id: { type: 'integer' } },
      relations: { shop: belongsTo('Shop', 'shop_id') },
      meta: {},
    })
    await createTables(db, [Shop, Sale])
    await insertRows(db, Shop, [{ id: 1, name: 'secret' }])
    await insertRows(db, Sale, [{ id: 1, shop_id: 1 }])
    const shared = testApi(db, [Shop, Sale])
    for (const user of [{ id: 'ann' }, { id: 'ann' }, { id: 'ann' }, null, null, { id: 'ann' }]) {
      const { value, text } = await send(shared, 'GET', '/api/sales?dump=json', { user })
      equal(text.includes('secret'), user !== null)
      if (user === null) equal(value[0].shop, '/api/sales/1/shop')
    }
  })

  test('takes values from the request; no row meets a condition whose value is null', async () => {
    const mine: ScopeConditions = { owner: { eq: ({ user }) => user?.id ?? null } }
    equal(await inScope(mine), [1, 2, 4])
    equal(await inScope(mine, { id: 'bob' }), [3])
    equal(await inScope(mine, null), [])
    equal(await inScope({ owner: { ne: () => null } }), [])
    equal(await inScope({ owner: { in: () => null } }), [])
    equal(await inScope({ points: { isnull: () => null } }), [])
    equal(await inScope({ not: mine }, null), [])
    equal(await inScope({ not: { open: { eq: false }, ...mine } }, null), [])
    equal(await inScope({ not: { or: [{ open: { eq: false } }, mine] } }, null), [])
    equal(await inScope({ not: { team: { name: { eq: null } } } }, null), [])
    equal(await inScope({ or: [{ open: { eq: false } }, mine] }, null), [3])
    equal(await inScope({ owner: { eq: async ({ user }) => user?.id } }), [1, 2, 4])
    equal(
      await inScope({
        team_id: {
          in: async ({ db: own }) =>
            idsOf(await own.selectFrom('teams').selectAll().where('name', '=', 'Blue').execute()),
        },
      }),
      [2],
    )
  })
  const idsOf = (rows: readonly unknown[]) => rows.map((row) => (row as { id: number }).id)

  test('may be a function of the request, which gives conditions, all rows or a refusal', async () => {
    const policy: AccessPolicy = {
      scope: ({ user }) => (user === null ? null : user.admin || { owner: { eq: user.id } }),
    }
    equal(await tasks(policy), [1, 2, 4])
    equal(await tasks(policy, { admin: true }), [1, 2, 3, 4])
    equal(await tasks(policy, null), 403)
    equal(await tasks({ scope: async () => ({ id: { eq: 4 } }) }), [4])
    equal(reports, [])
  })

  test('that is a function may return different conditions for each caller', async () => {
    const scopes: readonly (readonly [ScopeConditions, readonly number[]])[] = [
      [{ owner: { eq: 'ann' } }, [1, 2, 4]],
      [{ points: { gt: 1 } }, [2, 4]],
      [{ team: { name: { eq: 'Red' } } }, [1, 3]],
      [{ or: [{ points: { eq: null } }, { open: { eq: false } }] }, [3]],
      [{ or: [{ points: { eq: 9 } }, { open: { eq: null } }] }, [4]],
      [{ points: { in: [1, 5] } }, [1, 2]],
      [{ points: { in: [1] } }, [1]],
    ]
    const shared = api({ Task: { scope: ({ user }) => user.scope } })
    for (let turn = 0; turn < 4; turn++) {
      for (const [scope, ids] of scopes) {
        const { value } = await send(shared, 'GET', '/api/tasks?order_by=id', { user: { scope } })
        equal(
          value.map((one: { id: number }) => one.id),
          ids,
        )
      }
    }
  })

  test('with an invalid value or condition is 500, and the reported error says why', async () => {
    const wrong: readonly (readonly [AccessPolicy['scope'], string])[] = [
      [{ points: { eq: () => 'many' } }, 'scope at points.eq: expected a whole number'],
      [{ points: { in: () => 3 } }, 'scope at points.in: expected a list.'],
      [{ title: { like: () => 3 } }, 'scope at title.like: expected a string.'],
      [{ title: { eq: () => Symbol('x') as never } }, 'expected a string, number, boolean or Date'],
      [() => ({ titel: { eq: 'Plan' } }), 'Did you mean "title"?'],
      [() => ({}), 'has no condition'],
      [
        (() => 7) as never,
        'The scope of Task must return conditions, true or false; it returned 7.',
      ],
      [{ owner: { eq: ({ user }) => user.name.length } }, 'undefined'],
    ]
    for (const [scope, message] of wrong) {
      reports.length = 0
      equal(await tasks({ scope: scope as never }), 500)
      match(reports.join(), message)
    }
  })

  /** Conditions with an undefined part, and its path. `u` is what a user without the property has. */
  const undefinedParts = (u: undefined): readonly (readonly [unknown, string])[] => [
    [{ team_id: u }, 'team_id'],
    [{ team_id: u, open: { eq: true } }, 'team_id'],
    [{ team_id: { eq: u } }, 'team_id.eq'],
    [{ team_id: { eq: () => u } }, 'team_id.eq'],
    [{ team_id: { eq: async () => u } }, 'team_id.eq'],
    [{ team_id: { eq: 1, ne: u } }, 'team_id.ne'],
    [{ owner: { like: u } }, 'owner.like'],
    [{ points: { isnull: u } }, 'points.isnull'],
    [{ points: { in: u } }, 'points.in'],
    [{ points: { in: [1, u] } }, 'points.in[1]'],
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
    [{ points: { in: [, 1] } }, 'points.in[0]'],
    [{ points: { nin: () => [1, u] } }, 'points.nin[1]'],
    [{ points: { between: [u, 5] } }, 'points.between[0]'],
    [{ not: u }, 'not'],
    [{ not: { team_id: u } }, 'not.team_id'],
    [{ not: { open: { eq: false }, team_id: { eq: u } } }, 'not.team_id.eq'],
    [{ not: { or: [{ open: { eq: false } }, { team_id: { eq: () => u } }] } }, 'not.or[1].team_id'],
    [{ or: u, open: { eq: true } }, 'or'],
    [{ or: [{ id: { gt: 0 } }, u] }, 'or[1]'],
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
    [{ or: [{ id: { gt: 0 } }, , { id: { gt: 0 } }] }, 'or[1]'],
    [{ or: [{ id: { gt: 0 } }, { team_id: u }] }, 'or[1].team_id'],
    [{ and: [{ open: { eq: true }, team_id: u }] }, 'and[0].team_id'],
    [{ and: [{ team_id: { eq: u } }] }, 'and[0].team_id.eq'],
    [{ team: u }, 'team'],
    [{ team: { name: u } }, 'team.name'],
    [{ team: { members: { id: { eq: u } } } }, 'team.members.id.eq'],
    [{ team: { members: { id: { eq: () => u } } } }, 'team.members.id.eq'],
    [{ parts: { owner: u } }, 'parts.owner'],
  ]

  test('with an undefined part is 500 for every read and write, and the reported error names it', async () => {
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/api/tasks'],
      ['GET', '/api/tasks/1'],
      ['GET', '/api/teams?exists(tasks)'],
      ['GET', '/api/teams?join=tasks'],
      ['GET', '/api/teams/1?dump=json'],
      ['PATCH', '/api/tasks/1', { title: 'Taken' }],
      ['DELETE', '/api/tasks/4'],
    ]
    for (const [conditions, path] of undefinedParts(undefined)) {
      const served = api({ Task: { scope: () => conditions as ScopeConditions } })
      for (const [method, url, body] of requests) {
        reports.length = 0
        const extra = body === undefined ? {} : { body }
        equal((await send(served, method, url, extra)).status, 500, `${path} ${url}`)
        match(reports.join(), `The scope of the policy of Task failed: scope at ${path}`)
        match(reports.join(), 'is undefined')
      }
    }
    const stored = await db.kysely.selectFrom('tasks').select('id').execute()
    equal(stored.length, rows.length)
  })

  test('whose value is not a number or no date is 500', async () => {
    for (const [conditions, path] of [
      [{ points: { le: () => Number.NaN } }, 'points.le'],
      [{ points: { ne: () => Number.NaN } }, 'points.ne'],
      [{ points: { nin: () => [1, Number.NaN] } }, 'points.nin'],
      [{ due: { le: () => new Date(Number.NaN) } }, 'due.le'],
    ] as const) {
      reports.length = 0
      equal(await inScope(conditions as ScopeConditions), 500)
      match(reports.join(), `scope at ${path}`)
    }
  })

  test('that is no plain object is 500, because inherited conditions would be omitted', async () => {
    const inherited = Object.assign(Object.create({ team_id: { eq: 1 } }), { open: { eq: true } })
    for (const conditions of [inherited, new Map([['team_id', 1]]), [{ team_id: { eq: 1 } }]]) {
      equal(await inScope((() => conditions) as never), 500)
    }
  })

  const scope: ScopeConditions = { team_id: { eq: ({ user }) => user.team }, open: { eq: true } }
  const same: readonly [AccessPolicy, AccessPolicy] = [
    { scope },
    {
      scope_query: (query, { user }) =>
        query
          .where('team_id', '=', user.team)
          .where('open', '=', db.engine === 'postgres' ? true : 1),
    },
  ]
  const requests: readonly (readonly [method: string, url: string, body?: unknown])[] = [
    ['GET', '/api/tasks?order_by=id&dump=json'],
    ['GET', '/api/tasks?team_id__eq=2'],
    ['GET', '/api/tasks/1'],
    ['GET', '/api/tasks/2'],
    ['GET', '/api/tasks/3'],
    ['GET', '/api/teams/1?dump=json'],
    ['GET', '/api/teams?join=tasks&fields=name,tasks.title&order_by=tasks.id'],
    ['GET', '/api/teams?missing(tasks)'],
    ['GET', '/api/tasks?groupby=team_id&id|n__count=1'],
    ['GET', '/api/teams/1/tasks'],
    ['GET', '/api/tasks/1/parts'],
    ['PATCH', '/api/tasks/1', { title: 'Planned' }],
    ['PATCH', '/api/tasks/1', { open: false }],
    ['PATCH', '/api/tasks/1', { team_id: 2 }],
    ['PATCH', '/api/tasks/2', { title: 'Foreign' }],
    ['PATCH', '/api/tasks/3', { title: 'Closed' }],
    ['PATCH', '/api/tasks/99', { title: 'Nobody' }],
    ['PATCH', '/api/tasks/1?dump=json', { title: 'Planned' }],
    ['PUT', '/api/tasks/1', { title: 'Put', open: true, team_id: 1 }],
    ['PUT', '/api/tasks/2', { title: 'Put', open: true, team_id: 1 }],
    ['POST', '/api/tasks', { id: 9, title: 'New', open: true, team_id: 1 }],
    ['POST', '/api/tasks', { id: 9, title: 'New', open: true, team_id: 2 }],
    ['POST', '/api/tasks', { id: 2, title: 'Taken', open: true, team_id: 1 }],
    ['DELETE', '/api/tasks/4'],
    ['DELETE', '/api/tasks/2'],
    ['DELETE', '/api/tasks/3'],
  ]

  test('gives the same responses and stores the same rows as scope_query', async () => {
    const served = same.map((policy) => api({ Task: policy }))
    const stored = () => db.kysely.selectFrom('tasks').selectAll().orderBy('id').execute()
    for (const [method, url, body] of requests) {
      const results: [string, unknown][] = []
      for (const one of served) {
        for (let round = 0; round < 3; round++) {
          const kept = await stored()
          const extra = { user: { team: 1 }, ...(body === undefined ? {} : { body }) }
          const { status, text }: Answer = await send(one, method, url, extra)
          results.push([`${status} ${text}`, await stored()])
          await clear()
          await db.kysely.insertInto('tasks').values(kept).execute()
        }
      }
      for (const result of results) equal(result, results[0], `${method} ${url}`)
    }
  })

  if (plainOnly) return

  test('is part of the statement that creates, changes or removes a record', async () => {
    const served = api({ Task: { scope } })
    const user = { team: 1 }
    const count = async (method: string, url: string, body?: unknown) => {
      const { result, statements } = await db.capture(() =>
        send(served, method, url, { user, ...(body === undefined ? {} : { body }) }),
      )
      equal(result.status, method === 'POST' ? 201 : 200)
      return statements.length
    }
    const task = { title: 'New', open: true, team_id: 1 }
    await count('POST', '/api/tasks', { ...task, id: 8 })
    equal(await count('POST', '/api/tasks', { ...task, id: 9 }), db.engine === 'mysql' ? 2 : 1)
    const change = db.name === 'sqlite' || db.engine === 'postgres' ? 1 : 2
    await count('PATCH', '/api/tasks/1', { title: 'a' })
    equal(await count('PATCH', '/api/tasks/1', { title: 'b' }), change)
    equal(await count('PATCH', '/api/tasks/1', { open: true }), change)
  })

  test('applies in addition to a filter callback', async () => {
    const served = api(
      { Task: { scope: { owner: { eq: 'ann' } } } },
      { API_FILTER_CALLBACK: (query) => query.where('points', '>', 1) },
    )
    for (let round = 0; round < 3; round++) {
      const { value, total } = await send(served, 'GET', '/api/tasks?order_by=id')
      equal([idsOf(value), total], [[2, 4], 2])
    }
  })
})

const noDatabase = () =>
  new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })

suite('a scope as data at start-up', (test) => {
  const start = (scope: unknown, more: object = {}) => {
    try {
      createApi({
        db: noDatabase(),
        models: models({ Task: { scope, ...more } as AccessPolicy }),
        config: { API_SCHEMA_CHECK: 'off' },
        dialect: 'sqlite',
      })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  const mistakes: readonly (readonly [unknown, string])[] = [
    [{}, 'Task: scope: has no condition, so that every row would meet it.'],
    [{ or: [] }, 'Task: scope at or: expected a list of conditions.'],
    [{ or: [{}] }, 'Task: scope at or[0]: has no condition'],
    [{ not: {} }, 'Task: scope at not: has no condition'],
    [{ ownr: { eq: 1 } }, 'Task has no column and no relation of this name. Did you mean "owner"?'],
    [
      { owner: 'ann' },
      'Task: scope at owner: expected operators with their values, such as { eq: … }.',
    ],
    [{ owner: {} }, 'Task: scope at owner: expected operators'],
    [
      { points: { equals: 1 } },
      'Task: scope at points.equals: is no operator. Operators of points: eq, ne, lt, le, gt, ge, in, nin, between, isnull.',
    ],
    [{ points: { beetween: [1, 2] } }, 'is no operator. Did you mean "between"? Operators of'],
    [{ points: { constructor: 1 } }, 'is no operator. Operators of points'],
    [{ points: { gte: 1 } }, 'Task: scope at points.gte: is no operator. Did you mean "ge"?'],
    [{ points: { like: '1' } }, 'Task: scope at points.like: does not fit the type integer.'],
    [{ points: { eq: 'one' } }, 'Task: scope at points.eq: expected a whole number'],
    [{ points: { isnull: 1 } }, 'Task: scope at points.isnull: expected true or false.'],
    [{ points: { between: [1] } }, 'Task: scope at points.between: expected a list of two values.'],
    [{ team: { nam: { eq: 'x' } } }, 'Task: scope at team.nam: Team has no column'],
    [7, 'scope: expected conditions or a function, got 7.'],
    [undefined, 'scope: is undefined, which would allow everything. Leave it out for that.'],
    [{ team_id: undefined, open: { eq: true } }, 'Task: scope at team_id: is undefined'],
    [{ team_id: { eq: undefined } }, 'Task: scope at team_id.eq: is undefined'],
    [{ points: { in: [1, undefined] } }, 'Task: scope at points.in[1]: is undefined'],
    [{ not: { or: [{ id: { eq: 1 } }, { team_id: undefined }] } }, 'scope at not.or[1].team_id'],
    [{ points: { ne: Number.NaN } }, 'Task: scope at points.ne: is NaN'],
  ]
  for (const [scope, message] of mistakes) {
    test(`is checked: ${JSON.stringify(scope)} ${message}`, () => {
      match(start(scope), message)
      ok(!/[.?]\.(\s|$)/.test(start(scope)), start(scope))
    })
  }

  test('along a relation to a model without meta: names the model and the ways out', () => {
    const key = { type: 'integer', primaryKey: true } as const
    const Project = defineModel('Project', { columns: { id: key, owner_id: { type: 'integer' } } })
    const published = defineModel('Project', {
      columns: Project.columns,
      meta: { allowed_methods: [] },
    })
    const scope = { project: { owner_id: { eq: 7 } } }
    const Issue = defineModel('Issue', {
      columns: { id: key, project_id: { type: 'integer' } },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: { access_policy: { scope } },
    })
    const start = (target: AnyModel) => () =>
      createApi({
        db: noDatabase(),
        models: [target, Issue] as readonly AnyModel[],
        config: { API_SCHEMA_CHECK: 'off' },
        dialect: 'sqlite',
        onWarning: () => {},
      })
    match(
      throws(start(Project)).message,
      'Issue: scope at project: refers to Project, which is not published, because it has no meta. A scope follows relations to published models only. Publish Project, with meta: { allowed_methods: [] } if clients must not request it, or write scope_query instead of scope.',
    )
    start(published)()
  })

  test('the policy of all models: a model without its column is told to have a policy of its own', () => {
    const startAll = (scope: unknown): string => {
      try {
        createApi({
          db: noDatabase(),
          models: models({}),
          config: { API_SCHEMA_CHECK: 'off', API_ACCESS_POLICY: { scope } as AccessPolicy },
          dialect: 'sqlite',
        })
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    const hint = 'A model with other columns has a policy of its own: access_policy in its meta.'
    match(startAll({ points: { eq: 1 } }), `of this name. ${hint}`)
    ok(!startAll({ id: { equal: 1 } }).includes(hint))
  })

  test('cannot be combined with scope_query', () => {
    match(start({ id: { eq: 1 } }, { scope_query: () => null }), 'has scope and scope_query')
  })
})
