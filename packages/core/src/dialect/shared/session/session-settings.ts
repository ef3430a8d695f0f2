// Session settings: those that change what a statement means, stores or returns, as a table for each database. docs/reference/databases.md shows
// the tables, and `test/dialect/hostile-sessions.test.ts` sends requests under other values of each setting.

/** A setting that the service checks. */
export interface SessionSetting {
  readonly name: string
  /** The version comment around the setting, such as `M!100201`: servers that lack the setting skip it. */
  readonly comment?: string
  /** The SQL expression that reads it. */
  readonly value: string
  /** The value that it must have, as the documentation shows it: `'on'` in backticks. */
  readonly needed: string
  /** Returns what goes wrong with the value; undefined if the service can work with it. */
  readonly problem: (value: string | undefined) => string | undefined
  /** Says what to add where the host makes its pool. */
  readonly remedy: (value: string) => string
  /** The SQL expression with the value that a pool of `openDatabase` of http-node sets. Default: it is not set. */
  readonly assigned?: string
  /** True if the service works with other values all the same, and warns of them. */
  readonly warns?: true
}

/** The text of a statement, and the values of its placeholders. */
export interface StatementText {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** A limit of the server for the length of a statement; it closes the connection on which a longer one comes. */
export interface StatementLimit {
  /** The name of the checked setting that has the bytes. */
  readonly setting: string
  readonly isTooLong: (statement: StatementText, most: number) => boolean
}

/** The settings of the sessions of one database. Every other setting changes nothing for the service, or is not known to. */
export interface SessionSettings {
  /** Checked on every connection, on SQLite at start, and set by the pools that `openDatabase` of http-node opens. */
  readonly checked: readonly SessionSetting[]
  /** Absent if statements may have any length. */
  readonly statementLimit?: StatementLimit
  /**
   * A variable of the session that the service sets in order to see whether the driver resets sessions when their connections go back
   * to the pool: a reset clears the variable, and with it all other settings. Absent for databases whose drivers never reset a session
   * of an open connection.
   */
  readonly resetProbe?: {
    /** The statement that sets the variable: `set @model_api_session = 1`. */
    readonly set: string
    /** The SQL expression that reads it: `@model_api_session`, which is NULL after a reset. */
    readonly value: string
  }
  /** Settings with which all statements mean the same, and why; or what the host decides by them. */
  readonly independent: Readonly<Record<string, string>>
}

const alias = (index: number): string => `setting_${index}`

/** The statement that reads all checked settings at once. */
export const settingsStatement = ({ checked }: SessionSettings): string =>
  `select ${checked.map(({ value }, index) => `${value} as ${alias(index)}`).join(', ')}`

/** Reads the most bytes of a statement from a row of `settingsStatement`; undefined if statements may have any length. */
export function longestStatement(
  { checked, statementLimit }: SessionSettings,
  row: unknown,
): number | undefined {
  if (statementLimit === undefined) return undefined
  const index = checked.findIndex(({ name }) => name === statementLimit.setting)
  return Number((row as Readonly<Record<string, unknown>>)[alias(index)])
}

/** What is wrong with the settings of a session, one sentence or two for each. */
export interface SettingsProblems {
  /** The service sends no statement. */
  readonly refused: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads a row of `settingsStatement`. */
export function settingsProblems({ checked }: SessionSettings, row: unknown): SettingsProblems {
  const refused: string[] = []
  const warnings: string[] = []
  for (const [index, setting] of checked.entries()) {
    const raw = (row as Readonly<Record<string, unknown>> | undefined)?.[alias(index)]
    // An option of the driver, such as `typeCast: false`, by which values are also read wrongly later.
    if (raw === undefined || (typeof raw === 'object' && raw !== null)) {
      const form = 'rows of the driver are no objects with strings and numbers, so values are lost'
      return { refused: [`${form}. Leave out options of the pool that change rows`], warnings }
    }
    const value = raw === null ? undefined : String(raw)
    const otherwise = setting.problem(value)
    if (otherwise === undefined) continue
    const is = `${setting.name} is ${JSON.stringify(value ?? null)}, so that ${otherwise}`
    const list = setting.warns ? warnings : refused
    list.push(`${is}. ${setting.remedy(value ?? '')}`)
  }
  return { refused, warnings }
}

/** The error for a connection whose settings are wrong. */
export const wrongSettings = (refused: readonly string[]): Error =>
  new Error(
    `The API sends no statement on a connection with these settings: ${refused.join('. ')}.`,
  )
