// Engine: where the SQL for MySQL and for MariaDB differs. Types only; `engine-mysql.ts` and `engine-mariadb.ts` fill it in.

import type { Fragment } from '../../lib/sql/fragment.ts'
import type { Replication } from '../shared/session/replication.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'

export interface Engine {
  /** The collation of utf8mb4 that orders by code point and compares trailing spaces. */
  readonly codePointCollation: Fragment
  /**
   * Wraps a GROUP BY expression that is used inside another expression, such as `… is null` in ORDER BY. Inside of expressions,
   * MySQL recognises grouped columns, but no other grouped expressions; those must be a whole ORDER BY term or item of the select
   * list.
   */
  readonly insideGroup: (grouped: Ref) => Ref
  /** Converts a double to text with every digit, also a double that the statement computes. */
  readonly doubleText: (value: Ref) => Fragment
  /**
   * Changes the SQL of a read so that the server ends it after `ms` milliseconds, if given: by a hint `max_execution_time(5000)` on
   * MySQL, by `set statement max_statement_time = 5 for select …` on MariaDB. Also makes ORDER BY compare at least the
   * first 64 KB of each text, because by default both servers sort by fewer bytes or fail, while a cursor compares whole texts.
   */
  readonly textOfRead: (text: string, ms: number | undefined) => string
  /** Converts a geometry to well-known text (WKT), with longitude before latitude. */
  readonly geometryText: (value: Ref) => Fragment
  /** Converts a vector to text: `[1,0.5]`. */
  readonly vectorText: (value: Ref) => Fragment
  readonly replication: Replication
}
