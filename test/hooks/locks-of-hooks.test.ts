/** Hooks lock records by `args.lock`, and a response and its ETag show what the callback before COMMIT has written. */
import {
  type AnyModel,
  type Api,
  belongsTo,
  defineModel,
  type HookArgs,
  hasMany,
} from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const number = { type: 'integer' } as const
const key = { ...number, primaryKey: true } as const

const Invoice = defineModel('Invoice', {
  columns: {
    id: key,
    note: { type: 'string', maxLength: 20 },
    total: { ...number, readOnly: true },
  },
  relations: { lines: hasMany('Line', 'invoice_id') },
  meta: {},
})
const Line = defineModel('Line', {
  columns: {
    id: { ...key, generated: true },
    invoice_id: number,
    cents: number,
    share: { ...number, readOnly: true, default: 0 },
  },
  relations: { invoice: belongsTo('Invoice', 'invoice_id') },
  meta: {},
}) as unknown as AnyModel
const Seat = defineModel('Seat', {
  columns: { hall: { type: 'string', maxLength: 10, primaryKey: true }, number: key },
  meta: {},
})
const models: readonly AnyModel[] = [Invoice, Line, Seat]

const config = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_UPSERT: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const,
}
const quiet = { onError: () => {} }

eachDatabase('locks of hooks', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    if (db.name === 'sqlite') return
    const table = db.name === 'mysql' ? '`lines`' : 'lines'
    await db.execScript(
      `alter table ${table} add foreign key (invoice_id) references invoices (id)`,
    )
  })
  const reset = async (): Promise<void> => {
    for (const table of ['lines', 'invoices']) await db.kysely.deleteFrom(table).execute()
    await insertRows(
      db,
      Invoice,
      [1, 2, 3].map((id) => ({ id, note: 'new', total: 0 })),
    )
  }
  /** Adds a line with a hook, and returns the error of the hook. */
  const errorOf = async (hook: (args: HookArgs) => Promise<unknown>): Promise<Error> => {
    const errors: unknown[] = []
    const api = testApi(
      db,
      models,
      { ...config, API_ADD_CALLBACK: (line, _model, args) => hook(args).then(() => line) },
      { onError: (error) => void errors.push(error) },
    )
    const { status } = await send(api, 'POST', '/api/lines', { body: { invoice_id: 1, cents: 1 } })
    equal(status, 500)
    return (errors[0] as { cause?: Error }).cause ?? (errors[0] as Error)
  }

  test('a mistake is a TypeError, with a suggestion', async () => {
    await reset()
    for (const [given, message] of [
      [['Invoce', 1], 'args.lock: no published model named "Invoce". Did you mean "Invoice"?'],
      [['Invoice', 'one'], 'args.lock: "one" is no key of Invoice; expected a value of "id".'],
      [['Invoice', null], 'args.lock: null is no key of Invoice; expected a value of "id".'],
      [['Seat', 7], 'args.lock: 7 is no key of Seat; expected an object with "hall" and "number".'],
      [
        ['Seat', [{ hall: 'A' }]],
        'args.lock: {"hall":"A"} is no key of Seat; expected an object with "hall" and "number".',
      ],
    ] as const) {
      const error = await errorOf(({ lock }) =>
        lock(...(given as unknown as Parameters<typeof lock>)),
      )
      match(error.message, message)
    }
  })

  test('outside of a transaction it is an error that says so', async () => {
    await reset()
    const errors: Error[] = []
    const api = testApi(
      db,
      models,
      { API_DUMP_CALLBACK: (data, { lock }) => lock(Invoice, 1).then(() => data) },
      { onError: (error) => void errors.push(error as Error) },
    )
    if (way === 'batch') return
    equal((await send(api, 'GET', '/api/invoices/1')).status, 500)
    match(
      `${errors[0]?.message} ${(errors[0]?.cause as Error | undefined)?.message}`,
      'args.lock: this hook runs outside of a transaction',
    )
  })

  test('locks records by their keys, in their order, in the transaction of the request', async () => {
    await reset()
    const api = testApi(db, models, {
      ...config,
      API_ADD_CALLBACK: async (line, _model, { lock }) => {
        await lock('Invoice', [3, 1, 3, 2])
        await lock(Seat, [
          { hall: 'B', number: 1 },
          { hall: 'A', number: 2 },
        ])
        return line
      },
    })
    const { result, statements } = await db.capture(() =>
      send(api, 'POST', '/api/lines', { body: { invoice_id: 1, cents: 1 } }),
    )
    equal(result.status, 201)
    const locks = statements.filter(({ sql }) => /invoices|seats/.test(sql))
    const texts = locks.map(({ sql }) => sql.replace(/^select 1 .*?(?=order by)|[`"]/g, ''))
    const last = db.name === 'postgres' ? 'for no key update' : 'for update'
    equal(
      texts.filter((text) => !text.includes('share')),
      db.name === 'sqlite'
        ? ['update invoices set id = id where 1 = 0', 'update seats set hall = hall where 1 = 0']
        : [`order by id ${last}`, `order by hall, number ${last}`],
    )
  })

  test('another transaction waits for the lock', async () => {
    await reset()
    const order: string[] = []
    let locked = (): void => {}
    const first = new Promise<void>((resolve) => {
      locked = resolve
    })
    const api = testApi(db, models, {
      ...config,
      API_ADD_CALLBACK: async (line, _model, { lock }) => {
        await lock('Invoice', line.invoice_id)
        locked()
        if (line.cents === 1) await new Promise((resolve) => setTimeout(resolve, 100))
        order.push(`${line.cents}`)
        return line
      },
    })
    const add = (cents: number) =>
      send(api, 'POST', '/api/lines', { body: { invoice_id: 1, cents } })
    const one = add(1)
    await first
    const answers = await Promise.all([one, add(2)])
    equal(
      [answers.map(({ status }) => status), order],
      [
        [201, 201],
        ['1', '2'],
      ],
    )
  })
  test('a request that fails keeps no lock', async () => {
    await reset()
    let fails = true
    const api = testApi(
      db,
      models,
      {
        ...config,
        API_ADD_CALLBACK: async (line, _model, { lock }) => {
          await lock('Invoice', 1)
          if (fails) throw new Error('fails')
          return line
        },
      },
      quiet,
    )
    const add = () => send(api, 'POST', '/api/lines', { body: { invoice_id: 1, cents: 1 } })
    equal((await add()).status, 500)
    fails = false
    equal((await add()).status, 201)
  })
})

eachDatabase('responses after the callback before COMMIT', (test, db) => {
  let api: Api
  test.before(async () => {
    await createTables(db, models)
    api = testApi(db, models, {
      ...config,
      API_LIST_ETAGS: true,
      API_BEFORE_COMMIT_CALLBACK: async (changes, { db: own }) => {
        for (const { model, after } of changes) {
          if (after === null || model.name !== 'Line') continue
          await own
            .updateTable('lines')
            .set({ share: after.cents * 2 })
            .where('id', '=', after.id)
            .execute()
        }
        await own
          .updateTable('invoices')
          .set((eb) => ({
            total: eb
              .selectFrom('lines')
              .select((lines) => lines.fn.coalesce(lines.fn.sum('cents'), lines.lit(0)).as('total'))
              .whereRef('lines.invoice_id', '=', 'invoices.id'),
          }))
          .execute()
      },
    })
  })
  const reset = async (): Promise<void> => {
    for (const table of ['lines', 'invoices']) await db.kysely.deleteFrom(table).execute()
    await insertRows(
      db,
      Invoice,
      [1, 2, 3].map((id) => ({ id, note: 'new', total: 0 })),
    )
  }
  const ask = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(api, method, url, body === undefined ? { headers } : { body, headers })
  /** Checks that a GET of the record returns the value and the ETag of the response. */
  const isCurrent = async (url: string, { value, headers }: Answer): Promise<void> => {
    const read = await ask('GET', url)
    equal([read.value, read.headers.etag], [value, headers.etag])
    equal((await ask('GET', url, undefined, { 'if-none-match': headers.etag ?? '' })).status, 304)
  }

  test('of POST, PATCH, PUT and an upsert show what it has written', async () => {
    await reset()
    const created = await ask('POST', '/api/lines', { invoice_id: 1, cents: 5 })
    equal([created.status, created.value.share], [201, 10])
    const url = created.headers.location ?? ''
    await isCurrent(url, created)
    const changed = await ask('PATCH', url, { cents: 6 })
    equal([changed.status, changed.value.share], [200, 12])
    await isCurrent(url, changed)
    const replaced = await ask('PUT', url, { invoice_id: 1, cents: 7 })
    equal([replaced.status, replaced.value.share], [200, 14])
    await isCurrent(url, replaced)
    const key = { 'idempotency-key': 'one-of-a-response' }
    const kept = await ask('POST', '/api/lines', { invoice_id: 2, cents: 8 }, key)
    const again = await ask('POST', '/api/lines', { invoice_id: 2, cents: 8 }, key)
    equal([kept.value.share, again.value], [16, kept.value])
    const nested = await ask('PATCH', '/api/invoices/3', {
      note: 'nested',
      lines: [{ cents: 4 }, { cents: 5 }],
    })
    equal([nested.status, nested.value.total], [200, 9])
    await isCurrent('/api/invoices/3', nested)
    const upserted = await ask('POST', '/api/invoices?on_conflict=id', { id: 3, note: 'upserted' })
    equal([upserted.status, upserted.value.total], [200, 9])
  })

  test('of lists and changes by filters show it', async () => {
    await reset()
    const list = await ask(
      'POST',
      '/api/lines',
      [1, 2, 3].map((cents) => ({ invoice_id: cents, cents })),
    )
    equal([list.status, list.value.map(({ share }: { share: number }) => share)], [201, [2, 4, 6]])
    const changes = list.value.map(({ id, cents }: { id: number; cents: number }) => ({
      id,
      cents: cents + 10,
    }))
    const changed = await ask('PATCH', '/api/lines', changes)
    equal(
      changed.value.map(({ share }: { share: number }) => share),
      [22, 24, 26],
    )
    const filtered = await ask('PATCH', '/api/lines?cents__gt=11', { cents: 50 })
    equal(
      filtered.value.map(({ share }: { share: number }) => share),
      [100, 100],
    )
  })

  test('of the operations of a batch show it, unless a later operation changes the record, or the operation has changed none', async () => {
    await reset()
    const same = { id: 2, note: 'new' }
    const operations = [
      // These have the state before the next operation, as a read has.
      { id: 'read', method: 'GET', url: '/api/invoices/2' },
      { id: 'same', method: 'PATCH', url: '/api/invoices/2', body: { note: 'new' } },
      { id: 'upsert', method: 'POST', url: '/api/invoices?on_conflict=id', body: same },
      { id: 'line', method: 'POST', url: '/api/lines', body: { invoice_id: 1, cents: 5 } },
      {
        id: 'list',
        method: 'POST',
        url: '/api/lines',
        body: [
          { invoice_id: 1, cents: 6 },
          { invoice_id: 2, cents: 7 },
        ],
      },
      { id: 'invoice', method: 'PATCH', url: '/api/invoices/1', body: { note: 'sum' } },
      { id: 'twice', method: 'POST', url: '/api/lines', body: { invoice_id: 3, cents: 1 } },
      { id: 'changed', method: 'PATCH', url: '/api/lines/{twice.id}', body: { cents: 2 } },
      { id: 'gone', method: 'POST', url: '/api/lines', body: { invoice_id: 3, cents: 1 } },
      { method: 'DELETE', url: '/api/lines/{gone.id}' },
    ]
    const { status, value } = await ask('POST', '/api/batch', { operations })
    equal(status, 200)
    const [read, unchanged, upserted, line, list, invoice, twice, changed, gone] = value
    equal(
      [read, unchanged, upserted].map((one) => [one.status, one.value.total]),
      Array(3).fill([200, 0]),
    )
    equal(
      [
        line.value.share,
        list.value.map(({ share }: { share: number }) => share),
        invoice.value.total,
        changed.value.share,
      ],
      [10, [12, 14], 11, 4],
    )
    equal([twice.value.cents, gone.value.cents], [1, 1])
    const own = line.headers.etag
    equal((await ask('GET', line.headers.location)).headers.etag, own)
    equal((await ask('GET', '/api/invoices/1')).headers.etag, invoice.headers.etag)
  })
})
