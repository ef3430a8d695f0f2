/** What a rival is told to open. Types only. */
export interface Place {
  readonly database: 'postgres' | 'mysql' | 'sqlite'
  /** A URL, or the file of SQLite. */
  readonly location: string
  readonly connections: number
  /** Whether every request is of a user, whose condition all queries have. */
  readonly users: boolean
}
