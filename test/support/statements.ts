/** Records the SQL statements a Kysely instance sends, for tests that count or read them. */
import {
  asksForArrays,
  sessionSettings,
  settingsStatement,
  withoutArrayMark,
} from '@model-api/core/internals'
import type { LogEvent } from 'kysely'

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface StatementRecorder {
  /** Goes into `new Kysely({ dialect, log })`. */
  readonly log: (event: LogEvent) => void
  /** Runs a function; returns its result, and the statements that were sent meanwhile, in order of completion. */
  capture<T>(run: () => Promise<T>): Promise<{ result: T; statements: Statement[] }>
}

/** The statements that check a new connection; when a pool opens one is not up to a request. */
const checks: ReadonlySet<string> = new Set(Object.values(sessionSettings).map(settingsStatement))

/** Records failed statements too, but not the checks of new connections. */
export function recordStatements(): StatementRecorder {
  const listeners = new Set<Statement[]>()
  return {
    log: ({ query }) => {
      if (checks.has(query.sql)) return
      // The driver removes this comment, which requests rows as arrays, before it sends the statement.
      const sql = asksForArrays(query.sql) ? withoutArrayMark(query.sql) : query.sql
      for (const list of listeners) list.push({ sql, parameters: query.parameters })
    },
    capture: async (run) => {
      const statements: Statement[] = []
      listeners.add(statements)
      try {
        return { result: await run(), statements }
      } finally {
        listeners.delete(statements)
      }
    },
  }
}

/** Statements as a text: the SQL of each, then its parameters in a comment. */
export function printStatements(statements: readonly Statement[]): string {
  return statements.map(({ sql, parameters }) => `${sql}\n-- ${print(parameters)}`).join('\n\n')
}

function print(parameters: readonly unknown[]): string {
  return JSON.stringify(parameters, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}
