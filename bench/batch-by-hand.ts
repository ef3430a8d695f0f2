/**
 * The batch of `batch.ts` written by hand, in two ways: `prepared` costs as little as possible, `kysely` does everything that the
 * API does.
 *
 * `prepared` trusts the list of operations and checks only the fields; its statements are constant texts, and its responses have no
 * ETags. `kysely` also checks the list, resolves references to earlier results, builds its statements with Kysely, and adds an ETag
 * for each record.
 */
import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import { states } from './bulk-models.ts'
import type { DatabaseName } from './databases.ts'

type Row = Readonly<Record<string, unknown>>

export interface Operation {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers?: Row
  readonly body?: Row
}

interface OperationResult {
  readonly id: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly value: Row | null
}

/** Takes the text of a batch and returns the text of its response. */
export type ByHand = (body: string) => Promise<string>

const fields = ['project_id', 'number', 'title', 'details', 'state', 'points', 'due'] as const
const optional: ReadonlySet<string> = new Set(['details', 'points', 'due'])

const isWhole = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  project_id: isWhole,
  number: isWhole,
  title: (value) => isText(value) && (value as string).length <= 120,
  details: (value) => value === null || isText(value),
  state: (value) => states.includes(value as never),
  points: (value) => value === null || isWhole(value),
  due: (value) =>
    value === null ||
    (/^\d{4}-\d{2}-\d{2}$/.test(String(value)) && !Number.isNaN(Date.parse(String(value)))),
}

const answer = (value: readonly OperationResult[]): string =>
  JSON.stringify({
    datetime: new Date().toISOString(),
    status_code: 200,
    total_count: value.length,
    errors: null,
    value,
  })

/** The SQL of the date as text, because the drivers of the servers return a Date. */
const dueOf: Readonly<Record<DatabaseName, string>> = {
  postgres: 'due::text',
  mysql: "date_format(due, '%Y-%m-%d')",
  sqlite: 'due',
}

/** The batch with constant statements. */
export function prepared(name: DatabaseName, db: Kysely<never>): ByHand {
  const place = (i: number): string => (name === 'postgres' ? `$${i}` : '?')
  const columns = `id, project_id, number, title, details, state, points, ${dueOf[name]} as due`
  const values = fields.map((_, i) => place(i + 1)).join(', ')
  const insert = `insert into tasks (${fields.join(', ')}) values (${values}) returning ${columns}`
  const read = `select ${columns} from tasks where id = ${place(1)}`
  return async (text) => {
    const { operations } = JSON.parse(text) as { readonly operations: readonly Operation[] }
    const results = await db.transaction().execute(async (transaction) => {
      const run = async (statement: string, parameters: readonly unknown[]) =>
        (await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]))).rows
      const done: OperationResult[] = []
      for (const { id, method, url, body = {} } of operations) {
        const [, collection, key] = /^\/api\/(\w+)(?:\/(\d+))?$/.exec(url) ?? []
        if (collection !== 'tasks') throw new Error('404')
        for (const field of Object.keys(body)) {
          if (checks[field]?.(body[field]) !== true) throw new Error(`422 ${field}`)
        }
        const number = Number(key)
        if (method === 'POST') {
          const parameters = fields.map((field) => body[field] ?? null)
          const [row = null] = await run(insert, parameters)
          done.push({ id, status: 201, headers: { location: `/api/tasks/${row?.id}` }, value: row })
        } else if (method === 'PATCH') {
          const names = Object.keys(body)
          const set = names.map((field, i) => `${field} = ${place(i + 1)}`).join(', ')
          const change = `update tasks set ${set} where id = ${place(names.length + 1)}`
          const parameters = [...names.map((field) => body[field]), number]
          const isReturned = name !== 'mysql'
          const [changed] = await run(
            isReturned ? `${change} returning ${columns}` : change,
            parameters,
          )
          const [row] = isReturned ? [changed] : await run(read, [number])
          if (row === undefined) throw new Error('404')
          done.push({ id, status: 200, headers: {}, value: row })
        } else if (method === 'GET') {
          const [row] = await run(read, [number])
          if (row === undefined) throw new Error('404')
          done.push({ id, status: 200, headers: {}, value: row })
        } else {
          const gone = await run(`delete from tasks where id = ${place(1)} returning id`, [number])
          if (gone.length === 0) throw new Error('404')
          done.push({ id, status: 204, headers: {}, value: null })
        }
      }
      return done
    })
    return answer(results)
  }
}

interface Tables {
  readonly tasks: Row
}

const members: ReadonlySet<string> = new Set(['id', 'method', 'url', 'headers', 'body'])
const referenceInUrl = /\{([A-Za-z_][\w-]*)\.(\w+)\}/g

/** The batch with Kysely's query builder, with references and ETags. */
export function kysely(name: DatabaseName, anyDb: Kysely<never>): ByHand {
  const db = anyDb as unknown as Kysely<Tables>
  const due = sql.raw(dueOf[name]) as RawBuilder<string | null>
  const columns = [
    'id',
    'project_id',
    'number',
    'title',
    'details',
    'state',
    'points',
    due.as('due'),
  ] as const
  const isReturned = name !== 'mysql'
  return async (text) => {
    const operations = readOperations(JSON.parse(text))
    const results = await db.transaction().execute(async (transaction) => {
      const done: OperationResult[] = []
      const values = new Map<string, Row | null>()
      const read = (key: number) =>
        transaction.selectFrom('tasks').select(columns).where('id', '=', key).executeTakeFirst()
      const one = async ({ id, method, url, body }: Operation): Promise<OperationResult> => {
        const key = keyIn(resolvedUrl(url, values))
        if (method === 'POST' && key === undefined) {
          const task = checked(resolvedBody(body, values))
          for (const field of fields) {
            if (task[field] === undefined && !optional.has(field)) throw new Error(`400 ${field}`)
          }
          // Compiles the statement, because Kysely returns no rows for an INSERT with its dialect for MySQL, although MariaDB has
          // RETURNING.
          const insert = transaction.insertInto('tasks').values(task).returning(columns).compile()
          const [row] = (await transaction.executeQuery<Row>(insert)).rows
          if (row === undefined) throw new Error('500')
          return { id, status: 201, headers: { location: `/api/tasks/${row.id}` }, value: row }
        }
        if (key === undefined) throw new Error('405')
        if (method === 'PATCH') {
          const change = transaction
            .updateTable('tasks')
            .set(checked(resolvedBody(body, values)))
            .where('id', '=', key)
          const changed = await (isReturned
            ? change.returning(columns)
            : change
          ).executeTakeFirstOrThrow()
          const row = isReturned ? (changed as Row) : await read(key)
          if (row === undefined) throw new Error('404')
          return { id, status: 200, headers: {}, value: row }
        }
        if (method === 'GET') {
          const row = await read(key)
          if (row === undefined) throw new Error('404')
          return { id, status: 200, headers: {}, value: row }
        }
        if (method !== 'DELETE') throw new Error('405')
        const gone = await transaction.deleteFrom('tasks').where('id', '=', key).executeTakeFirst()
        if (gone.numDeletedRows === 0n) throw new Error('404')
        return { id, status: 204, headers: {}, value: null }
      }
      for (const operation of operations) {
        const result = tagged(await one(operation))
        values.set(result.id, result.value)
        done.push(result)
      }
      return done
    })
    return answer(results)
  }
}

/** Checks the list of operations: their members and ids, and that references name earlier operations. */
function readOperations(body: { readonly operations?: unknown }): readonly Operation[] {
  const { operations } = body
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > 1000) {
    throw new Error('400 operations')
  }
  const known = new Set<string>()
  for (const operation of operations as readonly Operation[]) {
    const { id, method, url, headers, body: own } = operation
    for (const member of Object.keys(operation)) {
      if (!members.has(member)) throw new Error(`400 ${member}`)
    }
    if (typeof id !== 'string' || !/^[A-Za-z_][\w-]{0,63}$/.test(id) || known.has(id)) {
      throw new Error('400 id')
    }
    if (typeof method !== 'string' || typeof url !== 'string') throw new Error('400 method, url')
    if (headers !== undefined && typeof headers !== 'object') throw new Error('400 headers')
    for (const [, earlier = ''] of url.matchAll(referenceInUrl)) {
      if (!known.has(earlier)) throw new Error(`400 ${earlier}`)
    }
    for (const value of Object.values(own ?? {})) {
      const earlier = referenceIn(value)?.[0]
      if (earlier !== undefined && !known.has(earlier)) throw new Error(`400 ${earlier}`)
    }
    known.add(id)
  }
  return operations
}

function referenceIn(value: unknown): readonly [string, string] | undefined {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return undefined
  const [operation = '', member = ''] = String(value.$ref).split('.')
  return [operation, member]
}

type Results = ReadonlyMap<string, Row | null>

const resolvedUrl = (url: string, values: Results): string =>
  url.includes('{')
    ? url.replace(referenceInUrl, (_, operation, member) =>
        encodeURIComponent(String(values.get(operation)?.[member])),
      )
    : url

function resolvedBody(body: Row | undefined, values: Results): Row {
  if (body === undefined) throw new Error('400 body')
  const resolved: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    const reference = referenceIn(value)
    resolved[field] = reference ? values.get(reference[0])?.[reference[1]] : value
  }
  return resolved
}

function checked(task: Row): Row {
  for (const [field, value] of Object.entries(task)) {
    if (checks[field]?.(value) !== true) throw new Error(`400 ${field}`)
  }
  return task
}

/** Returns the key in the URL of a task; undefined for the URL of the collection. */
function keyIn(url: string): number | undefined {
  const found = /^\/api\/tasks(?:\/(\d+))?$/.exec(url)
  if (found === null) throw new Error('404')
  return found[1] === undefined ? undefined : Number(found[1])
}

function tagged(result: OperationResult): OperationResult {
  if (result.value === null) return result
  const digest = createHash('sha1').update(JSON.stringify(result.value)).digest('base64url')
  return { ...result, headers: { ...result.headers, etag: `"${digest}"` } }
}
