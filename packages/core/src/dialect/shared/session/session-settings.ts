// Session settings: those that change what a statement means, stores or returns, as a table for each database.

/** A setting that the service checks on every connection. */
export interface SessionSetting {
  readonly name: string
  /** The SQL expression that reads it. */
  readonly value: string
  /** Says what the value would change, in words that follow the value; undefined if the service can work with it. */
  readonly problem: (value: string | undefined) => string | undefined
  /** Says what to add where the host makes its pool. */
  readonly remedy: (value: string) => string
  /** The SQL expression with the value that a pool of `openDatabase` sets. Default: its driver sets the value. */
  readonly assigned?: string
}

/** The settings of the sessions of one database. Every other setting changes nothing for the service, or is not known to. */
export interface SessionSettings {
  /** Checked on every connection, and set by the pools that `openDatabase` opens. */
  readonly checked: readonly SessionSetting[]
  /** A mark that a session has until its settings are taken back. Absent if no driver does that while a connection is open. */
  readonly mark?: {
    /** The statement that sets the mark. */
    readonly set: string
    /** The SQL expression that reads it; NULL without the mark. */
    readonly value: string
  }
  /** Settings with which all statements mean the same, and why. */
  readonly independent: Readonly<Record<string, string>>
}

const alias = (index: number): string => `setting_${index}`

/** The statement that reads all checked settings at once. */
export const settingsStatement = ({ checked }: SessionSettings): string =>
  `select ${checked.map(({ value }, index) => `${value} as ${alias(index)}`).join(', ')}`

/** Returns what is wrong with the settings in a row of `settingsStatement`, one sentence or two for each; empty if nothing is. */
export function settingsProblems(
  { checked }: SessionSettings,
  row: Readonly<Record<string, unknown>>,
): readonly string[] {
  return checked.flatMap(({ name, problem, remedy }, index) => {
    const raw = row[alias(index)]
    const value = raw === null || raw === undefined ? undefined : String(raw)
    const because = problem(value)
    if (because === undefined) return []
    return `${name} is ${JSON.stringify(value ?? null)}, ${because}. ${remedy(value ?? '')}`
  })
}
