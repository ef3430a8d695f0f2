/** Place: the database that a rival opens, and its options. Types only. */
export interface Place {
  readonly database: 'postgres' | 'mysql' | 'sqlite'
  /** A URL, or the file of SQLite. */
  readonly location: string
  readonly connections: number
  /** Whether users send the requests, and all queries have their condition. */
  readonly users: boolean
}
