// Look-ups of users by the values of some columns: `lookUp` with a statement for each request, `sharedLookUp` with one for several requests.

import type { Lease } from '../../database/leases/lease.ts'
import { ApiError } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import { compileByKey, compileByKeys, prepareByKey } from '../../query/cache/read-by-key.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Value } from '../../query/plan/plan.ts'
import { LoadedRow } from '../../query/run/loaded-row.ts'
import { readAll, readOne } from '../../query/run/read-rows.ts'
import { sameTurn } from './same-turn.ts'
import { userPlan, usersPlan } from './user-plan.ts'

/** The connection of a request, on which its user is read. */
export interface OpenedDatabase {
  /** Sends statements on the connection, within their time limit. */
  readonly lease: Lease
  /** What compiling a statement needs: the dialect. */
  readonly target: Target
  /**
   * Whether requests may share statements. True for the API's pool; false for a transaction, for a connection that the host chose, and inside
   * a hook, which may hold the only connection.
   */
  readonly isShared: boolean
}

/** Opens the connection of a request. */
export type OpenForRequest = (request: ApiRequest) => MaybePromise<OpenedDatabase>

/** Reads users by the values of the same columns. */
export interface LookUp {
  readonly columns: readonly NamedColumn[]
  /** Reads the row whose columns have exactly these values. No other request gets the same object. */
  readonly read: (
    opened: OpenedDatabase,
    values: readonly Value[],
  ) => Promise<LoadedRow | undefined>
  /** Reads the rows whose columns have one of these lists of values, with one statement for many of one column. */
  readonly readAll: (
    opened: OpenedDatabase,
    lists: readonly (readonly Value[])[],
  ) => Promise<readonly LoadedRow[]>
}

/** Returns a look-up by these columns, each with its own statement. */
export function lookUp(resource: Resource, columns: readonly NamedColumn[]): LookUp {
  const prepared = prepareByKey(userPlan(resource, columns))
  const read: LookUp['read'] = async ({ lease, target }, values) =>
    readOne(lease, compileByKey(unscoped(target), prepared, values, lease))
  return {
    columns,
    read,
    async readAll(opened, lists) {
      const rows: LoadedRow[] = []
      for (const values of lists) {
        const row = await read(opened, values)
        if (row !== undefined) rows.push(row)
      }
      return rows
    },
  }
}

/**
 * Returns a look-up by one column; requests that use it in the same turn of the event loop share one statement. A shortcut:
 * with 16 concurrent clients, a read takes 1.2 statements on average instead of 2. If the shared statement does not find a row,
 * the request looks it up by its own statement.
 */
export function sharedLookUp(resource: Resource, columns: readonly NamedColumn[]): LookUp {
  const alone = lookUp(resource, columns)
  const [column, ...others] = columns
  if (column === undefined || others.length > 0) return alone
  const prepared = prepareByKey(usersPlan(resource, column))

  const readTogether = async (questions: readonly Question[]) => {
    // All questions have the same connection: `turnsOf` combines those of one connection only.
    const { lease: own, target } = (questions[0] as Question).opened
    // A client that disconnects must not cancel a statement that other requests wait for.
    const lease = own.withoutClient()
    const values = new Map(questions.map(({ value }) => [String(value), value]))
    const program = compileByKeys(unscoped(target), prepared, [...values.values()], lease)
    const rows = await readAll(lease, program).catch((error: unknown) => {
      // The database refused one of the values. Each request then looks up its own value, so that only one request fails.
      if (error instanceof ApiError && error.status === 400) return []
      throw error
    })
    const byText = new Map(rows.map((row) => [textIn(row, column), row]))
    return questions.map(({ value }) => {
      const row = byText.get(String(value))
      // Decoded again for each request, because hooks may change the record that they receive.
      return row && new LoadedRow(row.layout, row.raw)
    })
  }
  const turns = new WeakMap<object, ReturnType<typeof sameTurn<Question, LoadedRow>>>()
  const turnsOf = (db: object) => {
    const known = turns.get(db) ?? sameTurn(readTogether)
    turns.set(db, known)
    return known
  }
  return {
    columns,
    async read(opened, values) {
      const { lease, isShared } = opened
      const shares = isShared && lease.dialect.shortcuts?.sharesLookUps === true
      const found = shares
        ? await turnsOf(lease.db)({ opened, value: values[0] as Value })
        : undefined
      return found ?? alone.read(opened, values)
    },
    async readAll({ lease, target }, lists) {
      const rows: LoadedRow[] = []
      for (const some of keyChunks(target.dialect, lists, columns)) {
        const values = some.map(([value]) => value as Value)
        const program = compileByKeys(unscoped(target), prepared, values, lease)
        rows.push(...(await readAll(lease, program)))
      }
      return rows
    },
  }
}

/** The look-up of one request: on its connection, the user whose column has this value. */
interface Question {
  readonly opened: OpenedDatabase
  readonly value: Value
}

const textIn = (row: LoadedRow, column: NamedColumn): string => String(row.values[column.name])
