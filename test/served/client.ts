/** A connection without the library: every value is the text, bytes or number that the database returns, without conversion. */

import Sqlite from 'better-sqlite3'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import type { DatabaseName } from '../support/databases.ts'

/** A value of SQLite as it is stored, of PostgreSQL its text, of MySQL and MariaDB the bytes of its text. */
export type Raw = null | string | number | bigint | Uint8Array

export interface Client {
  readonly name: DatabaseName
  quoted(name: string): string
  /** The rows of a query, as arrays. */
  rows(query: string): Promise<readonly (readonly Raw[])[]>
  /** The rows of a query whose values are all texts, as objects. */
  texts(query: string): Promise<readonly Readonly<Record<string, string | null>>[]>
  close(): Promise<void>
}

/** Connects to the target of `model-api serve`. */
export async function connect(name: DatabaseName, target: string): Promise<Client> {
  const mark = name === 'mysql' ? '`' : '"'
  const quoted = (text: string): string => `${mark}${text.replaceAll(mark, mark + mark)}${mark}`
  const { table, close } = await openers[name](target)
  return {
    name,
    quoted,
    rows: async (query) => (await table(query)).rows,
    texts: async (query) => {
      const { names, rows } = await table(query)
      return rows.map((row) =>
        Object.fromEntries(names.map((one, i) => [one, textOf(row[i] ?? null)])),
      )
    },
    close,
  }
}

type Field = { buffer(): Uint8Array | null }
type Result = readonly [readonly (readonly Raw[])[], readonly { readonly name: string }[]]

/** The text of a value that is not a number. */
export const textOf = (raw: Raw): string | null =>
  raw === null ? null : raw instanceof Uint8Array ? Buffer.from(raw).toString('utf8') : String(raw)

interface Opened {
  table(
    query: string,
  ): Promise<{ readonly names: readonly string[]; readonly rows: readonly (readonly Raw[])[] }>
  close(): Promise<void>
}

const openers: Readonly<Record<DatabaseName, (target: string) => Promise<Opened>>> = {
  sqlite: async (file) => {
    const database = new Sqlite(file)
    return {
      table: async (query) => {
        const statement = database.prepare(query).raw(true).safeIntegers(true)
        return {
          names: statement.columns().map((column) => column.name),
          rows: statement.all() as Raw[][],
        }
      },
      close: async () => void database.close(),
    }
  },
  postgres: async (connectionString) => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query("set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'")
    const types = { getTypeParser: () => (text: string) => text }
    return {
      table: async (text) => {
        const { fields, rows } = await client.query({
          text,
          rowMode: 'array',
          types,
        } as pg.QueryArrayConfig)
        return {
          names: fields.map(({ name }: { readonly name: string }) => name),
          rows: rows as unknown as Raw[][],
        }
      },
      close: () => client.end(),
    }
  },
  mysql: async (uri) => {
    const connection = await createConnection({ uri, charset: 'utf8mb4' })
    await connection.query("set time_zone = '+00:00'")
    return {
      table: async (sql) => {
        const query = { sql, rowsAsArray: true, typeCast: (field: Field) => field.buffer() }
        const [rows, fields] = (await connection.query(query as never)) as unknown as Result
        return { names: fields.map(({ name }) => name), rows }
      },
      close: () => connection.end(),
    }
  },
}
