// Prepared statements for the drivers of Kysely's dialects; the public surface of the subpath: re-exports only.

export {
  type MysqlClient,
  type MysqlClientPool,
  type MysqlOptions,
  preparedMysql,
} from './prepared/mysql.ts'
export { type PgClient, type PgOptions, type PgPool, preparedPg } from './prepared/pg.ts'
export {
  preparedSqlite,
  type SqliteFile,
  type SqliteOptions,
  type SqliteStatement,
} from './prepared/sqlite.ts'
