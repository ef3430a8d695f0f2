/**
 * Any query gets a success or a refusal, never a failure, the same by the client in the process, and text of the client is in the SQL
 * only as a bound value.
 */
import { deepStrictEqual } from 'node:assert'
import type { Api } from '@model-api/core'
import fc from 'fast-check'
import { get } from '../support/api.ts'
import { inFormOfAs, verdictAs } from '../support/as-client.ts'
import { verdictAlone } from '../support/batch.ts'
import { batches, check } from '../support/property.ts'
import { urlOf } from '../support/reference/answer.ts'
import { decodeQuery, queryParts, someWorld } from '../support/reference/arbitrary.ts'
import { createWorldTables, loadWorld, worldApis } from '../support/reference/database.ts'
import { endpoints, junctions, models } from '../support/reference/schema.ts'
import { foreignIdentifiers, strangeLiterals } from '../support/reference/sql-text.ts'
import { eachDatabase } from '../support/suite.ts'

const runs = { sqlite: 1500, postgres: 400, mysql: 400 }

const world = someWorld

/** Texts that would be recognisable and harmful if they reached the SQL. */
const canaries = [
  'kanarie',
  "'kanarie",
  '"kanarie',
  '`kanarie',
  '\\kanarie',
  '73450917',
  '--kanarie',
]

const fragments = [
  ...canaries,
  ...'()[]|,=&.;+*?#/\\"\'`%-_ \t\0',
  '__eq=',
  '__',
  '__in=(',
  'or[',
  'not[',
  'and[',
  'exists(',
  'missing(',
  'order_by=',
  'groupby=',
  'aggregate=',
  'fields=',
  'join=',
  'join_type=right',
  'year(',
  '|label__sum=1',
  'limit=',
  'page=',
  'after=',
  'before=',
  'paging=cursor',
  'count=none',
  'dump=json',
  'include_deleted=true',
  'cascade_delete=1',
  'max_affected=1',
  'on_conflict=id',
  'NaN',
  'Infinity',
  '1e400',
  '-0',
  '0x10',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999999999',
  '0.0000000000000001',
  '2024-02-30',
  '10000-01-01',
  '2024-01-01T00:00:00+26:00',
  '24:00:00',
  '%00',
  '%',
  '%2',
  '%zz',
  '%C3%28',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%E2%80%AE',
  '%5B',
  '%28',
  '%22',
  '%7C',
  '%2C',
  '%3D',
  '%26',
  '.nullsfirst',
  'null',
  'true',
  '__proto__',
  'constructor',
  'toString',
  'works.',
  'author.',
  'author.mentor.',
  'labels.limit=1',
  'secret',
]

/** A valid query with some of its text replaced, duplicated, cut, encoded or swapped. */
const edit = fc.record({
  at: fc.nat(9999),
  length: fc.constantFrom(0, 0, 1, 2, 5, 30),
  what: fc.constantFrom('put', 'put', 'put', 'encode', 'double', 'decode', 'swap'),
  fragment: fc.constantFrom(...fragments),
})

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

function edited(text: string, { at, length, what, fragment }: Edit): string {
  const start = at % (text.length + 1)
  const [before, part, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ]
  if (what === 'encode') return before + encodeURIComponent(part) + after
  if (what === 'decode')
    return (
      before +
      part.replace(/%([0-7][0-9A-F])/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))) +
      after
    )
  if (what === 'double') return before + part + part + after
  if (what === 'swap') return after + part + before
  return before + fragment + after
}

const mutated = fc
  .record({ parts: queryParts, edits: fc.array(edit, { maxLength: 4 }) })
  .map(({ parts, edits }) => {
    const [path = '', query = ''] = urlOf(world, decodeQuery(world, parts).query).split('?')
    return `${path}?${edits.reduce(edited, query)}`
  })

const collections = Object.values(endpoints)

/** Parts of the query language in any order. */
const soup = fc
  .tuple(
    fc.constantFrom(
      ...collections,
      'works/1',
      'works/1/labels',
      'authors/1/mentor',
      'order-lines/x,1',
    ),
    fc.array(
      fc.oneof(
        fc.constantFrom(...fragments),
        fc.constantFrom(...models.flatMap((model) => Object.keys(model.columns))),
        fc.constantFrom(...models.flatMap((model) => Object.keys(model.relations))),
        fc.constantFrom(
          '&',
          '=',
          '(',
          ')',
          '[',
          ']',
          ',',
          '.',
          '__eq=1',
          '__in=(1)',
          '__isnull=true',
        ),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 14 },
    ),
  )
  .map(([path, pieces]) => `/api/${path}?${pieces.join('')}`)

const anything = fc
  .tuple(
    fc.constantFrom(...collections, 'works/1', 'works/1/labels', 'order-lines'),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.boolean(),
  )
  .map(([path, text, encoded]) => {
    const wellFormed = text.replace(/\p{Surrogate}/gu, '')
    return `/api/${path}?${encoded ? encodeURIComponent(wellFormed) : text}`
  })

/** Paths are text of the client too. */
const paths = fc
  .tuple(
    fc.constantFrom('works', 'order-lines', 'remarks', 'badges', 'labels'),
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(...fragments, '1', 'x,1', '1,', '%2C', ','),
    ),
    fc.constantFrom('', '/works', '/labels', '/line', '/author'),
    fc.boolean(),
  )
  .map(([collection, id, rest, raw]) => {
    const text = raw ? id : encodeURIComponent(id.replace(/\p{Surrogate}/gu, ''))
    return `/api/${collection}/${text}${rest}`
  })

/** A query beyond every limit. */
const huge = fc
  .tuple(
    fc.constantFrom(
      'id__eq=1&',
      'or[',
      'not[',
      '(',
      'id__in=(1,',
      'title__like=a',
      'join=author,',
      'author.mentor.',
      'order_by=id,',
      '%22',
      'exists(',
      'title__in=("',
      '[',
      'id__count=1&',
    ),
    fc.constantFrom(20, 200, 1200, 5000),
    fc.constantFrom('', ']', ')', '=', '"'),
  )
  .map(([piece, count, end]) => `/api/works?${piece.repeat(count)}${end.repeat(count)}`)

const urls = fc.oneof(
  { weight: 10, arbitrary: mutated },
  { weight: 4, arbitrary: soup },
  { weight: 2, arbitrary: anything },
  { weight: 2, arbitrary: paths },
  { weight: 1, arbitrary: huge },
)

const allowed = [200, 400, 403, 404, 414]

const known = new Set([
  ...junctions,
  ...models.flatMap((model) => [
    model.table,
    ...Object.keys(model.relations),
    ...Object.entries(model.columns).map(([field, { column }]) => column ?? field),
    ...Object.keys(model.columns),
    ...Object.values(model.relations).flatMap((relation) =>
      relation.kind === 'manyToMany' ? [relation.from, relation.to].flat() : [],
    ),
  ]),
])

/** Every third query, and always the same ones, so that a failure can be repeated. */
const isAskedAgain = (url: string): boolean => url.length % 3 === 0

/** What the client in the process tells otherwise than a request. */
async function otherwiseByClient(api: Api, url: string): Promise<readonly string[]> {
  const request = { method: 'GET', url, headers: {} }
  const expected = inFormOfAs(await verdictAlone(api, request))
  const told = await verdictAs(api, null, request, 'works')
  try {
    deepStrictEqual(told, expected)
    return []
  } catch (error) {
    return [`by api.as: ${String(error)}`]
  }
}

eachDatabase('random queries', (test, db) => {
  let apis: ReadonlyMap<number | undefined, Api>
  test.before(async () => {
    await createWorldTables(db)
    await loadWorld(db, world)
    apis = worldApis(db)
    // Before the first query, so that its statements do not include the look-ups that an API makes only once.
    await apis.get(undefined)?.ready
  })
  batches(test, 'are answered or refused', runs[db.name], (parameters) =>
    check(urls, parameters, async (url) => {
      const api = apis.get(undefined) as Api
      const { result, statements } = await db.capture(() => get(api, url))
      const { status, text } = result
      const problems: string[] = []
      if (!allowed.includes(status)) problems.push(`status ${status}: ${text}`)
      if (status !== 200 && result.errors?.reason === undefined) problems.push('no reason')
      for (const { sql } of statements) {
        const foreign = foreignIdentifiers(db.name, sql, known)
        if (foreign.length > 0) problems.push(`identifiers ${foreign.join(', ')} in ${sql}`)
        const literals = strangeLiterals(db.name, sql)
        if (literals.length > 0) problems.push(`literals ${literals.join(', ')} in ${sql}`)
        if (/kanarie|73450917/i.test(sql)) problems.push(`text of the client in ${sql}`)
      }
      if (isAskedAgain(url)) problems.push(...(await otherwiseByClient(api, url)))
      if (problems.length === 0) return undefined
      return [`GET ${url}`, ...problems].join('\n')
    }),
  )
})
