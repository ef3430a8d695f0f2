// queryClassesOf: the classes of queries that `prepared-postgres.ts` sends by a client of `pg`. One of them, made here, returns each row as
// an array of unparsed protocol text, `['1', 'Emma', null]`, and does not request a description of the columns. The service decodes such
// rows itself.

import {
  type BeginningQuery,
  type BeginningQueryClass,
  beginningQueryClass,
  type DriverConnection,
  type DriverQuery,
  type DriverQueryClass,
} from './held-begin.ts'

type PgCallback = DriverQuery['callback']

/** A query that `client.query` takes. */
export type TextRowsClass = new (
  name: string | undefined,
  text: string,
  values: readonly unknown[],
  callback: PgCallback,
) => BeginningQuery

/** The classes of queries for a client of `pg`. */
export interface QueryClasses {
  readonly TextRows: TextRowsClass
  /** Returns rows in the driver's own form. */
  readonly Beginning: BeginningQueryClass
}

/** The methods of `Query` that the driver calls; a driver without them has another protocol implementation. */
const methods = [
  'submit',
  'prepare',
  'handleRowDescription',
  'handleDataRow',
  'handleCommandComplete',
  'handleReadyForQuery',
  'handleError',
] as const

const known = new WeakMap<DriverQueryClass, QueryClasses>()

/**
 * Returns the classes of queries for a client. Undefined for another driver (`pg-native`) and for binary values: there, options of
 * the query request rows as arrays.
 *
 * With its own class, `pg` sends Describe with every execution, makes two objects of the description, and copies the configuration
 * of the query: a tenth of the time of a request for one row.
 */
export function queryClassesOf(client: object): QueryClasses | undefined {
  const { Query } = client.constructor as { Query?: DriverQueryClass }
  const { binary } = client as { binary?: unknown }
  if (typeof Query !== 'function' || binary === true) return undefined
  const has = Query.prototype as Readonly<Record<string, unknown>>
  if (methods.some((method) => typeof has[method] !== 'function')) return undefined
  const before = known.get(Query)
  if (before !== undefined) return before
  const Beginning = beginningQueryClass(Query)
  const made: QueryClasses = { Beginning, TextRows: textRowsClass(Beginning) }
  known.set(Query, made)
  return made
}

/** `INSERT 0 1`, `SELECT 20`, `BEGIN`: the command, and the last number, which counts the rows. The 0 was an oid. */
const completed = /^([A-Za-z]+)(?: \d+)??(?: (\d+))?$/

function textRowsClass(Beginning: BeginningQueryClass): TextRowsClass {
  return class TextRows extends Beginning {
    readonly #rows: (readonly (string | null)[])[] = []
    #command: string | null = null
    #rowCount: number | null = null

    constructor(
      name: string | undefined,
      text: string,
      values: readonly unknown[],
      callback: PgCallback,
    ) {
      super(text, values, callback)
      if (name !== undefined) this.name = name
    }

    override prepare(connection: DriverConnection): void {
      super.prepare(undescribed(connection))
    }

    handleRowDescription(): void {}

    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      this.#rows.push(fields)
    }

    override handleCommandComplete({ text }: { readonly text: string }): void {
      if (this.completesBegin()) return
      const [, command = null, count] = completed.exec(text) ?? []
      this.#command = command
      this.#rowCount = count === undefined ? null : Number(count)
    }

    handleReadyForQuery(): void {
      const answer = { command: this.#command, rowCount: this.#rowCount, rows: this.#rows }
      this.callback(null, answer)
    }
  }
}

const withoutDescriptions = new WeakMap<DriverConnection, DriverConnection>()

/** Returns the connection without Describe: values are read as text by position, so names and types of columns are not needed. */
function undescribed(connection: DriverConnection): DriverConnection {
  const before = withoutDescriptions.get(connection)
  if (before !== undefined) return before
  const made: DriverConnection = Object.create(connection, { describe: { value: () => {} } })
  withoutDescriptions.set(connection, made)
  return made
}
