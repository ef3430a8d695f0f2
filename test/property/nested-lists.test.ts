/** Random lists of records with nested ones: stored rows, responses and errors are the same as for the same records written one by one. */
import type { AnyModel, HookArgs } from '@model-api/core'
import fc from 'fast-check'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { batches, check } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'
import {
  Author,
  Book,
  Country,
  createLibrary,
  everything,
  Tag,
  withModel,
} from '../writing/models.ts'

type Row = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: a query of any database
type Query = any

const count = async ({ db }: HookArgs, table: string): Promise<number> =>
  (await db.selectFrom(table).select('id').execute()).length

/** Policies, callbacks and defaults of nested and other records. */
const worlds: Readonly<Record<string, readonly AnyModel[]>> = {
  plain: withModel('Tag', () => ({})),
  rules: withModel('Tag', () => ({
    meta: { access_policy: { can_create: ({ name }: Row) => name !== 'forbidden' } },
  })),
  'rules that read': withModel('Book', () => ({
    meta: {
      access_policy: {
        can_create: async (_: Row, args: HookArgs) => (await count(args, 'tags')) < 9,
      },
    },
  })),
  'rules that read at times': withModel('Author', () => ({
    meta: {
      access_policy: {
        can_create: async ({ name }: Row, args: HookArgs) =>
          !String(name).includes('7') || (await count(args, 'books')) < 6,
      },
    },
  })),
  scope: withModel('Tag', () => ({
    meta: {
      access_policy: { scope_query: (query: Query) => query.where('name', '!=', 'hidden') },
    },
  })),
  callbacks: withModel('Book', () => ({
    meta: {
      add_callback: async (book: Row, _: unknown, args: HookArgs) => ({
        ...book,
        rating: await count(args, 'tags'),
      }),
    },
  })),
}

type World = keyof typeof worlds

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values)

/** Mostly one of the usual values, sometimes one of the others. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: readonly T[]) =>
  fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: one(...others) })

/** Keys that no counter reaches. */
const first = 900_001

const moment = '2026-01-02T03:04:05.678Z'

const absent = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

/** A placeholder that each list replaces by a unique name. */
const fresh = 'fresh'

const country = mostly<Row>(
  one({ code: 'GB' }, { code: 'CZ', title: 'Czechia' }, { code: 'FR', title: 'France' }),
  { code: 'FR', title: 'other' },
  { code: 'XX' },
)
const tag = mostly<Row>(
  one<Row>({ name: fresh }, { id: first }, { id: first + 1, name: 'tag 1' }),
  { name: 'tag 1' },
  { name: 'forbidden' },
  { id: first + 2 },
  { id: first, name: 'other' },
  { id: 99 },
)
const copy = mostly<Row>(
  fc.nat(40).map((number) => ({ branch: 'B', number: number + 10 })),
  { branch: 'A', number: 1 },
  { branch: 'A', number: 1, note: 'other' },
)
const book = mostly<Row>(
  fc.record(
    {
      title: one(fresh),
      price: one('1.50', null),
      tags: fc.array(tag, { maxLength: 3 }),
      copies: fc.array(copy, { maxLength: 2 }),
    },
    { requiredKeys: ['title'] },
  ),
  { id: first },
  { id: 99 },
)
const author = fc
  .record({
    name: one(fresh),
    email: absent(mostly<unknown>(one(null), 'a@b.cd', 'taken@b.cd')),
    country_code: absent(one<string | null>('GB', 'FR', null)),
    country: absent(country),
    profile: absent(one({ motto: 'x' })),
    books: absent(fc.array(book, { maxLength: 3 })),
  })
  // A record cannot have both a foreign key and a nested object for it.
  .map(({ country_code, ...rest }) => (rest.country ? rest : { ...rest, country_code }))
const withoutBooks = author.map(({ books: _, ...rest }) => rest)
const withAuthor = fc.record(
  { title: one(fresh), author: withoutBooks, tags: fc.array(tag, { maxLength: 3 }) },
  { requiredKeys: ['title'] },
)

/** Replaces the placeholders in a record by unique names, and removes absent members. */
function named(value: unknown, next: () => number): unknown {
  if (value === fresh) return `new ${next()}`
  if (Array.isArray(value)) return value.map((each) => named(each, next))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, named(member, next)]))
}

interface Answer {
  readonly status: number
  readonly value?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: the body of an error
  readonly errors?: any
}

/** Whether a record is refused because it names a country that is not stored. */
const namesCountry = ({ status, errors }: Answer): boolean =>
  status === 422 && Object.keys(errors.reason).some((path) => path.endsWith('code'))

/** The error of a single record in the form in which a list reports it for this index. */
function inList(i: number, { status, errors: { code, reason } }: Answer): unknown {
  if (typeof reason !== 'object') return { status, code, reason }
  const paths = Object.entries(reason as Row).map(([path, messages]) => [
    path === '' ? `[${i}]` : `[${i}].${path}`,
    messages,
  ])
  return { status, code, reason: Object.fromEntries(paths) }
}

const tables = ['book_tags', 'copies', 'profiles', 'books', 'tags', 'authors', 'countries'] as const

eachDatabase('a random list with nested records', (test, db) => {
  const apis = Object.fromEntries(
    Object.entries(worlds).map(([name, models]) => [
      name,
      testApi(db, models, { ...everything, API_ADD_RELATIONS: false }),
    ]),
  )
  test.before(() => createLibrary(db))

  const fill = async (): Promise<void> => {
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Country, [{ code: 'GB', title: 'Britain' }])
    await insertRows(db, Author, [
      {
        id: first,
        name: 'author',
        email: 'taken@b.cd',
        homepage: null,
        country_code: null,
        secret: null,
        shelf: null,
        deleted: false,
        createdAt: moment,
        updatedAt: moment,
      },
    ])
    await insertRows(db, Book, [
      {
        id: first,
        title: 'book',
        price: null,
        rating: null,
        sold: null,
        in_stock: true,
        kind: 'novel',
        details: null,
        cover: null,
        code: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
        since: null,
        until: null,
        read_at: null,
        opens: null,
        author_id: first,
      },
    ])
    const names = ['tag 0', 'tag 1', 'hidden']
    await insertRows(
      db,
      Tag,
      names.map((name, i) => ({ id: first + i, name })),
    )
    await db.kysely.insertInto('book_tags').values({ book_id: first, tag_id: first }).execute()
    await db.kysely
      .insertInto('copies')
      .values({ branch: 'A', number: 1, book_id: first, note: null })
      .execute()
  }

  /** Returns the stored rows, with names in place of generated keys, which differ between runs. */
  const look = async () => {
    const rows = async (table: string) =>
      (await db.kysely.selectFrom(table).selectAll().execute()) as Row[]
    const [authors, books, tags] = [await rows('authors'), await rows('books'), await rows('tags')]
    const nameOf = (list: readonly Row[], field: string) =>
      new Map(list.map((row) => [Number(row.id), row[field]]))
    const people = nameOf(authors, 'name')
    const titles = nameOf(books, 'title')
    const words = nameOf(tags, 'name')
    const called = (row: Row | null): Row | null => {
      if (row === null) return null
      const { id, created_at, updated_at, createdAt, updatedAt, code, ...rest } = row
      const uuid = typeof code === 'string' && code.length === 36
      const keys = { author_id: people, book_id: titles, tag_id: words }
      const references = Object.entries(keys).flatMap(([name, names]) =>
        typeof row[name] === 'number' ? [[name, names.get(row[name]) ?? null]] : [],
      )
      return { ...rest, ...(uuid ? {} : { code }), ...Object.fromEntries(references) }
    }
    const stored: Record<string, unknown> = {}
    for (const table of tables) {
      const texts = (await rows(table)).map((row) => JSON.stringify(called(row)))
      stored[table] = texts.sort()
    }
    return { stored, called }
  }

  const compared = { stored: 0, refused: 0 }

  const compare = (of: World, url: string, list: readonly unknown[]): Promise<string | undefined> =>
    compareBoth(of, url, list).then(
      () => undefined,
      ({ message, details = '' }: Error & { readonly details?: string }) =>
        `${of}: POST ${url} ${JSON.stringify(list)}\n${message}\n${details}`,
    )

  const compareBoth = async (of: World, url: string, list: readonly unknown[]): Promise<void> => {
    const api = apis[of] as ReturnType<typeof testApi>
    const ask = (body: unknown): Promise<Answer> => send(api, 'POST', url, { body })
    await fill()
    const before = (await look()).stored
    const answer = await ask(list)
    const after = await look()
    await fill()
    const alone: Answer[] = []
    for (const record of list) alone.push(await ask(record))
    const failed = alone.flatMap(({ status }, i) => (status === 201 ? [] : [i]))
    if (failed.length > 0) {
      // A list is written level by level, so a record may refer to a country that a later record creates.
      if (answer.status === 201 && failed.every((i) => namesCountry(alone[i] as Answer))) return
      equal(after.stored, before)
      compared.refused += 1
      const { status } = answer
      const { code, reason } = answer.errors ?? {}
      const [first = 0] = failed
      const refused = alone[first] as Answer
      // The problems of all records are reported together, after another refusal.
      if (refused.status === 400) return
      if (status === 400) ok(alone.some((each) => each.status === 400))
      else if (!namesCountry(refused)) equal({ status, code, reason }, inList(first, refused))
      return
    }
    const values = alone.map(({ value }) => value as Row)
    const oneByOne = await look()
    equal(answer.status, 201, JSON.stringify(answer.errors))
    equal(after.stored, oneByOne.stored)
    // A later record may have moved a child of an earlier one, but the records themselves have not changed.
    equal((answer.value as Row[]).map(after.called), values.map(oneByOne.called))
    compared.stored += 1
  }

  const runs = 60
  const world = one(...(Object.keys(worlds) as World[]))

  const lists = (record: fc.Arbitrary<unknown>) =>
    fc.array(record, { minLength: 2, maxLength: 6 }).map((list) => {
      let last = 0
      return list.map((each) =>
        named(each, () => {
          last += 1
          return last
        }),
      )
    })

  batches(test, 'of authors with books', runs, ({ numRuns, seed }) =>
    check(fc.tuple(world, lists(author)), { numRuns, seed }, ([of, list]) =>
      compare(of, '/api/authors', list),
    ),
  )

  batches(test, 'of books with authors', runs, ({ numRuns, seed }) =>
    check(fc.tuple(world, lists(withAuthor)), { numRuns, seed }, ([of, list]) =>
      compare(of, '/api/books', list),
    ),
  )

  test('was stored and refused often enough', () => {
    ok(Math.min(compared.stored, compared.refused) >= 10, JSON.stringify(compared))
  })
})
