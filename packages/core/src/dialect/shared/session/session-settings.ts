// Session settings: those that change what a statement means, stores or returns, as a table for each database. docs/reference/databases.md shows
// the tables, and `test/dialect/hostile-sessions.test.ts` sends requests under other values of each setting.

/** A value that a setting must have. */
export interface Requirement {
  /** The value, as the documentation shows it: `'on'` in backticks. */
  readonly needed: string
  /** What happens otherwise. */
  readonly otherwise: string
}

/** A setting that the service checks. */
export interface SessionSetting {
  readonly name: string
  /** The version comment in which only servers read the setting that have it: `M!100201`. */
  readonly comment?: string
  /** The SQL expression that reads it. */
  readonly value: string
  readonly needs: readonly Requirement[]
  /** Returns what goes wrong with the value; undefined if the service can work with it. */
  readonly problem: (value: string | undefined) => string | undefined
  /** Says what to add where the host makes its pool. */
  readonly remedy: (value: string) => string
  /** The SQL expression with the value that a pool of `openDatabase` sets. Default: it is not set. */
  readonly assigned?: string
  /** True if the service works with other values all the same, and warns of them. */
  readonly warns?: true
}

/** The settings of the sessions of one database. Every other setting changes nothing for the service, or is not known to. */
export interface SessionSettings {
  /** Checked on every connection, on SQLite at start, and set by the pools that `openDatabase` opens. */
  readonly checked: readonly SessionSetting[]
  /** A mark that a session has until its settings are taken back. Absent if no driver does that while a connection is open. */
  readonly mark?: {
    /** The statement that sets the mark. */
    readonly set: string
    /** The SQL expression that reads it; NULL without the mark. */
    readonly value: string
  }
  /** Settings with which all statements mean the same, and why; or what the host decides by them. */
  readonly independent: Readonly<Record<string, string>>
}

const alias = (index: number): string => `setting_${index}`

/** The statement that reads all checked settings at once. */
export const settingsStatement = ({ checked }: SessionSettings): string =>
  `select ${checked.map(({ value }, index) => `${value} as ${alias(index)}`).join(', ')}`

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
