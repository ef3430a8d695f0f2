/** Declaring rules by which no two records overlap (`exclude`): mistakes, PostgreSQL's constraints, and rarer ways to come under a rule. */
import { type AnyModel, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const key = { type: 'integer', primaryKey: true } as const
const id = { ...key, generated: true } as const
const moment = { type: 'datetime' } as const

const Room = defineModel('Room', {
  columns: { id: key },
  meta: {},
})
const bookingColumns = {
  id,
  room_id: { type: 'integer' },
  floor: { type: 'integer', default: 0 },
  note: { type: 'string', maxLength: 20, nullable: true },
  starts_at: moment,
  ends_at: moment,
  duration: { type: 'integer', nullable: true },
  price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
  updated_at: { type: 'datetime', managed: 'updated' },
} as const
const booking = (exclude: unknown): AnyModel =>
  defineModel('Booking', {
    columns: bookingColumns,
    relations: { room: belongsTo('Room', 'room_id') },
    exclude,
    meta: {},
  } as never) as AnyModel

const at = (time: string): string => `2026-05-14T${time}:00.000Z`
const booked = (room_id: number, from: string, until: string, more = {}) => ({
  room_id,
  starts_at: at(from),
  ends_at: at(until),
  ...more,
})
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
const statuses = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ status }) => status).sort()

eachDatabase('mistakes of rules', (test, db) => {
  const period = ['starts_at', 'ends_at']
  const problemOf = (exclude: unknown): string =>
    throws(() => testApi(db, [Room, booking(exclude)])).message.replace(
      'The API cannot start:\n',
      '',
    )

  test('are errors of createApi, with suggestions', () => {
    const at = 'models.Booking.exclude'
    for (const [rule, message] of [
      [
        'room_id',
        `${at}: expected a rule, such as { room_id: 'equal', period: ['starts_at', 'ends_at'] }.`,
      ],
      [
        { room_id: 'equal' },
        `${at}.period: expected the columns of the start and the end, such as ['starts_at', 'ends_at'].`,
      ],
      [
        { rom_id: 'equal', room_id: 'equal', period },
        `${at}.rom_id: no column, and no option of a rule. Did you mean "room_id"?`,
      ],
      [
        { room_id: 'equal', perid: period, period },
        `${at}.perid: no column, and no option of a rule. Did you mean "period"?`,
      ],
      [{ room_id: 'same', period }, `${at}.room_id: expected 'equal'.`],
      [
        { room_id: 'equal', period: ['start_at', 'ends_at'] },
        `${at}.period[0]: no column named "start_at". Did you mean "starts_at"?`,
      ],
      [
        { room_id: 'equal', period: ['starts_at', 'starts_at'] },
        `${at}.period: expected two columns.`,
      ],
      [
        { room_id: 'equal', period: ['note', 'ends_at'] },
        `${at}.period[0]: "note" is of type string; a period has two dates, datetimes, times or numbers.`,
      ],
      [
        { room_id: 'equal', period: ['starts_at', 'duration'] },
        `${at}.period: "starts_at" is of type datetime, and "duration" of type integer; declare one type.`,
      ],
      [{ room_id: 'equal', period, name: '' }, `${at}.name: `],
      [
        { room_id: 'equal', period, where: 'note' },
        `${at}.where: expected conditions, such as { status: { ne: 'cancelled' } }.`,
      ],
      [
        { room_id: 'equal', period, where: { notes: 'x' } },
        `${at}.where: Unknown column "notes" on bookings. Did you mean "note"?`,
      ],
      [
        { room_id: 'equal', period, where: { note: { neq: 'x' } } },
        `${at}.where: "neq" of "note" is no operator. Did you mean "ne"?`,
      ],
      [{ room_id: 'equal', period, where: { duration: 'long' } }, `${at}.where: `],
      [
        { room_id: 'equal', period, where: { room: { id: 1 } } },
        `${at}.where: conditions of a rule test columns of the model alone, because writes of other records would change what they say.`,
      ],
      [
        [
          { room_id: 'equal', period, name: 'a' },
          { room_id: 'equal', period, name: 'a' },
        ],
        `${at}: two rules are named "a".`,
      ],
      [
        [
          { room_id: 'equal', period },
          { room_id: 'equal', period: [] },
        ],
        `${at}[1].period: `,
      ],
    ] as const) {
      const found = problemOf(rule)
      equal(found.slice(0, message.length), message)
    }
  })

  if (db.name === 'postgres') return
  test('a rule needs a foreign key, outside of PostgreSQL', () => {
    const remedy = "Add a column that is, as belongsTo('Room', 'room_id') and room_id: 'equal'."
    match(
      problemOf({ floor: 'equal', period }),
      `models.Booking.exclude: "floor" is no foreign key of a relation to a published model that is written, so that ${db.name === 'mysql' ? 'mysql' : 'sqlite'} has no row that concurrent writes could wait for. ${remedy}`,
    )
    match(problemOf({ period }), 'models.Booking.exclude: no column is equal')
  })
})

eachDatabase('records that come under a rule', (test, db) => {
  test('by what the database or the service sets in each change', async () => {
    const models = [
      Room,
      booking({
        room_id: 'equal',
        period: ['starts_at', 'updated_at'],
        where: { note: { isnull: true } },
      }),
    ]
    const api = testApi(db, models)
    await createTables(db, models)
    await insertRows(db, Room, [{ id: 1 }, { id: 2 }])
    const early = { room_id: 1, starts_at: '2020-01-01T00:00:00.000Z', ends_at: at('10:00') }
    const create = (body: object) => send(api, 'POST', '/api/bookings', { body })
    equal((await create(early)).status, 201)
    equal((await create(early)).status, 409)
    const other = await create({ ...early, room_id: 2, note: 'x' })
    equal(other.status, 201)
    const url = other.headers.location ?? ''
    equal((await send(api, 'PATCH', url, { body: { floor: 3 } })).status, 200)
    equal((await send(api, 'PATCH', url, { body: { note: null, room_id: 1 } })).status, 409)
  })

  test('by losing a reference that a condition tests', async () => {
    const Cancellation = defineModel('Cancellation', {
      columns: { id: key },
      relations: { stays: hasMany('Stay', 'cancellation_id', { on_delete: 'null' }) },
      meta: {},
    })
    const Stay = defineModel('Stay', {
      columns: {
        id: key,
        room_id: { type: 'integer' },
        cancellation_id: { type: 'integer', nullable: true },
        nights_from: { type: 'integer' },
        nights_until: { type: 'integer' },
      },
      relations: {
        room: belongsTo('Room', 'room_id'),
        cancellation: belongsTo('Cancellation', 'cancellation_id'),
      },
      exclude: {
        room_id: 'equal',
        period: ['nights_from', 'nights_until'],
        where: { cancellation_id: null },
      },
      meta: {},
    })
    const models: readonly AnyModel[] = [Room, Cancellation, Stay]
    const api = testApi(db, models)
    await createTables(db, [Cancellation, Stay])
    await insertRows(db, Cancellation, [{ id: 1 }, { id: 2 }])
    const stay = { room_id: 1, nights_from: 3, nights_until: 5 }
    await insertRows(db, Stay, [
      { id: 1, ...stay, cancellation_id: null },
      { id: 2, ...stay, cancellation_id: 1 },
      { id: 3, ...stay, nights_from: 5, nights_until: 6, cancellation_id: 2 },
    ])
    const refused = await send(api, 'DELETE', '/api/cancellations/1')
    equal([refused.status, refused.errors.code], [409, 'overlap'])
    equal((await send(api, 'DELETE', '/api/cancellations/2')).status, 200)
  })

  test('as links of a published junction', async () => {
    const Member = defineModel('Member', {
      columns: { id: key },
      relations: {
        lockers: manyToMany('Locker', { through: 'loans', from: 'member_id', to: 'locker_id' }),
      },
      meta: {},
    })
    const Locker = defineModel('Locker', { columns: { id: key }, meta: {} })
    const Loan = defineModel('Loan', {
      columns: {
        id,
        member_id: { type: 'integer' },
        locker_id: { type: 'integer' },
        day_from: { type: 'integer', default: 1 },
        day_until: { type: 'integer', nullable: true },
        gone: { type: 'boolean', readOnly: false },
      },
      relations: {
        locker: belongsTo('Locker', 'locker_id'),
        member: belongsTo('Member', 'member_id'),
      },
      exclude: { name: 'one loan', locker_id: 'equal', period: ['day_from', 'day_until'] },
      meta: { soft_delete: true, soft_delete_attribute: 'gone' },
    })
    const models: readonly AnyModel[] = [Member, Locker, Loan]
    const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true })
    await createTables(db, models)
    await insertRows(db, Member, [{ id: 1 }, { id: 2 }])
    await insertRows(db, Locker, [{ id: 1 }, { id: 2 }])
    const link = (member: number, lockers: readonly number[]) =>
      send(api, 'PATCH', `/api/members/${member}`, {
        body: { lockers: lockers.map((one) => ({ id: one })) },
      })
    equal((await link(1, [1, 2])).status, 200)
    const taken = await link(2, [2])
    equal([taken.status, taken.errors.problems[0]?.params], [409, { rule: 'one loan' }])
    equal((await link(1, [1])).status, 200)
    equal((await link(2, [2])).status, 200)
    // The link was deleted, and would be restored.
    equal((await link(1, [1, 2])).errors?.code, 'overlap')
    equal((await link(2, [])).status, 200)
    equal((await link(1, [1, 2])).status, 200)
  })
})

eachDatabase(
  "PostgreSQL's exclusion constraints",
  (test, db) => {
    const models = [
      Room,
      booking({ name: 'one booking', room_id: 'equal', period: ['starts_at', 'ends_at'] }),
    ]
    const tables = async (constraint: string): Promise<void> => {
      await db.execScript('create extension if not exists btree_gist')
      await db.execScript('drop table if exists bookings; drop table if exists rooms')
      await createTables(db, models)
      await db.execScript(`alter table bookings add ${constraint}`)
      await insertRows(db, Room, [{ id: 1 }, { id: 2 }])
    }
    const post = (api: ReturnType<typeof testApi>, body: unknown) =>
      send(api, 'POST', '/api/bookings', { body })
    const range = 'exclude using gist (room_id with =, tstzrange(starts_at, ends_at) with &&)'
    const rangeOf = async (): Promise<string> => {
      const rows = await db.kysely
        .selectFrom('information_schema.columns')
        .select('data_type')
        .where('table_name', '=', 'bookings')
        .where('column_name', '=', 'starts_at')
        .execute()
      return rows[0]?.data_type === 'timestamp with time zone' ? range : range.replace('tstz', 'ts')
    }

    test('take the place of locks and look-ups, with the same error', async () => {
      await db.execScript('drop table if exists bookings; drop table if exists rooms')
      await createTables(db, models)
      const constraint = await rangeOf()
      await tables(constraint)
      const api = testApi(db, models, { API_ALLOW_BULK: true })
      equal((await post(api, booked(1, '10:00', '11:00'))).status, 201)
      const { result, statements } = await db.capture(() => post(api, booked(1, '10:30', '11:30')))
      equal(
        [result.status, result.errors.problems],
        [
          409,
          [
            {
              path: 'starts_at',
              code: 'overlap',
              params: { rule: 'one booking' },
              message: 'Another record overlaps this one (one booking).',
            },
          ],
        ],
      )
      equal(
        statements.filter(({ sql }) => /"written"|update$|advisory/.test(sql)),
        [],
      )
      const list = await post(api, [booked(2, '10:00', '11:00'), booked(2, '10:30', '11:30')])
      equal(
        [list.status, list.errors.problems.map(({ path }: { path: string }) => path)],
        [409, ['[1].starts_at']],
      )
      const late = await post(api, booked(1, '12:00', '11:30'))
      equal([late.status, late.errors.code], [400, 'validation_failed'])
    })

    test('with other conditions than the rule, or deferred, do not', async () => {
      const constraint = await rangeOf()
      for (const suffix of [' where (floor > 7)', ' deferrable initially deferred']) {
        await tables(`${constraint}${suffix}`)
        const api = testApi(db, models)
        equal((await post(api, booked(1, '10:00', '11:00'))).status, 201)
        const { result, statements } = await db.capture(() =>
          post(api, booked(1, '10:30', '11:30')),
        )
        equal([suffix, result.status, result.errors.code], [suffix, 409, 'overlap'])
        equal(
          statements.some(({ sql }) => sql.includes('"written"')),
          true,
        )
      }
    })

    test('without one, writes of a table with a rule without a foreign key wait for each other', async () => {
      const rule = { floor: 'equal', period: ['starts_at', 'ends_at'] }
      const unlinked = [Room, booking(rule)]
      await db.execScript('drop table if exists bookings; drop table if exists rooms')
      await createTables(db, unlinked)
      const api = testApi(db, unlinked)
      await insertRows(db, Room, [{ id: 1 }])
      const answers = await Promise.all(upTo(20).map(() => post(api, booked(1, '10:00', '11:00'))))
      equal(statuses(answers), [201, ...Array(19).fill(409)])
    })
  },
  { only: 'postgres' },
)
