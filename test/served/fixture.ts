/** What a fixture says of itself: its tables on each database, how it is served, and why something of it is not. */
import type { DatabaseName } from '../support/databases.ts'

/** The text of a fixture on one database. */
export interface Variant {
  readonly script: string
  /** Options of `model-api serve`, besides the target. */
  readonly options?: readonly string[]
  /** The file of `--relations`. */
  readonly relations?: string
  /** The schemas that are read, in the order of `--schema`; default: the connection's own. */
  readonly schemas?: readonly string[]
  /** By `table` or `table.column`: what is not published, and why that is right. */
  readonly leftOut?: Readonly<Record<string, string>>
  /** By `table(columns)`: foreign keys that no relation follows, and why. */
  readonly unrelated?: Readonly<Record<string, string>>
  /** By `table`, keys of records that no URL can carry, as JSON lists. */
  readonly withoutUrl?: Readonly<Record<string, readonly string[]>>
}

export interface Fixture {
  readonly name: string
  /** A database that is not here has no variant, for a reason that the fixture's file gives. */
  readonly variants: Partial<Record<DatabaseName, Variant>>
}

const quotes: Readonly<Record<DatabaseName, string>> = { sqlite: '"', postgres: '"', mysql: '`' }

/** A script in which `«names»` are quoted and `{words}` replaced as the database has them. */
export function written(
  name: DatabaseName,
  script: string,
  words: Readonly<Record<string, string>>,
): string {
  return script
    .replace(/[«»]/g, quotes[name])
    .replace(/\{([a-z_]+)\}/g, (text, word: string) => words[word] ?? text)
}
