/** Rules by which no two records of a model overlap (`exclude`): every way to write a record, on every database. */
import { type AnyModel, apiError, belongsTo, defineModel, hasMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Technician = defineModel('Technician', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
  },
  relations: { appointments: hasMany('Appointment', 'technician_id') },
  meta: {},
})

const Appointment = defineModel('Appointment', {
  columns: {
    id,
    title: { type: 'string', maxLength: 40 },
    status: { type: 'enum', enum: ['open', 'done', 'cancelled'], default: 'open' },
    technician_id: { type: 'integer', nullable: true },
    starts_at: { type: 'datetime' },
    ends_at: { type: 'datetime', nullable: true },
    number: { type: 'integer', nullable: true, unique: true },
    deleted_at: { type: 'datetime', nullable: true },
  },
  relations: { technician: belongsTo('Technician', 'technician_id') },
  exclude: {
    name: 'one visit at a time',
    technician_id: 'equal',
    period: ['starts_at', 'ends_at'],
    where: { status: { ne: 'cancelled' } },
  },
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'deleted_at',
    soft_delete_values: [null, 'now'],
  },
})

const Price = defineModel('Price', {
  columns: {
    id,
    technician_id: { type: 'integer' },
    valid_from: { type: 'date', nullable: true },
    valid_until: { type: 'date', nullable: true },
  },
  relations: { technician: belongsTo('Technician', 'technician_id') },
  exclude: [{ technician_id: 'equal', period: ['valid_from', 'valid_until'] }],
  meta: {},
})

const models: readonly AnyModel[] = [Technician, Appointment, Price]
const config = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_UPSERT: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const,
}

/** A time of one day. */
const at = (time: string): string => `2026-05-14T${time}:00.000Z`
const visit = (technician_id: number | null, from: string, until: string | null, more = {}) => ({
  title: `${from} to ${until}`,
  technician_id,
  starts_at: at(from),
  ends_at: until === null ? null : at(until),
  ...more,
})

const overlap = 'Another record overlaps this one (one visit at a time).'
const problem = (path: string) => ({
  path,
  code: 'overlap',
  params: { rule: 'one visit at a time' },
  message: overlap,
})
/** The error of a refused write, and the paths of its records. */
const refused = ({ status, errors }: Answer) => [
  status,
  errors?.code,
  (errors?.problems as readonly { path: string }[] | undefined)?.map(({ path }) => path),
]
const overlaps = (...paths: string[]) => [409, 'overlap', paths]

interface Client {
  create(body: object): Promise<{ readonly error?: { status: number; code: string } }>
}

eachDatabase('records that must not overlap', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    // The constraint takes a weaker lock of the technician when a record is stored, which the lock of the rule must not follow.
    if (db.name !== 'sqlite') {
      await db.execScript(
        'alter table appointments add foreign key (technician_id) references technicians (id)',
      )
    }
  })
  const reset = async (): Promise<void> => {
    for (const { table } of [Appointment, Price, Technician]) {
      await db.kysely.deleteFrom(table).execute()
    }
    await insertRows(db, Technician, [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Ben' },
      { id: 3, name: 'Cleo' },
    ])
  }
  const post = (body: unknown, query = ''): Promise<Answer> =>
    send(api, 'POST', `/api/appointments${query}`, { body })
  const added = async (body: object): Promise<string> => {
    const { status, headers, errors } = await post(body)
    equal([status, errors], [201, null])
    return headers.location ?? ''
  }
  const patch = (url: string, body: unknown): Promise<Answer> => send(api, 'PATCH', url, { body })
  const titles = async (): Promise<readonly string[]> => {
    const { value } = await send(api, 'GET', '/api/appointments?order_by=technician_id,starts_at')
    return value.map(({ title }: { title: string }) => title)
  }

  test('a new record is refused where another one is, and accepted where that ends or begins', async () => {
    await reset()
    await added(visit(1, '10:00', '11:00'))
    const answer = await post(visit(1, '10:59', '12:00'))
    equal(answer.errors, {
      error: 'Conflict',
      reason: { starts_at: [overlap] },
      code: 'overlap',
      problems: [problem('starts_at')],
    })
    for (const [from, until] of [
      ['09:00', '10:01'],
      ['10:15', '10:30'],
      ['09:00', '12:00'],
      ['10:00', '11:00'],
      ['10:30', null],
    ] as const) {
      equal(
        [from, until, refused(await post(visit(1, from, until)))],
        [from, until, overlaps('starts_at')],
      )
    }
    await added(visit(1, '11:00', '12:00'))
    await added(visit(1, '09:00', '10:00'))
    await added(visit(2, '10:00', '11:00'))
    await added(visit(1, '10:00', '11:00', { status: 'cancelled' }))
    await added(visit(null, '10:00', '11:00'))
    await added(visit(null, '10:00', '11:00'))
    equal((await titles()).length, 7)
  })

  test('an end of NULL is open', async () => {
    await reset()
    await added(visit(1, '10:00', null))
    equal(refused(await post(visit(1, '20:00', '21:00'))), overlaps('starts_at'))
    equal(refused(await post(visit(1, '20:00', null))), overlaps('starts_at'))
    await added(visit(1, '09:00', '10:00'))
    const price = (valid_from: string | null, valid_until: string | null) =>
      send(api, 'POST', '/api/prices', { body: { technician_id: 1, valid_from, valid_until } })
    equal((await price(null, '2026-01-01')).status, 201)
    const { status, errors } = await price(null, '2025-01-01')
    const rule = 'technician_id, valid_from, valid_until'
    equal([status, errors?.problems?.[0]?.params], [409, { rule }])
    equal((await price('2026-01-01', null)).status, 201)
    equal((await price('2026-03-01', '2026-04-01')).status, 409)
  })

  test('a period that ends before it has begun is a problem of the body', async () => {
    await reset()
    const late = {
      path: 'ends_at',
      code: 'not_after',
      params: { field: 'starts_at' },
      message: 'Expected a value after "starts_at".',
    }
    const created = await post({ ...visit(1, '10:00', '10:00'), title: 7 })
    equal([created.status, created.errors?.code], [400, 'validation_failed'])
    equal(
      created.errors?.problems?.map(({ path, code }: { path: string; code: string }) => [
        path,
        code,
      ]),
      [
        ['title', 'wrong_type'],
        ['ends_at', 'not_after'],
      ],
    )
    const url = await added(visit(1, '10:00', '11:00'))
    const changed = await patch(url, { ends_at: at('09:00') })
    equal([changed.status, changed.errors?.problems], [400, [late]])
    equal((await patch(url, { starts_at: at('11:00') })).errors?.problems, [late])
    equal((await patch(url, { starts_at: at('11:00'), ends_at: at('12:00') })).status, 200)
    const list = await post([visit(2, '10:00', '11:00'), visit(3, '10:00', '09:00')])
    equal(refused(list), [400, 'validation_failed', ['[1].ends_at']])
    const put = await send(api, 'PUT', url, { body: visit(1, '10:00', '09:00') })
    equal(refused(put), [400, 'validation_failed', ['ends_at']])
  })

  test('PATCH, PUT and a merge patch are checked if they change what a rule compares', async () => {
    await reset()
    await added(visit(1, '10:00', '11:00'))
    const url = await added(visit(1, '11:00', '12:00'))
    const other = await added(visit(2, '10:00', '11:00'))
    equal(refused(await patch(url, { starts_at: at('10:59') })), overlaps('starts_at'))
    equal(refused(await patch(other, { technician_id: 1 })), overlaps('starts_at'))
    const body = visit(1, '10:30', '12:00')
    equal(refused(await send(api, 'PUT', url, { body })), overlaps('starts_at'))
    const headers = { 'content-type': 'application/merge-patch+json' }
    const merged = await send(api, 'PATCH', url, { body: { starts_at: at('10:00') }, headers })
    equal(refused(merged), overlaps('starts_at'))
    equal((await patch(url, { title: 'renamed' })).status, 200)
    const cancelled = await added(visit(1, '10:00', '12:00', { status: 'cancelled' }))
    equal(refused(await patch(cancelled, { status: 'open' })), overlaps('starts_at'))
    equal((await patch(other, { technician_id: 3 })).status, 200)
    equal(
      (await patch(other, { technician_id: 1, starts_at: at('13:00'), ends_at: at('14:00') }))
        .status,
      200,
    )
  })

  test('a record that overlapped before can be changed in other fields', async () => {
    await reset()
    await insertRows(db, Appointment, [
      { id: 901, ...visit(1, '10:00', '11:00'), status: 'open', number: null, deleted_at: null },
      { id: 902, ...visit(1, '10:00', '11:00'), status: 'open', number: null, deleted_at: null },
    ])
    equal((await patch('/api/appointments/901', { title: 'renamed' })).status, 200)
    const same = visit(1, '10:00', '11:00')
    equal((await patch('/api/appointments/901', { ...same, title: 'again' })).status, 200)
    equal(
      refused(await patch('/api/appointments/901', { ends_at: at('10:30') })),
      overlaps('starts_at'),
    )
  })

  test('deleted records do not count, and are checked when they are restored', async () => {
    await reset()
    const url = await added(visit(1, '10:00', '11:00'))
    equal((await send(api, 'DELETE', url)).status, 200)
    const second = await added(visit(1, '10:30', '11:30'))
    const restored = await send(api, 'POST', `${url}/restore`)
    equal(refused(restored), overlaps('starts_at'))
    equal((await send(api, 'DELETE', second)).status, 200)
    equal((await send(api, 'POST', `${url}/restore`)).status, 200)
  })

  test('records of one list must not overlap each other, and all that do are named', async () => {
    await reset()
    const stored = await added(visit(1, '08:00', '09:00'))
    const body = [
      visit(2, '08:00', '09:00'),
      visit(1, '10:00', '11:00'),
      visit(1, '10:30', '11:30'),
      visit(1, '08:30', '09:30'),
    ]
    const answer = await post(body)
    equal(refused(answer), overlaps('[1].starts_at', '[2].starts_at', '[3].starts_at'))
    equal(await titles(), ['08:00 to 09:00'])
    equal((await post(body.slice(0, 2))).status, 201)
    const [one, two] = (await send(api, 'GET', '/api/appointments?technician_id__eq=1')).value
    const exchange = [
      { id: one.id, starts_at: two.starts_at, ends_at: two.ends_at },
      { id: two.id, starts_at: one.starts_at, ends_at: one.ends_at },
    ]
    equal((await send(api, 'PATCH', '/api/appointments', { body: exchange })).status, 200)
    const both = exchange.map(({ id }) => ({ id, starts_at: at('15:00'), ends_at: at('16:00') }))
    equal(
      refused(await send(api, 'PATCH', '/api/appointments', { body: both })),
      overlaps('[0].starts_at', '[1].starts_at'),
    )
    ok(stored)
  })

  test('changes by filters are checked', async () => {
    await reset()
    await added(visit(1, '10:00', '11:00'))
    await added(visit(2, '10:00', '11:00'))
    const moved = await send(api, 'PATCH', '/api/appointments?technician_id__eq=2', {
      body: { technician_id: 1 },
    })
    equal([moved.status, moved.errors?.code], [409, 'overlap'])
    await added(visit(1, '11:00', '12:00'))
    await added(visit(2, '11:00', '12:00'))
    const both = await send(api, 'PATCH', '/api/appointments?technician_id__eq=2', {
      body: { technician_id: 1 },
    })
    equal([both.errors?.code, both.errors?.problems?.length], ['overlap', 1])
    equal(
      (
        await send(api, 'PATCH', '/api/appointments?technician_id__eq=2', {
          body: { technician_id: 3 },
        })
      ).status,
      200,
    )
  })

  test('upserts are checked', async () => {
    await reset()
    await added(visit(1, '10:00', '11:00'))
    const body = { ...visit(1, '10:30', '11:30'), number: 7 }
    equal(refused(await post(body, '?on_conflict=number')), overlaps('starts_at'))
    const free = { ...visit(1, '11:00', '12:00'), number: 7 }
    equal((await post(free, '?on_conflict=number')).status, 201)
    equal(refused(await post(body, '?on_conflict=number')), overlaps('starts_at'))
    equal((await post({ ...free, ends_at: at('13:00') }, '?on_conflict=number')).status, 200)
  })

  test('nested records are checked: new ones, changed ones, and those that get another parent', async () => {
    await reset()
    await added(visit(1, '10:00', '11:00'))
    const { technician_id: _, ...free } = visit(null, '10:30', '11:30')
    const nested = await patch('/api/technicians/1', { appointments: [free] })
    equal(refused(nested), overlaps('appointments[0].starts_at'))
    const twice = await send(api, 'POST', '/api/technicians', {
      body: { id: 4, name: 'Dora', appointments: [free, free] },
    })
    equal(refused(twice), overlaps('appointments[0].starts_at', 'appointments[1].starts_at'))
    const ok = await send(api, 'POST', '/api/technicians', {
      body: { id: 4, name: 'Dora', appointments: [free] },
    })
    equal(ok.status, 201)
    const parent = await post({ ...free, technician: { id: 1 } })
    equal(refused(parent), overlaps('starts_at'))
    const created = await post({ ...free, technician: { id: 5, name: 'Emil' } })
    equal(created.status, 201)
    const url = created.headers.location ?? ''
    equal(refused(await patch(url, { technician: { id: 1 } })), overlaps('starts_at'))
  })

  test('operations of a batch and dry runs are checked', async () => {
    await reset()
    const operation = (body: object) => ({ method: 'POST', url: '/api/appointments', body })
    const operations = [
      operation(visit(1, '10:00', '11:00')),
      operation(visit(1, '10:30', '11:30')),
    ]
    for (const more of [{}, { dry_run: true }]) {
      const answer = await send(api, 'POST', '/api/batch', { body: { operations, ...more } })
      equal(
        [answer.status, answer.errors?.code, answer.errors?.at],
        [409, 'overlap', 'operations[1]'],
      )
    }
    equal(await titles(), [])
    const dry = { operations: operations.slice(0, 1), dry_run: true }
    equal((await send(api, 'POST', '/api/batch', { body: dry })).status, 200)
    equal(await titles(), [])
  })

  test('the client in the process is checked, as a user and as the system, in a transaction of the host too', async () => {
    await reset()
    const inProcess = testApi(db, models, config)
    const client = (user: null | 'system', options = {}) =>
      inProcess.as(user, options).appointments as unknown as Client
    const body = visit(1, '10:00', '11:00')
    equal((await client('system').create(body)).error, undefined)
    const { error } = await client('system').create(body)
    equal([error?.status, error?.code], [409, 'overlap'])
    const codes = await db.kysely.transaction().execute(async (trx) => {
      const inside = client(null, { db: trx })
      const first = await inside.create(visit(2, '10:00', '11:00'))
      const second = await inside.create(visit(2, '10:30', '11:30'))
      return [first.error?.code, second.error?.code]
    })
    equal(codes, [undefined, 'overlap'])
    equal(await titles(), ['10:00 to 11:00', '10:00 to 11:00'])
  })

  test('what a callback sets is checked', async () => {
    await reset()
    const Moved = defineModel('Appointment', {
      columns: Appointment.columns,
      relations: Appointment.relations,
      exclude: Appointment.exclude,
      meta: {
        add_callback: (one: object) => ({ ...one, technician_id: 1 }),
        update_callback: (one: object) => ({ ...one, ends_at: at('10:00') }),
      },
    } as never) as AnyModel
    const moving = testApi(db, [Technician, Moved, Price], config)
    const create = (body: object) => send(moving, 'POST', '/api/appointments', { body })
    equal((await create(visit(2, '10:00', '11:00'))).status, 201)
    equal(refused(await create(visit(3, '10:30', '11:30'))), overlaps('starts_at'))
    const [one] = (await send(moving, 'GET', '/api/appointments')).value
    const changed = await send(moving, 'PATCH', `/api/appointments/${one.id}`, {
      body: { title: 'x' },
    })
    equal(refused(changed), [400, 'validation_failed', ['ends_at']])
  })

  test('the error tells nothing of another record, and no hidden column', async () => {
    await reset()
    const Hidden = defineModel('Appointment', {
      columns: {
        ...Appointment.columns,
        technician_id: { type: 'integer', nullable: true, hidden: true, default: 1 },
      },
      relations: Appointment.relations,
      exclude: { technician_id: 'equal', period: ['starts_at', 'ends_at'] },
      meta: {
        access_policy: {
          scope_query: (query: { where: (...args: unknown[]) => unknown }) =>
            query.where('title', '=', 'mine'),
        },
      },
    } as never) as AnyModel
    const hiding = testApi(db, [Technician, Hidden, Price], config)
    await added(visit(1, '10:00', '11:00', { title: 'secret' }))
    const { technician_id: _, ...body } = visit(1, '10:30', '11:30', { title: 'mine' })
    const { errors } = await send(hiding, 'POST', '/api/appointments', { body })
    const message = 'Another record overlaps this one (starts_at, ends_at).'
    equal(errors, {
      error: 'Conflict',
      reason: { starts_at: [message] },
      code: 'overlap',
      problems: [
        { path: 'starts_at', code: 'overlap', params: { rule: 'starts_at, ends_at' }, message },
      ],
    })
  })

  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
  const statuses = (answers: readonly Answer[]): Record<string, number> => {
    const found: Record<string, number> = {}
    for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
    return found
  }

  test('of 20 writers at once, one gets the time', async () => {
    await reset()
    const answers = await Promise.all(
      upTo(20).map((n) => post(visit(1, '10:00', '11:00', { title: `${n}` }))),
    )
    equal(statuses(answers), { 201: 1, 409: 19 })
    equal((await titles()).length, 1)
  })

  test('of 20 writers that move records to one place at once, one gets it', async () => {
    await reset()
    const list = await post(
      upTo(20).map((n) =>
        visit(
          n % 2 === 0 ? 2 : 3,
          `${String(n).padStart(2, '0')}:00`,
          `${String(n).padStart(2, '0')}:30`,
        ),
      ),
    )
    equal(list.status, 201)
    const answers = await Promise.all(
      list.value.map(({ id: key }: { id: number }) =>
        patch(`/api/appointments/${key}`, {
          technician_id: 1,
          starts_at: at('10:00'),
          ends_at: at('11:00'),
        }),
      ),
    )
    equal(statuses(answers as Answer[]), { 200: 1, 409: 19 })
    equal((await send(api, 'GET', '/api/appointments?technician_id__eq=1')).value.length, 1)
  })

  test('of 20 lists at once in opposite orders, one is stored', async () => {
    await reset()
    const answers = await Promise.all(
      upTo(20).map((n) => {
        const body = [1, 2, 3].map((technician) => visit(technician, '10:00', '11:00'))
        return post(n % 2 === 0 ? body : body.reverse())
      }),
    )
    equal(statuses(answers), { 201: 1, 409: 19 })
    equal((await titles()).length, 3)
  })

  test('of 20 nested writes and batches at once, one is stored', async () => {
    await reset()
    const { technician_id: _, ...free } = visit(null, '10:00', '11:00')
    const answers = await Promise.all(
      upTo(20).map((n) => {
        if (n % 2 === 0)
          return patch('/api/technicians/1', { name: `Ada ${n}`, appointments: [free] })
        const operations = [
          { method: 'POST', url: '/api/appointments', body: visit(1, '10:30', '11:30') },
        ]
        return send(api, 'POST', '/api/batch', { body: { operations } })
      }),
    )
    const stored = answers.filter(({ status }) => status === 200)
    equal([stored.length, statuses(answers)], [1, { 200: 1, 409: 19 }])
    equal((await titles()).length, 1)
  })

  test('a callback of the host may refuse, and then nothing is stored', async () => {
    await reset()
    const refusing = testApi(db, models, {
      ...config,
      API_BEFORE_COMMIT_CALLBACK: () => {
        throw apiError(403, 'Forbidden', 'no')
      },
    })
    const answer = await send(refusing, 'POST', '/api/appointments', {
      body: visit(1, '10:00', '11:00'),
    })
    equal(answer.status, 403)
    await added(visit(1, '10:00', '11:00'))
  })
})
