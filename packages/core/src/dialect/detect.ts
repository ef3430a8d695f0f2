// Which dialect a Kysely instance speaks: by its adapter, which the dialects of other authors reuse or name alike.

import { type Kysely, MysqlAdapter, PostgresAdapter, SqliteAdapter } from 'kysely'
import type { Dialect } from './dialect.ts'
import { genericDialect } from './generic/dialect.ts'
import type { InternalDialect } from './internal-dialect.ts'
import { mysql } from './mysql/dialect.ts'
import { postgres } from './postgres/dialect.ts'
import { sqlite } from './sqlite/dialect.ts'

const dialects: ReadonlyMap<string, InternalDialect> = new Map([
  ['sqlite', sqlite],
  ['postgres', postgres],
  ['mysql', mysql],
  ['mariadb', mysql],
  ['generic', genericDialect],
])

/** Names that adapters of other packages go by, when they do not extend Kysely's own. */
const adapterNames: readonly (readonly [RegExp, Dialect])[] = [
  [/sqlite|libsql|turso|d1/i, sqlite],
  [/postgres|pglite|neon|pg/i, postgres],
  [/mysql|mariadb|planetscale|tidb/i, mysql],
]

/**
 * The dialect of a database: the option when one is given, else what Kysely's adapter says. `createApi` calls it, so
 * an unknown database is a start-up error that lists the names.
 *
 * ```ts
 * detectDialect(db)             // by the adapter
 * detectDialect(db, 'generic')  // portable SQL
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export function detectDialect(db: Kysely<any>, option?: string | InternalDialect): InternalDialect {
  if (typeof option === 'object') return option
  const names = [...dialects.keys()].join(', ')
  if (option !== undefined) {
    const named = dialects.get(option)
    if (named !== undefined) return named
    throw new Error(
      `dialect: unknown name "${option}". Expected one of ${names}, or a Dialect object.`,
    )
  }
  const adapter: unknown = db.getExecutor().adapter
  const found = dialectOfAdapter(adapter)
  if (found !== undefined) return found
  throw new Error(
    `dialect: cannot tell the database from its Kysely adapter "${classNames(adapter)[0] ?? 'none'}". ` +
      `Pass createApi({ dialect }) with one of ${names}, or a Dialect object.`,
  )
}

function dialectOfAdapter(adapter: unknown): InternalDialect | undefined {
  if (adapter instanceof SqliteAdapter) return sqlite
  if (adapter instanceof PostgresAdapter) return postgres
  if (adapter instanceof MysqlAdapter) return mysql
  // A second copy of Kysely has classes of its own, of the same names.
  const names = classNames(adapter)
  return adapterNames.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1]
}

function classNames(value: unknown): string[] {
  const names: string[] = []
  for (let at = prototypeOf(value); at !== null && at !== Object.prototype; at = prototypeOf(at)) {
    names.push(String(at.constructor?.name))
  }
  return names
}

function prototypeOf(
  value: unknown,
): { readonly constructor?: { readonly name?: unknown } } | null {
  return typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : null
}
