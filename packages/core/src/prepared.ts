// Prepared statements for the drivers of Kysely's dialects; the public surface of the subpath: re-exports only.

export {
  type MysqlClient,
  type MysqlClientPool,
  type MysqlOptions,
  preparedMysql,
} from './drivers/mysql/prepared-mysql.ts'
export {
  type PgClient,
  type PgOptions,
  type PgPool,
  preparedPg,
} from './drivers/postgres/prepared-postgres.ts'
export {
  preparedSqlite,
  type SqliteFile,
  type SqliteOptions,
  type SqliteStatement,
} from './drivers/sqlite/prepared-sqlite.ts'
