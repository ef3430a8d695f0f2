// Selects the schema rules of a dialect; only the dialects of this package have them.

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

/** Undefined if models cannot be compared with databases of this dialect. */
export const schemaRulesOf = ({ name }: Pick<Dialect, 'name'>): SchemaRules | undefined =>
  rules.get(name)
