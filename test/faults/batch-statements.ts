/** A batch of reads and writes, and connections that report each of its statements. */
import { defineModel } from '@model-api/core'
import {
  type DatabaseConnection,
  type Dialect,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import { getting, type Operation, posting } from '../support/batch.ts'

export interface Place {
  readonly kind: 'sqlite' | 'postgres' | 'mysql'
  /** The URL of the database, or the path of the file. */
  readonly url: string
}

/** The rows that a committed batch leaves in the table. */
export const storedBy = (label: string): readonly string[] => [`${label} 2`, `${label} 4`]

export const operations = (label: string): readonly Operation[] => [
  { id: 'a', ...posting('/api/notes', { label: `${label} 1` }) },
  { id: 'b', method: 'PATCH', url: '/api/notes/{a.id}', body: { label: `${label} 2` } },
  { id: 'c', ...getting('/api/notes/{a.id}') },
  { id: 'd', ...posting('/api/notes', [{ label: `${label} 3` }, { label: `${label} 4` }]) },
  { id: 'e', method: 'DELETE', url: '/api/notes/{d.0.id}' },
]

export const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    label: { type: 'string', maxLength: 40, unique: true },
  },
  meta: {},
})

/** Loads only the driver of this kind, because many processes are started that use one. */
export const dialectOf = async ({ kind, url }: Place): Promise<Dialect> => {
  if (kind === 'sqlite') {
    const { default: Sqlite } = await import('better-sqlite3')
    return new SqliteDialect({ database: new Sqlite(url) })
  }
  if (kind === 'postgres') {
    const { default: pg } = await import('pg')
    return new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) })
  }
  const { createPool } = await import('mysql2')
  return new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 1 }) })
}

/** The dialect with connections that report each statement before it is sent and when it is done, including `begin` and `commit`. */
export function watched(
  dialect: Dialect,
  beforeStatement: (sql: string) => void,
  afterStatement: (sql: string) => void = () => {},
): Dialect {
  const known = new WeakSet<DatabaseConnection>()
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const connection = await acquire()
        if (!known.has(connection)) {
          known.add(connection)
          const execute = connection.executeQuery.bind(connection)
          connection.executeQuery = async (query) => {
            beforeStatement(query.sql)
            const result = await execute<never>(query)
            afterStatement(query.sql)
            return result
          }
        }
        return connection
      }
      return driver
    },
  }
}
