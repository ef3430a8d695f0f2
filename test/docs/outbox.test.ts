/** Executes the outbox of docs/recipes/outbox.md: every stored change is sent, in pages, by one deliverer of each process. */
import { type AnyModel, type Api, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const blocks = [...readSource('docs/recipes/outbox.md').matchAll(/```ts\n([\s\S]*?)```/g)]
const code =
  blocks.map(([, block = '']) => block).find((block) => block.includes('withOutbox')) ?? ''
/** What the page says about SQLite. */
const mark =
  "    await trx.updateTable('outbox').set({ sent_at: new Date().toISOString() }).where('id', 'in', ids).execute()\n"
const sendIt = '    await send(events) // if it fails, the rollback removes the mark\n'
const onSqlite = [
  [`${mark}${sendIt}`, `${sendIt}${mark}`],
  ['.forUpdate().skipLocked()', ''],
  ["db.transaction().setIsolationLevel('read committed').execute(sendPage)", 'sendPage(db)'],
] as const

interface SentEvent {
  readonly id: number
  readonly event: string
}

const id = { type: 'integer', primaryKey: true, generated: true } as const
const Tag = defineModel('Tag', { columns: { id, name: { type: 'string' } }, meta: {} })
const Outbox = defineModel('Outbox', {
  table: 'outbox',
  columns: { id, event: { type: 'text' }, sent_at: { type: 'string', nullable: true } },
  meta: {},
})
const models: readonly AnyModel[] = [Tag]

eachDatabase('the outbox', (test, db) => {
  const isSqlite = db.name === 'sqlite'
  const pages: (readonly SentEvent[])[] = []
  const failures: unknown[] = []
  let isDown = false
  let withOutbox: (deliver: () => Promise<void>) => ApiConfig
  let deliver: () => Promise<void>
  let deliverElsewhere: () => Promise<void>
  /** The deliveries that have begun, to wait for their end. */
  const deliveries: Promise<void>[] = []
  const settled = async () => {
    // The after-commit callback may run after the response.
    for (let i = 0; deliveries.length === 0 && i < 100; i++) await pause()
    await Promise.all(deliveries.splice(0))
  }
  let api: Api

  test.before(async () => {
    await createTables(db, [Tag, Outbox])
    const text = onSqlite.reduce((shown, [from, to]) => {
      ok(shown.includes(from), from)
      return isSqlite ? shown.replace(from, to) : shown
    }, code)
    const shown = await compiled(`import type { ApiConfig } from '@model-api/core'
import type { Generated, Kysely } from 'kysely'
${text}
export { deliverer, withOutbox }\n`)
    const deliverer = shown.deliverer as (
      from: typeof db.kysely,
      to: (events: readonly SentEvent[]) => Promise<void>,
      onError: (error: unknown) => void,
    ) => () => Promise<void>
    withOutbox = shown.withOutbox as typeof withOutbox
    const toQueue = async (events: readonly SentEvent[]): Promise<void> => {
      if (isDown) throw new Error('The queue is down.')
      pages.push(events)
      await pause()
    }
    const ofProcess = () => deliverer(db.kysely, toQueue, (error) => void failures.push(error))
    deliver = ofProcess()
    deliverElsewhere = ofProcess()
    const started = () => {
      const delivery = deliver()
      deliveries.push(delivery)
      return delivery
    }
    api = testApi(db, models, { ...withOutbox(started), API_ALLOW_BULK: true })
  })

  const waiting = async (): Promise<readonly string[]> => {
    const rows = db.kysely.selectFrom('outbox').select('event').where('sent_at', 'is', null)
    return (await rows.orderBy('id').execute()).map(({ event }) => event)
  }
  const sent = () => pages.splice(0).flatMap((events) => events.map(({ event }) => event))

  test('has an event if its change is stored, until it has been sent', async () => {
    const { value } = await send(api, 'POST', '/api/tags', { body: { name: 'sent' } })
    await settled()
    const event = `{"action":"create","model":"Tag","key":[${value.id}]}`
    equal([sent(), await waiting()], [[event], []])

    const refuse = () => {
      throw apiError(409, 'Conflict', 'Late.')
    }
    const refusing = testApi(db, models, { ...withOutbox(deliver), API_RETURN_CALLBACK: refuse })
    equal((await send(refusing, 'DELETE', `/api/tags/${value.id}`)).status, 409)
    await deliver()
    equal([sent(), await waiting()], [[], []])

    isDown = true
    await send(api, 'DELETE', `/api/tags/${value.id}`)
    await settled()
    const removal = event.replace('create', 'delete')
    equal([sent(), await waiting()], [[], [removal]])
    equal(
      failures.map((error) => (error as Error).message),
      ['The queue is down.'],
    )
    isDown = false
    await deliver()
    equal([sent(), await waiting()], [[removal], []])
  })

  test('sends all events of an import, in pages', async () => {
    const body = Array.from({ length: 1000 }, (_, i) => ({ name: `Tag ${i}` }))
    const { statements } = await db.capture(async () => {
      equal((await send(api, 'POST', '/api/tags', { body })).status, 201)
      await settled()
    })
    equal([pages.length, new Set(sent()).size, await waiting()], [10, 1000, []])
    equal(statements.filter(({ sql }) => /^update .outbox./.test(sql)).length, 10)
  })

  test('stores more events than one statement can bind values', async () => {
    const { API_BEFORE_COMMIT_CALLBACK: store } = withOutbox(deliver)
    const change = {
      action: 'create',
      model: Tag,
      path: '',
      at: null,
      before: null,
      after: null,
    } as const
    const changes = Array.from({ length: 66_000 }, (_, i) => ({ ...change, key: [i] }))
    const args = { db: db.kysely } as unknown as Parameters<NonNullable<typeof store>>[1]
    await store?.(changes, args)
    equal((await waiting()).length, 66_000)
    await db.kysely.deleteFrom('outbox').execute()
  })

  test('sends each event once, whoever delivers', async () => {
    const add = (n: number) => send(api, 'POST', '/api/tags', { body: { name: `Concurrent ${n}` } })
    const more = isSqlite ? [] : [deliverElsewhere(), deliverElsewhere()]
    await Promise.all([...Array.from({ length: 20 }, (_, n) => add(n)), ...more])
    await settled()
    await Promise.all([deliver(), ...(isSqlite ? [] : [deliverElsewhere()])])
    const events = sent()
    equal([events.length, new Set(events).size, await waiting()], [20, 20, []])
    const rows = Array.from({ length: 450 }, (_, i) => ({ event: `event ${i}` }))
    await db.kysely.insertInto('outbox').values(rows).execute()
    // After a deadlock of the two, a page waits for the next call.
    for (let calls = 0; calls < 5 && (await waiting()).length > 0; calls++) {
      await Promise.all([deliver(), ...(isSqlite ? [] : [deliverElsewhere()])])
    }
    equal([sent().length, await waiting()], [450, []])
  })

  test('makes one statement of all calls while a delivery runs', async () => {
    const { statements } = await db.capture(() => Promise.all(Array.from({ length: 20 }, deliver)))
    const looks = statements.filter(({ sql }) => /^select .* from .outbox./.test(sql))
    equal(looks.length, 2)
  })
})

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 5))
