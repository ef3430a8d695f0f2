// The dialect of a Kysely instance (detectDialect) and the session settings of its database (sessionSettingsOf), by Kysely's adapter.
// Third-party dialects reuse Kysely's adapters, or give theirs similar names.

import { type Kysely, MysqlAdapter, PostgresAdapter, SqliteAdapter } from 'kysely'
import { didYouMean } from '../lib/naming/suggest.ts'
import { shownValue } from '../model/settings/setting-checks.ts'
import type { Dialect } from './dialect.ts'
import { genericDialect } from './generic/generic-dialect.ts'
import type { InternalDialect } from './internal-dialect.ts'
import { mysql } from './mysql/mysql-dialect.ts'
import { postgres } from './postgres/postgres-dialect.ts'
import type { SessionSettings } from './shared/session/session-settings.ts'
import { sqlite } from './sqlite/sqlite-dialect.ts'

const dialects: ReadonlyMap<string, InternalDialect> = new Map([
  ['sqlite', sqlite],
  ['postgres', postgres],
  ['mysql', mysql],
  ['mariadb', mysql],
  ['generic', genericDialect],
])

/** Class names of third-party adapters that do not extend Kysely's own. */
const adapterNames: readonly (readonly [RegExp, Dialect])[] = [
  [/sqlite|libsql|turso|d1/i, sqlite],
  [/postgres|pglite|neon|pg/i, postgres],
  [/mysql|mariadb|planetscale|tidb/i, mysql],
]

/**
 * Returns the dialect that the `dialect` option names; without the option, the dialect of Kysely's adapter. `createApi` calls
 * this, so that an unknown database is a start-up error, which lists the known names.
 *
 * ```ts
 * detectDialect(db)             // by the adapter
 * detectDialect(db, 'generic')  // portable SQL
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export function detectDialect(db: Kysely<any>, option?: string | InternalDialect): InternalDialect {
  const adapter: unknown = adapterOf(db)
  if (typeof option === 'object' && option !== null) return option
  const names = [...dialects.keys()].join(', ')
  if (option !== undefined) {
    const named = dialects.get(option as string)
    if (named !== undefined) return matchingAdapter(named, adapter)
    throw new Error(
      `dialect: unknown name ${shownValue(option)}.${meant(String(option))} Expected one of ${names}, or a Dialect object.`,
    )
  }
  const found = dialectOfAdapter(adapter)
  if (found !== undefined) return found
  throw new Error(
    `dialect: cannot tell the database from its Kysely adapter "${classNames(adapter)[0] ?? 'none'}". ` +
      `Pass createApi({ dialect }) with one of ${names}, or a Dialect object.`,
  )
}

/**
 * Returns the named dialect. Throws if Kysely's adapter belongs to another database, unless the name is `generic`, which fits every
 * database.
 */
function matchingAdapter(named: InternalDialect, adapter: unknown): InternalDialect {
  const detected = dialectOfAdapter(adapter)
  if (detected === undefined || detected === named || named === genericDialect) return named
  throw new Error(
    `dialect: "${named.name}" was given, but db has Kysely's ${classNames(adapter)[0]}. Leave the option out, or pass "${detected.name}".`,
  )
}

/** Suggests the dialect that an unknown name probably means: another library's name for it (`postgresql`, `libsql`), or a misspelling. */
function meant(option: string): string {
  const other = adapterNames.find(([pattern]) => pattern.test(option))?.[1].name
  return other === undefined ? didYouMean(option, dialects.keys()) : ` Did you mean "${other}"?`
}

/**
 * Returns the session settings on which statements depend: those of the dialect, or else of the database that the adapter belongs to,
 * because they depend on the driver and not on the SQL. Undefined if there are none to check on each connection, as on SQLite.
 */
export const sessionSettingsOf = (
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  dialect: InternalDialect,
): SessionSettings | undefined =>
  dialect.sessionSettings ?? dialectOfAdapter(adapterOf(db))?.sessionSettings

function adapterOf(db: unknown): unknown {
  const { getExecutor } = (db ?? {}) as { readonly getExecutor?: unknown }
  if (typeof getExecutor === 'function') return getExecutor.call(db).adapter
  const given = db === undefined || db === null ? String(db) : (classNames(db)[0] ?? typeof db)
  throw new Error(
    `db: expected an instance of Kysely, but got ${given === '' ? 'an object' : given}. Pass createApi({ db: new Kysely({ dialect }) }) with the ` +
      'dialect of your database: PostgresDialect, MysqlDialect, SqliteDialect or another one.',
  )
}

function dialectOfAdapter(adapter: unknown): InternalDialect | undefined {
  if (adapter instanceof SqliteAdapter) return sqlite
  if (adapter instanceof PostgresAdapter) return postgres
  if (adapter instanceof MysqlAdapter) return mysql
  // A second copy of Kysely has other classes with the same names.
  const names = classNames(adapter)
  return adapterNames.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1]
}

/** The names of a value's class and of those that it extends. */
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
