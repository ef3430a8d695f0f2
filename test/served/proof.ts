/** Serves a fixture with `model-api serve` and compares all of its responses with the results of SQL. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyModel } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { extent } from '../support/extent.ts'
import { closeAtEnd } from '../support/registry.ts'
import type { Test } from '../support/suite.ts'
import { catalogueOf, type StoredReference, type StoredTable } from './catalogue.ts'
import { type Client, connect } from './client.ts'
import type { Variant } from './fixture.ts'
import {
  asJson,
  type Collection,
  canonical,
  type Mapping,
  mappingOf,
  type Row,
  selection,
  storedRows,
  tableName,
  urlOf,
} from './mapping.ts'
import { type Compared, randomBelow, seededCondition } from './seeded.ts'
import { type Serving, serving } from './serving.ts'
import { isInForm, type Json } from './stored.ts'

interface Answer {
  /** The JSON text of the value, with every digit. */
  readonly text: string
  readonly status: number
  readonly value: Json
  readonly total_count: number | null
  readonly next_url?: string | null
  readonly previous_url?: string | null
  readonly errors?: { readonly code?: string; readonly reason?: unknown }
}

/** How much is requested: of a large database, every nth record. */
export interface Extent {
  readonly pageSize: number
  readonly everyRecord: number
}

const whole: Extent = { pageSize: 2, everyRecord: 1 }

/** Declares the tests; `prepare` creates the tables and returns the target for `serve`. */
export function proof(
  test: Test,
  { name, url }: Pick<TestDatabase, 'name' | 'url'>,
  variant: Variant,
  prepare: () => Promise<string>,
  { pageSize, everyRecord }: Extent = whole,
): void {
  let client: Client
  let tables: readonly StoredTable[]
  let mapping: Mapping
  let service: Serving
  let args: readonly string[]
  const stored = new Map<Collection, readonly Row[]>()

  test.before(async () => {
    const target = await prepare()
    client = await connect(name, target)
    tables = await catalogueOf(client, schemasOf(name, url, variant))
    mapping = await mappingOf(target, variant, tables)
    args = argumentsOf(target, variant)
    service = await serving(args)
    for (const one of mapping.collections) stored.set(one, await storedRows(client, one))
  })
  test.after(async () => {
    await service?.stop()
    await client?.close()
  })

  const ask = async (path: string, method = 'GET', body?: string): Promise<Answer> => {
    const response = await fetch(service.base + path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const answer = JSON.parse(text) as Omit<Answer, 'status' | 'text'>
    if (response.status >= 500)
      throw new Error(`${method} ${path}: ${response.status}\n${service.printed.slice(-600)}`)
    return {
      ...answer,
      status: response.status,
      text: text.slice(text.indexOf('"value":') + 8, -1),
    }
  }
  const read = async (path: string): Promise<Answer> => {
    const answer = await ask(path)
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.errors)}`)
    return answer
  }
  const plain = 'dump_relationships=false'

  /** Reads all pages of a list; returns their rows. */
  const walk = async (first: string): Promise<{ rows: Row[]; last: Answer }> => {
    const rows: Row[] = []
    const seen = new Set<string>()
    for (let path: string | null = first; ; ) {
      const page: Answer = await read(path)
      rows.push(...(page.value as readonly Row[]))
      path = page.next_url ?? null
      if (path === null) return { rows, last: page }
      if (seen.has(path)) throw new Error(`${first}: the page ${path} leads to itself`)
      seen.add(path)
    }
  }
  const rowsOf = (collection: Collection): readonly Row[] => stored.get(collection) ?? []
  const some = (collection: Collection): readonly Row[] =>
    rowsOf(collection).filter((_, i) => i % everyRecord === 0)
  const hasUrl = (collection: Collection, row: Row): boolean =>
    !(variant.withoutUrl?.[mapping.nameOf(collection.table)] ?? []).includes(
      JSON.stringify(collection.key.map((field) => row[field])),
    )
  const records = (): readonly (readonly [Collection, Row])[] =>
    mapping.collections
      .filter(({ key }) => key.length > 0)
      .flatMap((one) =>
        some(one)
          .filter((row) => hasUrl(one, row))
          .map((row) => [one, row] as const),
      )

  test('publishes every table and column, or reports why not', () => {
    const missing: string[] = []
    for (const table of tables) {
      const published = mapping.collections.find((one) => one.table === table)
      const at = mapping.nameOf(table)
      if (published === undefined) missing.push(at)
      else {
        const known = new Set(published.fields.map(({ column }) => column))
        missing.push(
          ...table.columns.flatMap((one) => (known.has(one.name) ? [] : [`${at}.${one.name}`])),
        )
        equal(known.size, published.fields.length, at)
      }
    }
    equal(missing.sort(), Object.keys(variant.leftOut ?? {}).sort())
    for (const at of missing)
      ok(service.printed.includes(at.replace(/^.*\./, '')), `${at} is not printed`)
  })

  test('shows every row by numbered pages', () =>
    findings(async (found) => {
      for (const one of mapping.collections) {
        const first = `${one.path}?${plain}&limit=${pageSize}`
        await found.at(first, async () => {
          found.rows((await walk(first)).rows, rowsOf(one))
          found.same((await read(first)).total_count, rowsOf(one).length)
        })
      }
    }))

  test('shows every row by cursors, forwards and backwards, in the order of every column', () =>
    findings(async (found) => {
      for (const one of mapping.collections) {
        for (const order of ordersOf(one).slice(0, everyRecord === 1 ? undefined : 3)) {
          const first = `${one.path}?${plain}&limit=${pageSize}&paging=cursor${order}`
          await found.at(first, async () => {
            const { status, errors } = await ask(first)
            // A list without a key may have no order that distinguishes all rows.
            const isList = one.key.length === 0 && errors?.code === 'unsupported_query'
            if (status === 400 && isList) return
            const { rows, last } = await walk(first)
            found.rows(rows, rowsOf(one))
            const back = [...(last.value as readonly Row[])]
            for (let path = last.previous_url ?? null; path !== null; ) {
              const page: Answer = await read(path)
              back.unshift(...(page.value as readonly Row[]))
              path = back.length > rows.length ? null : (page.previous_url ?? null)
            }
            found.same(back, rows)
          })
        }
      }
    }))

  test('finds rows by the values that were read', () =>
    findings(async (found) => {
      for (const one of mapping.collections) {
        for (const { field, column, type, collation } of comparedOf(one)) {
          const path = `${one.path}?${plain}&limit=100&${field}`
          const nulls = `${path}__isnull=true`
          await found.at(nulls, async () =>
            found.rows((await walk(nulls)).rows, await storedRows(client, one, column)),
          )
          if (uncompared.includes(type)) continue
          for (const value of new Set(some(one).map((row) => row[field]))) {
            if (value === null || value === undefined) continue
            const own = String(value)
            const text = own.startsWith('"') ? `"${own.replace(/["\\]/g, '\\$&')}"` : own
            const at = `${path}__eq=${encodeURIComponent(text)}`
            await found.at(at, async () => {
              // A filter accepts only values in a form of the column's type, which includes impossible dates and infinities.
              const isOther = name === 'sqlite' || (name === 'mysql' && type === 'enum')
              if (isOther && !isInForm(type, value)) {
                return found.same((await ask(at)).errors?.code, 'invalid_value')
              }
              const { rows } = await walk(at)
              // A collation may also find texts with another spelling.
              const alike =
                collation === undefined ? rows : rows.filter((row) => row[field] === value)
              found.rows(
                alike,
                rowsOf(one).filter((row) => row[field] === value),
              )
            })
          }
        }
      }
    }))

  test('answers seeded conditions and pages as SQL does', () =>
    findings(async (found) => {
      const below = randomBelow(49)
      const asked = mapping.collections.flatMap((one) => {
        const fields = exactOf(one, some(one))
        return fields.length === 0 || rowsOf(one).length === 0 ? [] : [{ one, fields }]
      })
      for (let i = 0; i < seededRequests; i++) {
        const { one, fields } = asked[below(asked.length)] as (typeof asked)[number]
        const { text, holds } = seededCondition(fields, below)
        const orders = ordersOf(one)
        const limit = 1 + below(5)
        const page = 1 + below(3)
        const order = orders[below(orders.length)] ?? ''
        const at = `${one.path}?${plain}&${text}${order}&limit=${limit}`
        await found.at(at, async () => {
          const expected = rowsOf(one).filter((row) => holds(row) === true)
          const { rows } = await walk(at)
          found.rows(rows, expected)
          const answer = await read(`${at}&page=${page}`)
          found.same(answer.total_count, expected.length)
          found.same(answer.value, rows.slice((page - 1) * limit, page * limit))
        })
      }
    }))

  test('shows every record at its URL', () =>
    findings(async (found) => {
      for (const [one, row] of records()) {
        const url = urlOf(one, row)
        await found.at(url, async () => found.same((await read(`${url}?${plain}`)).value, row))
      }
    }))

  test('follows every relation as SQL joins it', () =>
    findings(async (found) => {
      for (const one of mapping.collections) {
        for (const [relation, declared] of Object.entries(one.model.relations)) {
          const target = mapping.collections.find(({ model }) => model.name === declared.target)
          if (target === undefined) continue
          const pairs = await pairsOf(client, one, target, declared)
          for (const row of some(one).filter((each) => hasUrl(one, each))) {
            const related = pairs.get(canonical(row)) ?? []
            const at = `${one.path} ${canonical(row)} ${relation}`
            await found.at(at, () => follow(found, one, row, relation, declared.kind, related))
          }
        }
      }
    }))

  test('embeds every relation as SQL joins it, of lists without records too', () =>
    findings(async (found) => {
      for (const one of mapping.collections) {
        const relations = Object.entries(one.model.relations).flatMap(([name, declared]) => {
          const target = mapping.collections.find(({ model }) => model.name === declared.target)
          return target === undefined ? [] : [{ name, declared, target }]
        })
        if (relations.length === 0) continue
        const pairs = new Map<string, Map<string, Row[]>>()
        for (const { name, declared, target } of relations) {
          pairs.set(name, await pairsOf(client, one, target, declared))
        }
        const twins = new Map<string, number>()
        for (const row of rowsOf(one)) {
          twins.set(canonical(row), (twins.get(canonical(row)) ?? 0) + 1)
        }
        const path = `${one.path}?dump=json&limit=${pageSize}`
        await found.at(path, async () => {
          const { rows } = await walk(path)
          found.same(rows.length, rowsOf(one).length)
          for (const row of rows) {
            const own = canonical(fieldsOf(one, row))
            const alike = twins.get(own) ?? 1
            for (const { name, declared, target } of relations) {
              const related = pairs.get(name)?.get(own) ?? []
              const shown = [row[name] ?? []].flat() as readonly Row[]
              const isMany = declared.kind === 'hasMany' || declared.kind === 'manyToMany'
              // A list that was cut is not compared. Equal records share their pairs, so SQL returns each related record
              // `alike` times.
              const expected = isMany ? related : related.slice(0, alike)
              if (shown.length < expected.length / alike && shown.length >= embedded) continue
              const embeds = shown.map((each) => fieldsOf(target, each))
              const records =
                declared.kind === 'manyToMany'
                  ? embeds
                  : embeds.flatMap((each) => Array.from({ length: alike }, () => each))
              found.rows(records, expected)
            }
          }
        })
      }
    }))

  const follow = async (
    found: Findings,
    one: Collection,
    row: Row,
    relation: string,
    kind: string,
    related: readonly Row[],
  ): Promise<void> => {
    // The rows of a list without a key have no URL; the relation is embedded in the list instead.
    if (one.key.length === 0) return
    const { value } = await read(urlOf(one, row))
    const url = (value as Row)[relation]
    if (kind === 'hasMany' || kind === 'manyToMany') {
      const first = `${url}?${plain}&limit=${Math.max(pageSize, 50)}`
      found.rows((await walk(first)).rows, related)
    } else if (related.length > 0) {
      found.same((await read(`${url}?${plain}`)).value, related[0])
    } else if (url !== null) {
      found.same((await ask(String(url))).status, 404)
    }
  }

  test('has relations in both directions for every foreign key', () => {
    const unrelated = tables.flatMap((table) =>
      table.foreignKeys
        .filter((foreignKey) => !isRelated(mapping, tables, table, foreignKey))
        .map(({ columns }) => `${mapping.nameOf(table)}(${columns.join(',')})`),
    )
    equal(unrelated.sort(), Object.keys(variant.unrelated ?? {}).sort())
  })

  test('accepts every record as it was read', () =>
    findings(async (found) => {
      await service.stop()
      service = await serving([...args, '--write', '--yes'])
      const before = await stateOf(client, tables)
      for (const [one, row] of records()) {
        if (!one.writable) continue
        const url = urlOf(one, row)
        await found.at(`PATCH ${url}`, async () => {
          const { value, text } = await read(url)
          const back = await ask(url, 'PATCH', text)
          found.same([back.status, back.errors?.reason], [200, undefined])
          found.same(back.value, value)
        })
      }
      found.same(await stateOf(client, tables), before)
    }))
}

const uncompared: readonly string[] = ['json', 'binary', 'list', 'opaque']

/** Lists of fewer related records are never cut. */
const embedded = 10

/** The row without its relations. */
const fieldsOf = ({ fields }: Collection, row: Row): Row =>
  Object.fromEntries(fields.map(({ field }) => [field, row[field] ?? null]))

/** All differences of a test, so that one defect does not hide another. */
interface Findings {
  /** Runs a step; reports its differences and errors under the request. */
  at(request: string, step: () => Promise<void>): Promise<void>
  same(actual: unknown, expected: unknown): void
  /** Compares rows in any order. */
  rows(actual: readonly Row[], expected: readonly Row[]): void
}

async function findings(step: (found: Findings) => Promise<void>): Promise<void> {
  const all: string[] = []
  let request = ''
  const add = (finding: string): void => void all.push(`${request}: ${finding}`.slice(0, 700))
  await step({
    at: async (name, part) => {
      request = name
      await part().catch((error) => add(String(error)))
    },
    same: (actual, expected) => {
      const [a, b] = [canonical(actual), canonical(expected)]
      if (a !== b) add(`${a} instead of ${b}`)
    },
    rows: (actual, expected) => {
      const a = actual.map(canonical).sort()
      const b = expected.map(canonical).sort()
      if (canonical(a) === canonical(b)) return
      const more = a.filter((row) => !b.includes(row))
      const fewer = b.filter((row) => !a.includes(row))
      const differing = more.map((row, i) => differenceOf(row, fewer[i]))
      add(`${a.length} of ${b.length} rows; ${differing}; not shown: ${fewer.slice(more.length)}`)
    },
  })
  equal(all, [])
}

/** The members that differ between two rows. */
function differenceOf(shown: string, stored = '{}'): string {
  const [a, b] = [JSON.parse(shown) as Row, JSON.parse(stored) as Row]
  const names = Object.keys(a).filter((name) => canonical(a[name]) !== canonical(b[name]))
  return names
    .map((name) => `${name} ${canonical(a[name])} instead of ${canonical(b[name])}`)
    .join()
}

function schemasOf(
  name: TestDatabase['name'],
  url: string | undefined,
  { schemas }: Variant,
): readonly string[] {
  if (schemas !== undefined) return schemas
  if (name === 'sqlite') return ['main']
  return [name === 'postgres' ? 'public' : new URL(url ?? '').pathname.slice(1)]
}

function argumentsOf(target: string, { schemas, options = [], relations }: Variant): string[] {
  const args = [...options]
  if (schemas !== undefined) args.push(`--schema=${schemas.join(',')}`)
  if (relations !== undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'served-'))
    closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'relations.txt')
    writeFileSync(file, relations)
    args.push(`--relations=${file}`)
  }
  return [...args, target]
}

/** A usual run asks few, a whole one as many as it takes to meet most pairs of fields. */
const seededRequests = extent === 'whole' ? 1000 : 20

/** The fields that no collation compares, with those of the values that have the form of their type. */
function exactOf(one: Collection, rows: readonly Row[]): readonly Compared[] {
  return comparedOf(one).flatMap(({ field, type, collation, storage }) => {
    if (uncompared.includes(type) || type === 'enum') return []
    if (collation !== undefined || storage !== undefined) return []
    const values = rows.map((row) => row[field] ?? null)
    const isText = type === 'string' || type === 'text'
    return [
      { field, isText, values: values.filter((value) => value !== null && isInForm(type, value)) },
    ]
  })
}

/** The default order, and each column ascending and descending. */
function ordersOf(collection: Collection): string[] {
  const ordered = comparedOf(collection).filter(
    ({ type, storage }) => !uncompared.includes(type) && storage !== 'text',
  )
  const orders = ordered.flatMap(({ field }) => [field, `-${field}`])
  return ['', ...orders.map((field) => `&order_by=${encodeURIComponent(field)}`)]
}

function comparedOf({ model, fields }: Collection) {
  return fields.map(({ field, column }) => {
    const { type, collation, storage } = model.columns[field] ?? { type: 'opaque' }
    return { field, column, type, collation, storage }
  })
}

/** The related records of each record, according to SQL. */
async function pairsOf(
  client: Client,
  one: Collection,
  target: Collection,
  relation: AnyModel['relations'][string],
): Promise<Map<string, Row[]>> {
  const on: string[] = []
  const column = (of: Collection, field: string): string => of.model.columns[field]?.column ?? field
  const keyOf = (of: Collection): string[] => of.key.map((field) => column(of, field))
  const equalTo = (
    a: string,
    own: readonly string[],
    b: string,
    other: readonly string[],
  ): string[] =>
    own.map((name, i) => `${a}.${client.quoted(name)} = ${b}.${client.quoted(other[i] ?? '')}`)
  let from = `${tableName(client, one.table)} a, ${tableName(client, target.table)} b`
  const { kind } = relation
  if (relation.kind === 'manyToMany') {
    const schema = relation.schema ?? one.table.schema
    from += `, ${tableName(client, { schema, name: relation.through })} j`
    on.push(...equalTo('a', keyOf(one), 'j', [relation.from].flat() as string[]))
    on.push(...equalTo('b', keyOf(target), 'j', [relation.to].flat() as string[]))
  } else {
    const child = kind === 'belongsTo' ? one : target
    const parent = kind === 'belongsTo' ? target : one
    const own = ([relation.key].flat() as string[]).map((field) => column(child, field))
    const references =
      relation.references === undefined
        ? keyOf(parent)
        : ([relation.references].flat() as string[]).map((field) => column(parent, field))
    on.push(
      ...(kind === 'belongsTo'
        ? equalTo('a', own, 'b', references)
        : equalTo('b', own, 'a', references)),
    )
  }
  const columns = [...selection(client, one, 'a'), ...selection(client, target, 'b')].join(', ')
  const rows = await client.rows(`select ${columns} from ${from} where ${on.join(' and ')}`)
  const pairs = new Map<string, Row[]>()
  const seen = new Set<string>()
  for (const values of rows) {
    const key = canonical(asJson(client, one, values))
    const other = asJson(client, target, values.slice(one.fields.length))
    const pair = canonical([key, other])
    // A junction table may contain a pair twice; each list of related records contains the record once.
    if (kind === 'manyToMany' && seen.has(pair)) continue
    seen.add(pair)
    const known = pairs.get(key)
    if (known === undefined) pairs.set(key, [other])
    else known.push(other)
  }
  return pairs
}

/** Whether a relation leads from the row to the row that it refers to, and another one back, or a many-to-many relation replaces both. */
function isRelated(
  { models }: Mapping,
  tables: readonly StoredTable[],
  table: StoredTable,
  foreignKey: StoredReference,
): boolean {
  const modelOf = (schema: string, name: string): AnyModel | undefined =>
    models.find((model) => model.table === name && (model.schema ?? schema) === schema)
  const child = modelOf(table.schema, table.name)
  const target = tables.find(
    ({ schema, name }) => name === foreignKey.table && schema === foreignKey.schema,
  )
  const parent = target && modelOf(target.schema, target.name)
  if (parent === undefined) return false
  if (child === undefined) {
    return Object.values(parent.relations).some(
      (one) =>
        one.kind === 'manyToMany' &&
        one.through === table.name &&
        sameNames([one.from].flat() as string[], foreignKey.columns),
    )
  }
  const columns = (fields: unknown): string[] =>
    ([fields].flat() as string[]).map((field) => child.columns[field]?.column ?? field)
  const leads = (from: AnyModel, to: AnyModel, kinds: readonly string[]): boolean =>
    Object.values(from.relations).some(
      (one) =>
        one.kind !== 'manyToMany' &&
        kinds.includes(one.kind) &&
        one.target === to.name &&
        sameNames(columns(one.key), foreignKey.columns),
    )
  return leads(child, parent, ['belongsTo']) && leads(parent, child, ['hasOne', 'hasMany'])
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  [...a].sort().join() === [...b].sort().join()

/** Every value of every table as the database prints it. */
async function stateOf(client: Client, tables: readonly StoredTable[]): Promise<string[]> {
  const state: string[] = []
  for (const table of tables) {
    try {
      const rows = await client.rows(`select * from ${tableName(client, table)}`)
      const texts = rows.map((row) =>
        row
          .map((value) =>
            value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
          )
          .join('\0'),
      )
      state.push(`${table.name}\n${texts.sort().join('\n')}`)
    } catch {
      // A materialised view that was never refreshed cannot be read.
      state.push(table.name)
    }
  }
  return state
}
