/** Rights of columns: a column that the caller may not read does not exist for that caller; one that it may read but not write is read-only. */
import {
  type ApiConfig,
  apiError,
  belongsTo,
  createApi,
  defineModel,
  type HookArgs,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { Kysely, SqliteDialect } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, notEqual, ok, throws } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Department = defineModel('Department', {
  columns: { id, name: { type: 'string' } },
  relations: { staff: hasMany('Employee', 'department_id') },
  meta: {},
})
const Employee = defineModel('Employee', {
  columns: {
    id,
    name: { type: 'string' },
    email: { type: 'string', unique: true },
    salary: { type: 'integer', nullable: true, read: 'payroll' },
    badge: { type: 'string', nullable: true, unique: true, read: 'payroll' },
    boss_id: { type: 'integer', nullable: true, read: 'payroll' },
    grade: {
      type: 'string',
      default: 'C',
      write: async ({ user }: HookArgs) => user?.level === 2,
    },
    number: { type: 'integer', nullable: true, unique: true, write: 'payroll' },
    department_id: { type: 'integer', nullable: true, write: 'payroll' },
  },
  computed: {
    yearly: {
      type: 'integer',
      nullable: true,
      read: { roles: ['payroll', 'auditor'], any_of: true },
      // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
      expression: (eb: any) => eb('salary', '*', eb.val(12)),
    },
  },
  relations: {
    boss: belongsTo('Employee', 'boss_id'),
    reports: hasMany('Employee', 'boss_id'),
    department: belongsTo('Department', 'department_id'),
    skills: manyToMany('Skill', { through: 'mastery', from: 'employee_id', to: 'skill_id' }),
  },
  meta: {
    add_callback: (employee) =>
      employee.name === 'Taken' ? { ...employee, badge: 'b-1' } : employee,
  },
})
const Skill = defineModel('Skill', { columns: { id, name: { type: 'string' } }, meta: {} })
const Mastery = defineModel('Mastery', {
  table: 'mastery',
  columns: {
    id,
    employee_id: { type: 'integer' },
    skill_id: { type: 'integer', write: 'payroll' },
  },
  meta: {},
})
/** `rate` is required, and only some callers may read it and therefore write it. */
const Offer = defineModel('Offer', {
  columns: { id, title: { type: 'string' }, rate: { type: 'integer', read: 'payroll' } },
  meta: {},
})
const models = [Department, Employee, Skill, Mastery, Offer] as const

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

const clerk = { id: 1, roles: ['clerk'], level: 1 }
const payroll = { id: 2, roles: ['payroll'], level: 1 }
const chief = { id: 3, roles: [], level: 2 }

eachDatabase('column rights', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Department, [{ id: 51, name: 'Sales' }])
    await insertRows(db, Employee, [person(51, 'Ann', 'b-1', null), person(52, 'Bob', 'b-2', 51)])
    await insertRows(db, Skill, [{ id: 51, name: 'Writing' }])
  })
  const person = (key: number, name: string, badge: string, boss: number | null) => ({
    id: key,
    name,
    email: `${name}@example.org`,
    salary: 1000 * key,
    badge,
    boss_id: boss,
    grade: 'A',
    number: key,
    department_id: 51,
  })

  const as = (user: unknown) => ({
    get: (url: string, headers = {}) => send(api, 'GET', url, { user, headers }),
    write: (method: string, url: string, body?: unknown, headers = {}) =>
      send(api, method, url, { user, headers, ...(body === undefined ? {} : { body }) }),
  })
  const stored = async (key: number) => (await as(payroll).get(`/api/employees/${key}`)).value

  test('a column that the caller may not read is missing from the record, and so are its relations', async () => {
    const { value } = await as(clerk).get('/api/employees/52')
    equal(value, {
      id: 52,
      name: 'Bob',
      email: 'Bob@example.org',
      grade: 'A',
      number: 52,
      department_id: 51,
      department: '/api/employees/52/department',
      skills: '/api/employees/52/skills',
    })
  })

  test('a column may require a role, any of several roles, or authentication', async () => {
    const keys = async (user: unknown) => {
      const { value } = await as(user).get('/api/employees/52')
      return ['salary', 'boss', 'yearly'].filter((name) => name in value)
    }
    equal(await keys(payroll), ['salary', 'boss', 'yearly'])
    equal(await keys({ id: 4, roles: ['auditor'] }), ['yearly'])
    equal(await keys(undefined), [])
    equal((await stored(52)).yearly, 624000)
  })

  for (const query of [
    'salary__gt=1',
    'order_by=salary',
    'fields=salary',
    'yearly__gt=1',
    'exists(boss)',
    'join=boss',
    'boss[name__eq=Ann]',
  ]) {
    test(`a query that names it is refused like one with an unknown name: ${query}`, async () => {
      const nothing = query.replace(/salary|yearly|boss/, 'zzzzzz')
      const [named, unknown] = [
        await as(clerk).get(`/api/employees?${query}`),
        await as(clerk).get(`/api/employees?${nothing}`),
      ]
      equal(named.status, 400)
      const word = /salary|yearly|boss|zzzzzz/g
      equal(named.text.replace(word, '-'), unknown.text.replace(word, '-'))
      equal(
        (await as(payroll).get(`/api/employees?${query.replace('boss[', 'dump=json&boss[')}`))
          .status,
        200,
      )
    })
  }

  test('the route of a relation by it is a path without an endpoint', async () => {
    const { status, errors } = await as(clerk).get('/api/employees/52/boss')
    equal([status, errors.reason], [404, 'No endpoint answers at /api/employees/52/boss.'])
    equal((await as(payroll).get('/api/employees/52/boss')).value.name, 'Ann')
  })

  test('a body cannot name it, and its value does not change', async () => {
    for (const [method, body] of [
      ['PATCH', { salary: 1 }],
      ['PATCH', { boss: null }],
      ['PATCH', { boss: { id: 51 } }],
      ['PUT', { name: 'Bob', email: 'Bob@example.org', badge: 'x' }],
    ] as const) {
      const { status, errors } = await as(clerk).write(method, '/api/employees/52', body)
      equal(status, 400)
      const [[name, [message]]] = Object.entries(errors.reason) as [[string, [string]]]
      equal(message, `Unknown field "${name}".`)
    }
    const { status } = await as(clerk).write('PUT', '/api/employees/52', {
      name: 'Rob',
      email: 'Bob@example.org',
    })
    equal(status, 200)
    const { name, salary, badge, boss_id, grade, number, department_id } = await stored(52)
    equal(
      [name, salary, badge, boss_id, grade, number, department_id],
      ['Rob', 52000, 'b-2', 51, 'A', 52, 51],
    )
  })

  test('a column that the caller may read but not write is read-only', async () => {
    const write = async (user: unknown, body: unknown) => {
      const { status, errors } = await as(user).write('PATCH', '/api/employees/52', body)
      return [status, errors?.reason ?? null]
    }
    equal(await write(clerk, { grade: 'B' }), [400, { grade: ['This field is read-only.'] }])
    equal(await write(clerk, { grade: 'A' }), [200, null])
    equal(await write(chief, { grade: 'B' }), [200, null])
    const made = await as(clerk).write('POST', '/api/employees', {
      name: 'Cid',
      email: 'Cid@example.org',
      grade: 'A',
    })
    equal([made.status, made.errors.reason], [400, { grade: ['This field is read-only.'] }])
    const body = { name: 'Dan', email: 'Dan@example.org' }
    const other = await as(clerk).write('POST', '/api/employees', body)
    equal([other.status, other.value.grade, 'salary' in other.value], [201, 'C', false])
  })

  test('nested records and links do not write a key that the caller may not write', async () => {
    const readOnly = 'This relation is read-only.'
    for (const [url, body, problems] of [
      ['/api/employees/52', { department: { id: 51 } }, { department: [readOnly] }],
      ['/api/employees/52', { department: { name: 'New' } }, { department: [readOnly] }],
      ['/api/employees/52', { skills: [{ id: 51 }] }, { skills: [readOnly] }],
    ] as const) {
      const { status, errors } = await as(clerk).write('PATCH', url, body)
      equal([status, errors.reason], [400, problems])
    }
    const cleared = await as(clerk).write('PATCH', '/api/employees/52', { department: null })
    equal(cleared.status, 400)
    const staff = [{ name: 'Eve', email: 'Eve@example.org' }]
    const made = await as(clerk).write('POST', '/api/departments', { name: 'Lab', staff })
    equal([made.status, made.errors.reason], [400, { staff: [readOnly] }])
    equal((await as(payroll).write('POST', '/api/departments', { name: 'Lab', staff })).status, 201)
    equal((await stored(52)).department_id, 51)
  })

  test('a record that lacks a required column is refused without its name', async () => {
    const { status, text } = await as(clerk).write('POST', '/api/offers', { title: 'x' })
    equal([status, text.includes('rate')], [422, false])
    const { errors } = await as(payroll).write('POST', '/api/offers', { title: 'x' })
    equal(errors.reason, { rate: ['This field is required.'] })
  })

  test('a unique violation in it is 409 without its name', async () => {
    const make = async (user: unknown, email: string) => {
      const body = { name: 'Taken', email }
      const { status, text } = await as(user).write('POST', '/api/employees', body)
      return [status, text.includes('badge')]
    }
    equal(await make(clerk, 'taken@example.org'), [409, false])
    equal(await make(payroll, 'taken@example.org'), [409, true])
  })

  test('on_conflict finds records only by columns that the caller may read, and creates them only with columns that it may write', async () => {
    const upsert = async (user: unknown, columns: string, body: object) => {
      const url = `/api/employees?on_conflict=${columns}`
      const { status, text } = await as(user).write('POST', url, body)
      return [status, text.includes('badge')]
    }
    const dan = { name: 'Dan', email: 'Dan@example.org' }
    equal(await upsert(clerk, 'email', dan), [200, false])
    const { errors } = await as(clerk).write('POST', '/api/employees?on_conflict=badges', dan)
    ok(!JSON.stringify(errors).includes('"badge"'), JSON.stringify(errors))
    equal((await upsert(clerk, 'badge', { ...dan, badge: 'b-2' }))[0], 400)
    equal((await upsert(clerk, 'number', { ...dan, number: 52 }))[0], 400)
    equal(
      (await upsert(clerk, 'number', { name: 'New', email: 'n@example.org', number: 77 }))[0],
      400,
    )
    equal((await upsert(payroll, 'number', { name: 'Bob', number: 52 }))[0], 200)
  })

  test('an ETag covers the columns that the caller may read', async () => {
    const tag = async (user: unknown) =>
      (await as(user).get('/api/employees/51')).headers.etag ?? ''
    const [before, beforePayroll] = [await tag(clerk), await tag(payroll)]
    notEqual(before, beforePayroll)
    await as(payroll).write('PATCH', '/api/employees/51', { salary: 1234 })
    equal(await tag(clerk), before)
    notEqual(await tag(payroll), beforePayroll)
    const change = (user: unknown, etag: string) =>
      as(user).write('PATCH', '/api/employees/51', {}, { 'if-match': etag })
    equal((await change(payroll, beforePayroll)).status, 412)
    equal((await change(clerk, before)).status, 200)
  })

  test('a refused DELETE does not name the models that refer to it by such a column', async () => {
    const refused = async (user: unknown) => {
      const { status, text } = await as(user).write('DELETE', '/api/employees/51')
      return [status, text.includes('employees')]
    }
    equal(await refused(clerk), [409, false])
    equal(await refused(payroll), [409, true])
  })

  test('a replayed POST is answered by the current rights', async () => {
    const make = (user: unknown) =>
      as(user).write(
        'POST',
        '/api/employees',
        { name: 'Fay', email: 'Fay@example.org' },
        { 'idempotency-key': 'a-key-of-fay-and-nobody-else' },
      )
    const first = await make(payroll)
    equal([first.status, 'salary' in first.value], [201, true])
    const again = await make({ ...payroll, roles: [] })
    equal([again.status, 'salary' in again.value], [201, false])
    equal('salary' in (await make(payroll)).value, true)
  })

  test('the OpenAPI document shows the columns with their rules', async () => {
    const { properties, required } = ((await api.openapi()).components?.schemas?.Employee ??
      {}) as unknown as {
      properties: Record<string, { description?: string }>
      required: string[]
    }
    equal(
      ['salary', 'yearly', 'grade', 'number'].map((name) => properties[name]?.description),
      [
        'Reading it needs payroll.',
        'Reading it needs any of payroll, auditor.',
        'Writing it needs a permission of the service.',
        'Writing it needs payroll.',
      ],
    )
    equal(required, ['id', 'name', 'email', 'grade', 'number', 'department_id'])
  })

  test('exposure lists the columns that each role may read and write', () => {
    const parts = api.exposure().split('\n\n')
    const part = (title: string) => parts.find((one) => one.startsWith(`${title}\n`)) ?? ''
    const [users, payrollers] = [part('authenticated, without roles'), part('payroll')]
    const line = (text: string, name: string) =>
      text.split('\n').find((one) => one.trim().startsWith(`${name} `)) ?? ''
    equal([line(users, 'salary'), line(users, 'boss')], ['', ''])
    ok(line(payrollers, 'salary').includes('read, write on POST'), payrollers)
    equal(/write/.test(line(users, 'number')), false)
    ok(line(users, 'grade').endsWith('; where its function allows: write'), line(users, 'grade'))
  })
})

eachDatabase('functions that decide column rights', (test, db) => {
  const asked: HookArgs[] = []
  let answer: (args: HookArgs) => unknown = () => true
  const decide = (args: HookArgs): boolean => {
    asked.push(args)
    return answer(args) as boolean
  }
  const writes: string[] = []
  const Secret = defineModel('Secret', {
    columns: {
      id,
      code: { type: 'string', nullable: true, read: decide },
      other: { type: 'string', nullable: true, read: decide },
      note: {
        type: 'string',
        nullable: true,
        write: async ({ action }: HookArgs) => {
          writes.push(action)
          return false
        },
      },
    },
    relations: { boxes: hasMany('Box', 'secret_id') },
    meta: {},
  })
  const Box = defineModel('Box', {
    columns: { id, secret_id: { type: 'integer', nullable: true } },
    meta: {},
  })
  const Plain = defineModel('Plain', { columns: { id, name: { type: 'string' } }, meta: {} })
  const models = [Secret, Box, Plain]
  const failures: unknown[] = []
  const api = testApi(db, models, {}, { onError: (error: unknown) => failures.push(error) })
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Secret, [{ id: 1, code: 'x', other: 'y', note: 'z' }])
  })
  const ask = async (method: string, url: string, extra: { body?: unknown } = {}) => {
    asked.length = 0
    writes.length = 0
    failures.length = 0
    const { status, value, errors } = await send(api, method, url, { user: { id: 7 }, ...extra })
    return { status, value, errors }
  }

  test('a function is called once per request and model, with the arguments of hooks', async () => {
    answer = () => true
    await ask('GET', '/api/secrets?fields=code,other&code__eq=x')
    const [{ user, model, action, many, relation_name, before, db: connection } = {} as HookArgs] =
      asked
    equal(asked.length, 1)
    equal(
      [user, model.name, action, many, relation_name, before],
      [{ id: 7 }, 'Secret', 'GET_MANY', true, null, null],
    )
    // The connection of a batch is its transaction, which has ended.
    if (way === 'batch') return
    equal((await connection.selectFrom('secrets').selectAll().execute()).length, 1)
  })

  test('a function for write is called for writes only, and may be asynchronous', async () => {
    answer = () => true
    await ask('GET', '/api/secrets/1')
    equal(writes, [])
    const { status, errors } = await ask('PATCH', '/api/secrets/1', { body: { note: 'new' } })
    equal([writes, status, errors.reason], [['PATCH'], 400, { note: ['This field is read-only.'] }])
  })

  test('a function is called for requests that can lead to its model, and for no others', async () => {
    answer = () => true
    await ask('GET', '/api/boxes')
    equal(asked.length, 1)
    await ask('GET', '/api/plains')
    await ask('POST', '/api/plains', { body: { name: 'x' } })
    equal([asked.length, writes.length], [0, 0])
  })

  test('a function that refuses withholds each of its columns, for this request', async () => {
    for (const allowed of [true, false, true, false, false, true]) {
      answer = async () => allowed
      const { value } = await ask('GET', '/api/secrets/1?dump_relationships=false')
      equal(Object.keys(value), allowed ? ['id', 'code', 'other', 'note'] : ['id', 'note'])
    }
  })

  test('a function that throws or returns something else is 500, and the log names it', async () => {
    for (const bad of [
      () => {
        throw new Error('lost')
      },
      async () => {
        throw new Error('lost')
      },
      () => undefined,
      async () => 'yes',
    ]) {
      answer = bad
      const { status } = await ask('GET', '/api/secrets/1')
      equal(status, 500)
      ok(String(failures[0]).includes('The read of code of Secret'), String(failures[0]))
    }
  })

  test('an apiError that a function throws is the response', async () => {
    answer = () => {
      throw apiError(402, 'Payment Required', 'Pay first.')
    }
    equal((await ask('GET', '/api/secrets/1')).status, 402)
  })
})

eachDatabase('column rights and authentication', (test, db) => {
  const Account = defineModel('Account', {
    columns: {
      id,
      name: { type: 'string', unique: true },
      rank: { type: 'integer', read: 'boss' },
    },
    methods: {
      check: () => true,
      roles: ({ name }: { name: string }) => (name === 'ann' ? ['boss'] : []),
    },
  })
  const Strong = defineModel('Strong', {
    columns: { id, code: { type: 'string', read: 'boss' }, weak_id: { type: 'integer' } },
    meta: { authenticate_method: ['basic'], auth_requirements: { '*': false } },
  })
  const Weak = defineModel('Weak', {
    columns: { id },
    relations: { strongs: hasMany('Strong', 'weak_id') },
    meta: { authenticate_method: ['custom'] },
  })
  const models = [Account, Strong, Weak]
  const api = testApi(db, models, {
    API_AUTHENTICATE_METHOD: ['basic', 'custom'],
    API_USER_MODEL: Account,
    API_USER_LOOKUP_FIELD: 'name',
    API_CREDENTIAL_CHECK_METHOD: 'check',
    API_CUSTOM_AUTH: () => ({ id: 9, name: 'ann' }),
  })
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Account, [
      { id: 1, name: 'ann', rank: 3 },
      { id: 2, name: 'bob', rank: 2 },
    ])
    await insertRows(db, Weak, [{ id: 1 }])
    await insertRows(db, Strong, [{ id: 1, code: 'x', weak_id: 1 }])
  })
  const as = (name: string) => ({ headers: { authorization: `Basic ${btoa(`${name}:secret`)}` } })

  test('the own record of a user lacks the columns that it may not read', async () => {
    equal((await send(api, 'GET', '/auth/me', as('ann'))).value, { id: 1, name: 'ann', rank: 3 })
    equal((await send(api, 'GET', '/auth/me', as('bob'))).value, { id: 2, name: 'bob' })
  })

  test('roles count where the strategy that proved them is accepted, embedded or not', async () => {
    const { value } = await send(api, 'GET', '/api/weaks/1?dump=json')
    equal(value.strongs, [{ id: 1, weak_id: 1 }])
    equal((await send(api, 'GET', '/api/strongs/1', as('ann'))).value, {
      id: 1,
      code: 'x',
      weak_id: 1,
    })
    equal((await send(api, 'GET', '/api/strongs/1')).value, { id: 1, weak_id: 1 })
  })
})

suite('mistakes in column rights', (test) => {
  const start = (column: object, more: ApiConfig = {}) =>
    createApi({
      db: new Kysely({ dialect: new SqliteDialect({ database: {} as never }) }),
      models: [
        defineModel('Book', {
          columns: { id, title: { type: 'string' }, ...column } as never,
          meta: {},
        }),
      ] as never,
      config: more,
    })
  const cases: readonly (readonly [column: object, message: string, more?: ApiConfig])[] = [
    [
      { id: { ...id, read: 'admin' } },
      'models.Book.columns.id: a primary key column cannot have read: the key is in the URL of every record.',
    ],
    [
      { price: { type: 'integer', read: { role: ['admin'] } } },
      'models.Book.columns.price.read: expected a role, a list of at least one role, { roles: [...], any_of: true }, or true (authentication only). Did you mean "roles"? A function of the hook arguments may decide, too.',
    ],
    [{ price: { type: 'integer', write: [] } }, 'models.Book.columns.price.write: expected a role'],
    [{ price: { type: 'integer', read: false } }, 'declare hidden: true, or readOnly: true.'],
    [{ price: { type: 'integer', reads: 'admin' } }, 'unknown option. Did you mean "read"?'],
    [
      { price: { type: 'integer', readOnly: true, write: 'admin' } },
      'no client can write it (readOnly: true), so that write decides nothing; leave write out.',
    ],
    [
      { made: { type: 'datetime', managed: 'created', write: 'admin' } },
      'no client can write it (managed)',
    ],
    [
      { price: { type: 'integer', readOnly: true, immutable: true } },
      'no client can write it (readOnly: true), so that immutable decides nothing; leave immutable out.',
    ],
    [
      { made: { type: 'datetime', managed: 'created', immutable: true } },
      'no client can write it (managed), so that immutable',
    ],
    [
      { price: { type: 'integer', hidden: true, immutable: true } },
      'no client can write it (hidden: true), so that immutable decides nothing; leave immutable out, or let a relation set it with readOnly: false.',
    ],
    [
      { id: { type: 'integer', primaryKey: true, immutable: true } },
      'a primary key never changes, so that immutable decides nothing; leave immutable out.',
    ],
    [
      { price: { type: 'integer', hidden: true, read: 'admin' } },
      'models.Book.columns.price.read: it is hidden, so that nobody can use it; leave read out, or declare hidden: false.',
    ],
    [
      { gone: { type: 'boolean', read: 'admin' } },
      'models.Book.columns.gone.read: include_deleted tells which records are deleted; declare hidden: true, or leave read out.',
      { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'gone' },
    ],
  ]
  for (const [column, message, more] of cases) {
    test(`${JSON.stringify(column)} is refused at start-up`, () => {
      throws(() => start(column, more), message)
    })
  }
})
