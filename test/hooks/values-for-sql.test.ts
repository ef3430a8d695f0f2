/** Hooks convert records and values for their own statements: a double booking is found on every database, from the first request on. */
import { type AnyModel, apiError, defineModel, type HookArgs } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Booking = defineModel('Booking', {
  table: 'bookings',
  columns: {
    id: { type: 'integer', primaryKey: true },
    room: { type: 'integer' },
    starts_at: { type: 'datetime' },
    ends_at: { type: 'datetime', column: 'until' },
    price: { type: 'decimal', precision: 8, scale: 2 },
    open: { type: 'boolean' },
  },
  meta: {
    access_policy: {
      // Called before the first statement of a request.
      scope_query: (query, { toColumn }) =>
        query.where('price', '<', toColumn(Booking, 'price', '1000')),
    },
  },
})
const Entry = defineModel('Entry', {
  table: 'entries',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    booking: { type: 'integer' },
    at: { type: 'datetime' },
    price: { type: 'decimal', precision: 8, scale: 2 },
    open: { type: 'boolean' },
  },
  meta: {},
})
const models = [Booking, Entry] as unknown as readonly AnyModel[]

/** Refuses a booking of a room while another one lasts, by a statement, and logs it by another one. */
async function checked(booking: Readonly<Record<string, unknown>>, args: HookArgs) {
  const { db, toRow, toColumn, toRecord } = args
  const taken = await db
    .selectFrom('bookings')
    .selectAll()
    .where('room', '=', booking.room)
    .where('open', '=', toColumn('Booking', 'open', true))
    .where('starts_at', '<', toColumn('Booking', 'ends_at', booking.ends_at))
    .where('until', '>', toColumn('Booking', 'starts_at', booking.starts_at))
    .executeTakeFirst()
  if (taken !== undefined) {
    const { starts_at, ends_at } = toRecord(Booking, taken)
    throw apiError(409, 'Conflict', `Taken from ${starts_at} to ${ends_at}.`)
  }
  const { id, starts_at, price } = booking as never
  await db
    .insertInto('entries')
    .values(toRow(Entry, { booking: id, at: starts_at, price, open: true }))
    .execute()
  return booking
}

eachDatabase('values for the statements of hooks', (test, db) => {
  test.before(() => createTables(db, models))
  const config = {
    API_ALLOWED_METHODS: ['GET', 'POST'] as const,
    API_ADD_CALLBACK: (
      object: Readonly<Record<string, unknown>>,
      model: AnyModel,
      args: HookArgs,
    ) => (model.name === 'Booking' ? checked(object, args) : object),
  }
  const booking = (id: number, from: string, to: string, price = '9.50') => ({
    id,
    room: 1,
    starts_at: `2024-05-14T${from}:00.000Z`,
    ends_at: `2024-05-14T${to}:00.000Z`,
    price,
    open: true,
  })

  test('a booking that overlaps another one is found in SQL', async () => {
    const api = testApi(db, models, config)
    const add = (body: unknown) => send(api, 'POST', '/api/bookings', { body })
    equal((await add(booking(1, '10:00', '11:00'))).status, 201)
    // The next one begins when the first one ends.
    equal((await add(booking(2, '11:00', '12:00'))).status, 201)
    equal((await add(booking(3, '09:30', '10:00', '999.99'))).status, 201)
    const { status, errors } = await add(booking(4, '10:59', '11:01'))
    equal(
      [status, errors.reason],
      [409, 'Taken from 2024-05-14T10:00:00.000Z to 2024-05-14T11:00:00.000Z.'],
    )
    const { value } = await send(api, 'GET', '/api/entries?fields=booking,at,price,open')
    equal(value, [
      { booking: 1, at: '2024-05-14T10:00:00.000Z', price: '9.50', open: true },
      { booking: 2, at: '2024-05-14T11:00:00.000Z', price: '9.50', open: true },
      { booking: 3, at: '2024-05-14T09:30:00.000Z', price: '999.99', open: true },
    ])
  })

  test('a policy has them in the first request', async () => {
    const api = testApi(db, models, config)
    const { value } = await send(api, 'GET', '/api/bookings?fields=id')
    equal(value, [{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  test('a default and a right of a column have them in the first request', async () => {
    const seen: unknown[] = []
    const told = (hook: string, { toColumn, toRow, toRecord }: HookArgs): void => {
      toColumn('Booking', 'starts_at', '2024-05-14T10:00:00Z')
      toRow('Booking', { ends_at: '2024-05-14T10:00:00Z' })
      toRecord('Booking', { room: 1 })
      seen.push(hook)
    }
    const Told = defineModel('Entry', {
      ...Entry,
      columns: {
        ...Entry.columns,
        booking: {
          type: 'integer',
          write: (args: HookArgs) => {
            told('write', args)
            return true
          },
          default: (args: HookArgs) => {
            told('default', args)
            return 7
          },
          validator: (_value: unknown, _row: object, args: HookArgs) => {
            told('validator', args)
            return true
          },
        },
      },
      meta: {
        access_policy: {
          scope: (args: HookArgs) => {
            told('scope', args)
            return true
          },
        },
      },
    } as never) as unknown as AnyModel
    const body = { at: '2024-05-14T10:00:00Z', price: '1', open: false }
    for (const one of [body, { ...body, booking: 8 }]) {
      const api = testApi(db, [Booking as unknown as AnyModel, Told], config)
      equal((await send(api, 'POST', '/api/entries', { body: one })).status, 201)
    }
    equal([...new Set(seen)].sort(), ['default', 'scope', 'validator', 'write'])
  })
})
