// sessionSettings: the tables of session settings, by database.

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
