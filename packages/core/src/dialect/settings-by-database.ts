// sessionSettings: the tables of session settings, by database, for other packages: `openDatabase` of http-node sets them in its pools.

import { mysqlSessionSettings } from './mysql/session/mysql-session-settings.ts'
import { postgresSessionSettings } from './postgres/postgres-session-settings.ts'
import type { SessionSettings } from './shared/session/session-settings.ts'
import { sqliteSessionSettings } from './sqlite/sqlite-session-settings.ts'

export const sessionSettings: {
  readonly mysql: SessionSettings
  readonly postgres: SessionSettings
  readonly sqlite: SessionSettings
} = {
  mysql: mysqlSessionSettings,
  postgres: postgresSessionSettings,
  sqlite: sqliteSessionSettings,
}
