// Finds the rules by which the check at start-up compares models with the tables of a database. Only the dialects of this package have rules.

import type { Dialect } from '../dialect/dialect.ts'
import { mysqlSchema } from './mysql/mysql-schema-rules.ts'
import { postgresSchema } from './postgres/postgres-schema-rules.ts'
import type { SchemaRules } from './shared/schema-rules.ts'
import { sqliteSchema } from './sqlite/sqlite-schema-rules.ts'

const rules: ReadonlyMap<string, SchemaRules> = new Map([
  ['sqlite', sqliteSchema],
  ['postgres', postgresSchema],
  ['mysql', mysqlSchema],
])

/** Returns the rules of a dialect; undefined if models cannot be compared with its databases. */
export const schemaRulesOf = ({ name }: Pick<Dialect, 'name'>): SchemaRules | undefined =>
  rules.get(name)
