// The entry `@model-api/core/drivers`, wrappers for the drivers of Kysely's dialects: re-exports only.

export { guardedMysql } from './drivers/mysql/guarded-mysql.ts'
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
