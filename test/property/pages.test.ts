/** Pages partition the result: by number and by cursor, forwards and backwards, and while rows are inserted. */
import type { Api } from '@model-api/core'
import fc from 'fast-check'
import { type Answer, get } from '../support/api.ts'
import type { TestDatabase } from '../support/databases.ts'
import { batches, check } from '../support/property.ts'
import { resultsOf, urlOf } from '../support/reference/answer.ts'
import {
  decodeQuery,
  describeWorld,
  queryParts,
  worlds,
  worldsWithSpecialFloats,
} from '../support/reference/arbitrary.ts'
import {
  createWorldTables,
  loadWorld,
  storeBytes,
  worldApis,
} from '../support/reference/database.ts'
import { isRelated, type Order, type Query } from '../support/reference/query.ts'
import type { World } from '../support/reference/rows.ts'
import { modelNamed, pathIsToOne } from '../support/reference/schema.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'

const runs = { sqlite: 100, postgres: 30, mysql: 30 }

interface Case {
  readonly world: World
  readonly query: Query
  readonly depth: number | undefined
  readonly limit: number
}

const casesOf = (of: fc.Arbitrary<World>): fc.Arbitrary<Case> =>
  fc
    .record({ world: of, parts: queryParts, limit: fc.integer({ min: 1, max: 4 }) })
    .map(({ world, parts, limit }) => {
      const asked = decodeQuery(world, parts)
      const query = withoutPage(asked.query)
      const given = { world, query, depth: asked.depth, limit }
      return { ...given, limit: limitFor(given) }
    })

/** The page size of a case, at which its list has at most `mostPages` pages. */
function limitFor({ world, query, depth, limit }: Case): number {
  return Math.max(limit, Math.ceil(resultsOf(world, query, depth).length / mostPages))
}

const cases = casesOf(worlds)

const recordCases = cases.filter(
  (one) => one.query.projection.kind === 'records' && isByCursor(one),
)

/**
 * Whether a list has whole records, or projections that have one row per record, and is not ordered by aggregates of related
 * records, which cursors refuse.
 */
function isByCursor({ query }: Case): boolean {
  const { base, joins, joinType, projection, order } = query
  if (order.some(({ by }) => typeof by === 'string' || isRelated(by))) return false
  if (projection.kind === 'records') return true
  const single = joins.every((path) => pathIsToOne(modelNamed(base), path))
  return projection.kind === 'fields' && single && joinType !== 'right'
}

const cursorCases = cases.filter(isByCursor)

/**
 * PostgreSQL stores floats that have no JSON number: cursors contain them, and responses show null. Few random orders have such a
 * column, so it is put before the others, and the pages are short, so that many end at such a value.
 */
const specialCases = casesOf(worldsWithSpecialFloats)
  .filter((given) => isByCursor(given) && floatOf(given.query) !== undefined)
  .map((given) => {
    const ordered = { ...given, query: orderedByFloat(given.query), limit: 1 }
    return { ...ordered, limit: limitFor(ordered) }
  })

const floatOf = ({ base }: Query): string | undefined => {
  const { columns } = modelNamed(base)
  return Object.keys(columns).find((name) => columns[name]?.type === 'float')
}

function orderedByFloat(query: Query): Query {
  const column = floatOf(query) as string
  const isOther = ({ by }: Order): boolean =>
    typeof by === 'string' || by.path.length > 0 || by.column !== column
  const others = query.order.filter(isOther)
  const direction = { descending: others.length % 2 === 1 }
  return { ...query, order: [{ by: { path: [], column }, ...direction }, ...others] }
}

function withoutPage(query: Query): Query {
  const { page: _, limit: __, count: ___, ...rest } = query
  return rest
}

/** The most pages of a list; a longer list is read with a larger page size. */
const mostPages = 20

eachDatabase('pages', (test, db) => {
  let apis: ReadonlyMap<number | undefined, Api>
  test.before(async () => {
    await createWorldTables(db)
    apis = worldApis(db)
  })

  batches(test, 'by number', runs[db.name], (parameters) =>
    check(cases, parameters, async (given) => {
      const api = await prepared(given)
      const all = await everything(api, given)
      const pages = await follow(api, firstPage(given, ''), 'next_url')
      return (
        problem('the pages', pages, all, given) ??
        problem('backwards', await backwards(api, pages, firstPage(given, '')), all, given) ??
        problem(
          'without a count',
          await follow(api, firstPage(given, 'count=none'), 'next_url'),
          all,
          given,
        )
      )
    }),
  )

  const byCursor = (of: fc.Arbitrary<Case>) => (parameters: Parameters<typeof check>[1]) =>
    check(of, parameters, async (given) => {
      const api = await prepared(given)
      const all = await everything(api, given)
      const first = firstPage(given, 'paging=cursor')
      const pages = await follow(api, first, 'next_url')
      return (
        problem('the pages', pages, all, given) ??
        problem('backwards', await backwards(api, pages, first), all, given)
      )
    })
  batches(test, 'by cursor', runs[db.name], byCursor(cursorCases))
  if (db.name === 'postgres') {
    batches(test, 'by cursor, with NaN and infinities', runs[db.name], byCursor(specialCases))
  }

  batches(test, 'by cursor, while rows are inserted', runs[db.name], (parameters) =>
    check(recordCases, parameters, async (given) => {
      const api = await prepared(given)
      const before = (await everything(api, given)).map(keyOf(given))
      let copies = 0
      const insert = async (): Promise<void> => {
        if (copies < 5) await insertCopy(db, given, copies)
        copies += 1
      }
      const first = firstPage(given, 'paging=cursor')
      const pages = await follow(api, first, 'next_url', insert)
      const seen = pages.flatMap((page) => page.value).map(keyOf(given))
      const twice = seen.filter((key, i) => seen.indexOf(key) !== i)
      if (twice.length > 0) return report(`twice: ${twice.join(' ')}`, given)
      const old = seen.filter((key) => before.includes(key))
      if (old.join('\n') === before.join('\n')) return undefined
      return report(`rows that were there:\n${before.join('\n')}\nseen:\n${old.join('\n')}`, given)
    }),
  )

  if (db.name === 'sqlite') {
    // The reference knows no bytes; without conditions on rows, it still knows how many there are.
    const unfiltered = cursorCases.map((given) => ({
      ...given,
      query: { ...given.query, where: [] },
    }))
    batches(test, 'by cursor, over bytes in columns of texts', runs.sqlite, (parameters) =>
      check(unfiltered, parameters, async (asked) => {
        const given = { ...asked, limit: limitFor(asked) }
        const api = await prepared(given)
        await storeBytes(db)
        const all = await everything(api, given)
        const first = firstPage(given, 'paging=cursor')
        const pages = await follow(api, first, 'next_url')
        return (
          problem('the pages', pages, all, given) ??
          problem('backwards', await backwards(api, pages, first), all, given)
        )
      }),
    )
  }

  async function prepared({ world, depth }: Case): Promise<Api> {
    await loadWorld(db, world)
    return apis.get(depth) as Api
  }
})

const keyOf =
  ({ query }: Case) =>
  (row: Readonly<Record<string, unknown>>): string =>
    Object.keys(modelNamed(query.base).columns)
      .filter((field) => modelNamed(query.base).columns[field]?.primaryKey === true)
      .map((field) => JSON.stringify(row[field]))
      .join()

/** Returns the whole list, read in pages of 100; the differential tests prove that these are correct. */
async function everything(api: Api, { world, query, depth }: Case): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page += 1) {
    const answer = await get(api, urlOf(world, { ...query, limit: 100, page }))
    rows.push(...values(answer))
    if (answer.body.next_url === null) {
      if (resultsOf(world, query, depth).length === rows.length) return rows
      throw new Error('the whole list is not whole')
    }
  }
}

type Row = Readonly<Record<string, unknown>>

interface Page {
  readonly url: string
  readonly value: readonly Row[]
  readonly body: Answer['body']
}

function values(answer: Answer): readonly Row[] {
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.value as readonly Row[]
}

function firstPage({ world, query, limit }: Case, more: string): string {
  const url = urlOf(world, { ...query, limit })
  return more === '' ? url : `${url}&${more}`
}

/** Reads pages by following one link until there is none. */
async function follow(
  api: Api,
  start: string,
  link: 'next_url' | 'previous_url',
  between: () => Promise<void> = async () => {},
): Promise<Page[]> {
  const pages: Page[] = []
  for (let url: string | null = start; url !== null; ) {
    const answer = await get(api, url)
    const value = values(answer)
    pages.push({ url, value, body: answer.body })
    // The links lead in circles; the caller reports the repeated rows.
    if (pages.length > mostPages + 10) break
    url = answer.body[link]
    if (url !== null) await between()
  }
  return pages
}

/** Reads the pages from the last to the first, and returns them in forward order. */
async function backwards(api: Api, pages: readonly Page[], first: string): Promise<Page[]> {
  const last = pages.at(-1)?.url ?? first
  return (await follow(api, last, 'previous_url')).reverse()
}

function problem(
  how: string,
  pages: readonly Page[],
  all: readonly Row[],
  given: Case,
): string | undefined {
  const rows = pages.flatMap(({ value }) => value)
  const texts = [rows, all].map((list) => list.map((row) => JSON.stringify(row)).join('\n'))
  const lengths = pages.map(({ value }) => value.length)
  const full = lengths.slice(0, -1).every((length) => length === given.limit)
  const ended = all.length === 0 || (lengths.at(-1) ?? 0) > 0
  if (texts[0] === texts[1] && full && ended) return undefined
  const urls = pages.map(({ url, value }) => `  ${value.length} of ${url}`)
  const short = texts.map((text) => text.replace(/^(.{60}).+$/gm, '$1…'))
  return report(`${how}:\n${urls.join('\n')}\n${short[0]}\nthe whole list:\n${short[1]}`, given)
}

const report = (what: string, { world, query }: Case): string =>
  [`GET ${decodeURIComponent(urlOf(world, query))}`, what, describeWorld(world)].join('\n')

/** Inserts a copy of an existing row with a new key, which ties with that row in every other order. */
async function insertCopy(db: TestDatabase, { world, query }: Case, count: number): Promise<void> {
  const model = modelNamed(query.base)
  const rows = world.rows[model.name] ?? []
  const row = rows[count % Math.max(1, rows.length)]
  if (row === undefined) return
  const copy: Record<string, unknown> = { ...row }
  for (const [field, column] of Object.entries(model.columns)) {
    const text = ['!', 'k', '~', '#', 'zz'][count]
    if (field === 'author_id' && column.unique === true) copy[field] = null
    else if (column.primaryKey !== true && column.unique !== true) continue
    else if (column.type === 'uuid') copy[field] = `${count}5000000-0000-4000-8000-000000000000`
    else if (column.type === 'integer') copy[field] = [-7, 1000, 0, -3, 77][count]
    else if (column.type === 'bigint') copy[field] = ['-7', '1000', '3', '-3', '77'][count]
    else copy[field] = text
  }
  await insertRows(db, model, [copy])
}
