/** Random lists of records: stored rows, responses and errors are the same as for the same records written one by one. */
import { type AnyModel, belongsTo, defineModel, type HookArgs } from '@model-api/core'
import fc from 'fast-check'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { batches, check, shareOf } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

type Row = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: a query of any database
type Query = any

const id = { type: 'integer', primaryKey: true } as const
const soft = { soft_delete: true, soft_delete_attribute: 'deleted' } as const

const Project = defineModel('Project', {
  columns: { id, owner: { type: 'integer' }, deleted: { type: 'boolean' } },
  meta: {
    ...soft,
    access_policy: { scope_query: (query: Query) => query.where('owner', '=', 7) },
  },
})

const Kind = defineModel('Kind', {
  columns: {
    id: { ...id, generated: true },
    word: { type: 'string', maxLength: 5, unique: true },
  },
  meta: {},
})

/** The policies and callbacks of the items. */
const metas = {
  plain: {},
  rules: {
    access_policy: {
      can_create: ({ number }: Row) => number !== 13,
      can_update: (_: Row, { number }: Row) => number !== 13,
    },
  },
  scope: {
    access_policy: {
      scope_query: (query: Query) => query.where('owner', '=', 7),
      can_create: async ({ number }: Row) => number !== 13,
    },
  },
  callbacks: {
    add_callback: async (item: Row, _: unknown, { db }: HookArgs) => {
      const { last } = await db
        .selectFrom('items')
        .select(sql<number>`coalesce(max(number), 0)`.as('last'))
        .executeTakeFirstOrThrow()
      return { ...item, note: `after ${Number(last)}` }
    },
    update_callback: (item: Row) => ({ ...item, note: `${item.note ?? ''}+`.slice(0, 40) }),
  },
} as const

type MetaName = keyof typeof metas

const modelsWith = (meta: object): readonly AnyModel[] => [
  Project,
  Kind,
  defineModel('Item', {
    columns: {
      id: { ...id, generated: true },
      project_id: { type: 'integer', nullable: true },
      kind_id: { type: 'integer', nullable: true },
      code: { type: 'string', maxLength: 5, nullable: true, unique: true },
      number: { type: 'integer' },
      title: { type: 'string', maxLength: 10 },
      state: { type: 'enum', enum: ['open', 'shut'], default: 'open' },
      points: { type: 'integer', nullable: true, default: () => 3 },
      price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
      seen: { type: 'datetime', nullable: true },
      note: { type: 'string', maxLength: 40, nullable: true },
      owner: { type: 'integer', default: 7 },
      deleted: { type: 'boolean' },
    },
    unique: [['project_id', 'number']],
    relations: { project: belongsTo('Project', 'project_id'), kind: belongsTo('Kind', 'kind_id') },
    meta: { ...soft, ...meta },
  } as never),
]

/** Keys that no counter reaches. */
const first = 900_001
const stored = [
  { code: 'a', number: 1, deleted: false, owner: 7 },
  { code: 'b', number: 2, deleted: false, owner: 7 },
  { code: 'c', number: 3, deleted: true, owner: 7 },
  { code: 'd', number: 4, deleted: false, owner: 8 },
  { code: null, number: 5, deleted: false, owner: 7 },
].map((row, i) => ({
  id: first + i,
  project_id: 1,
  kind_id: null,
  title: `item ${i}`,
  state: 'open',
  points: null,
  price: null,
  seen: null,
  note: null,
  ...row,
}))

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values)

/** Mostly one of the usual values, sometimes one of the others. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: readonly T[]) =>
  fc.oneof({ weight: 25, arbitrary: usual }, { weight: 1, arbitrary: one(...others) })

const texts = (...prefixes: readonly string[]) =>
  fc.tuple(one(...prefixes), fc.nat(30)).map((parts) => parts.join(''))

/**
 * The fields of an item. Most lists can be stored; some contain a value that is taken, a reference to a missing record, or a
 * violation of a rule.
 */
const fields = {
  project_id: mostly<number | null>(one(1, 2, null), 3, 4, 99),
  kind: mostly<unknown>(
    fc.oneof(
      texts('k', 'm').map((word) => ({ word })),
      one({ id: 900_001 }, null),
    ),
    { word: 'old' },
    { id: 99 },
  ),
  code: mostly<string | null>(fc.oneof(texts('x', 'y'), one(null, 'a', 'b')), 'c', 'd'),
  number: mostly(fc.integer({ min: 20, max: 400 }), 1, 2, 3, 13),
  title: one('one', 'two', 'a "b" \\n', 'NULL', 'a\nb', '{x,y}', "it's €"),
  state: one('open', 'shut'),
  points: one(1, 2, null),
  price: one<unknown>('1.50', 2, 12.5, null),
  seen: one('2024-05-14T10:30:00Z', '2024-05-14T10:30:00.000Z', null),
  owner: one(7, 7, 7, 8),
}

/** Changes that make a record invalid, whatever is stored. */
const wrong = one<Row>({ titel: 'x' }, { title: null }, { points: [1] }, { number: null, code: {} })

const damaged = fc.oneof({ weight: 40, arbitrary: one(null) }, { weight: 1, arbitrary: wrong })

const good = (required: readonly (keyof typeof fields)[]) =>
  fc.record(fields, { requiredKeys: required as never[] })

const recordOf = (required: readonly (keyof typeof fields)[]) =>
  fc.tuple(good(required), damaged).map(([record, damage]) => ({
    record: { ...record, ...damage } as Row,
    isWrong: damage !== null,
  }))

/** Omits nested records, because lists without them are written in another way. */
const flat = <T extends { readonly record: Row }>(list: readonly T[]): readonly T[] =>
  list.map(({ record: { kind: _, ...record }, ...rest }) => ({ ...rest, record }) as unknown as T)

const listOf = (required: readonly (keyof typeof fields)[]) =>
  fc
    .tuple(fc.array(recordOf(required), { minLength: 1, maxLength: 7 }), one(true, true, false))
    .map(([list, isFlat]) => (isFlat ? flat(list) : list))

const meta = one(...(Object.keys(metas) as MetaName[]))

interface Answer {
  readonly status: number
  readonly value?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: the body of an error
  readonly errors?: any
}

/** The error of a single record in the form in which a list reports it for this index. */
function inList(i: number, { status, errors }: Answer): unknown {
  const { code, reason } = errors
  if (typeof reason === 'object') {
    const paths = Object.entries(reason as Row).map(([path, messages]) => [
      path === '' ? `[${i}]` : `[${i}].${path}`,
      messages,
    ])
    return { status, code, reason: Object.fromEntries(paths) }
  }
  return { status, code, reason: status === 404 ? { [`[${i}]`]: [reason] } : reason }
}

eachDatabase('a random list', (test, db) => {
  const apis = Object.fromEntries(
    Object.entries(metas).map(([name, of]) => [
      name,
      testApi(db, modelsWith(of), {
        API_ALLOW_BULK: true,
        API_ALLOW_NESTED_WRITES: true,
        API_ADD_RELATIONS: false,
      }),
    ]),
  )
  test.before(() => createTables(db, modelsWith({})))

  const fill = async (): Promise<void> => {
    for (const table of ['items', 'kinds', 'projects']) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Project as never, [
      { id: 1, owner: 7, deleted: false },
      { id: 2, owner: 7, deleted: false },
      { id: 3, owner: 8, deleted: false },
      { id: 4, owner: 7, deleted: true },
    ])
    await insertRows(db, Kind as never, [{ id: 900_001, word: 'old' }])
    await insertRows(db, modelsWith({})[2] as never, stored)
  }

  /** Returns the stored rows, with names in place of generated keys, which differ between runs. */
  const look = async () => {
    const kinds = await db.kysely.selectFrom('kinds').selectAll().orderBy('id').execute()
    const items = await db.kysely.selectFrom('items').selectAll().orderBy('id').execute()
    const words = new Map(kinds.map((kind) => [kind.id, kind.word]))
    const places = new Map(items.map((item, i) => [item.id, i]))
    const named = (row: Row | null): Row | null =>
      row && {
        ...row,
        id: places.get(row.id as never),
        kind_id: row.kind_id === null ? null : words.get(row.kind_id as never),
      }
    return { rows: [[...words.values()], items.map(named)], named }
  }

  interface Case {
    readonly of: MetaName
    readonly list: readonly { readonly record: Row; readonly isWrong: boolean }[]
    readonly many: (
      records: readonly Row[],
    ) => readonly [method: string, url: string, body: unknown]
    readonly single: (record: Row) => readonly [method: string, url: string, body: unknown]
  }

  const compared = { stored: 0, refused: 0 }

  const compare = (given: Case): Promise<string | undefined> =>
    compareBoth(given).then(
      () => undefined,
      ({ message, details = '' }: Error & { readonly details?: string }) => {
        const request = given.many(given.list.map(({ record }) => record))
        return `${given.of}: ${JSON.stringify(request)}\n${message}\n${details}`
      },
    )

  const compareBoth = async ({ of, list, many, single }: Case): Promise<void> => {
    const api = apis[of] as ReturnType<typeof testApi>
    const ask = ([method, url, body]: readonly [string, string, unknown]): Promise<Answer> =>
      send(api, method, url, { body })
    await fill()
    const before = (await look()).rows
    const answer = await ask(many(list.map(({ record }) => record)))
    const after = await look()
    await fill()
    if (list.some(({ isWrong }) => isWrong)) {
      // The problems of all records are reported together, before anything is written.
      const reasons: Row[] = []
      for (const [i, { record, isWrong }] of list.entries()) {
        if (!isWrong) continue
        const { reason } = inList(i, await ask(single(record))) as { reason: Row }
        reasons.push(reason)
      }
      equal([answer.status, answer.errors.reason], [400, Object.assign({}, ...reasons)])
      equal(after.rows, before)
      compared.refused += 1
      return
    }
    const values: Row[] = []
    const statuses = new Set<number>()
    for (const [i, { record }] of list.entries()) {
      const each = await ask(single(record))
      if (each.status < 300) {
        values.push(each.value as Row)
        statuses.add(each.status)
        continue
      }
      const { status, errors: { code, reason } = {} } = answer
      equal({ status, code, reason }, inList(i, each))
      equal(after.rows, before)
      compared.refused += 1
      return
    }
    const alone = await look()
    // The response shows the final state of a record that the list writes twice.
    const latest = new Map(values.filter(Boolean).map((value) => [value.id, value]))
    const expected = values.map((value) => value && alone.named(latest.get(value.id) as Row))
    equal(answer.status, statuses.has(201) ? 201 : 200, JSON.stringify(answer.errors))
    equal(after.rows, alone.rows)
    equal((answer.value as Row[]).map(after.named), expected)
    compared.stored += 1
  }

  const runs = 50

  batches(test, 'of new records', runs, ({ numRuns, seed }) =>
    check(fc.tuple(meta, listOf(['number', 'title'])), { numRuns, seed }, ([of, list]) =>
      compare({
        of,
        list,
        many: (records) => ['POST', '/api/items', records],
        single: (record) => ['POST', '/api/items', record],
      }),
    ),
  )

  batches(test, 'of records to store or change', runs, ({ numRuns, seed }) =>
    check(fc.tuple(meta, listOf(['number', 'title', 'code'])), { numRuns, seed }, ([of, list]) =>
      compare({
        of,
        list,
        many: (records) => ['POST', '/api/items?on_conflict=code', records],
        single: (record) => ['POST', '/api/items?on_conflict=code', record],
      }),
    ),
  )

  batches(test, 'of changes', runs, ({ numRuns, seed }) =>
    check(
      fc.tuple(
        meta,
        listOf([]),
        fc.shuffledSubarray(
          [0, 1, 4, 0, 1, 4, 2, 3, 98].map((i) => first + i),
          { minLength: 7 },
        ),
      ),
      { numRuns, seed },
      ([of, list, keys]) => {
        const ids = [...new Set(keys)]
        const some = list.slice(0, ids.length)
        return compare({
          of,
          list: some,
          many: (records) => [
            'PATCH',
            '/api/items',
            records.map((one, i) => ({ ...one, id: ids[i] })),
          ],
          single: (record) => [
            'PATCH',
            `/api/items/${ids[some.findIndex((one) => one.record === record)]}`,
            record,
          ],
        })
      },
    ),
  )

  test('was stored and refused often enough', () => {
    ok(Math.min(compared.stored, compared.refused) >= shareOf(20), JSON.stringify(compared))
  })
})
