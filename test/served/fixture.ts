/** A fixture: its tables on each database, the options to serve it, and why parts of it are not served. */
import type { DatabaseName } from '../support/databases.ts'

/** The text of a fixture on one database. */
export interface Variant {
  readonly script: string
  /** Options of `model-api serve`, besides the target. */
  readonly options?: readonly string[]
  /** The file of `--relations`. */
  readonly relations?: string
  /** The schemas to read, in the order of `--schema`; default: the connection's own. */
  readonly schemas?: readonly string[]
  /** By `table` or `table.column`: what is not published, and why. */
  readonly leftOut?: Readonly<Record<string, string>>
  /** By `table(columns)`: foreign keys without a relation, and why. */
  readonly unrelated?: Readonly<Record<string, string>>
  /** By `table`: keys of records that a URL cannot contain, as JSON lists. */
  readonly withoutUrl?: Readonly<Record<string, readonly string[]>>
}

export interface Fixture {
  readonly name: string
  /** The file of the fixture says why a database has no variant. */
  readonly variants: Partial<Record<DatabaseName, Variant>>
  /** The only one of these databases in a usual run; default: all. */
  readonly usual?: DatabaseName
}

const quotes: Readonly<Record<DatabaseName, string>> = { sqlite: '"', postgres: '"', mysql: '`' }

/** Quotes `«names»` and replaces `{words}` in a script in the form of the database. */
export function written(
  name: DatabaseName,
  script: string,
  words: Readonly<Record<string, string>>,
): string {
  return script
    .replace(/[«»]/g, quotes[name])
    .replace(/\{([a-z_]+)\}/g, (text, word: string) => words[word] ?? text)
}
