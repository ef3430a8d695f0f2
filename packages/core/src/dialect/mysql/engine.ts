// Engine: where the SQL for MySQL and for MariaDB differs. Types only; `engine-mysql.ts` and `engine-mariadb.ts` fill it in.

import type { Fragment } from '../../sql/fragment.ts'
import type { Replication } from '../shared/replication.ts'
import type { Ref } from '../shared/sql-parts.ts'

export interface Engine {
  /** The collation of utf8mb4 that orders by code point without padding. */
  readonly codePointCollation: Fragment
  /**
   * A GROUP BY expression inside another expression, such as `… is null` in ORDER BY. MySQL recognises a grouped column there,
   * but it recognises another grouped expression only as a whole ORDER BY term or a whole item of the select list.
   */
  readonly insideGroup: (grouped: Ref) => Ref
  /** Every digit of a double as text, also of one that the statement computes. */
  readonly doubleText: (value: Ref) => Fragment
  /**
   * The text of a read that the server ends after `ms` milliseconds. It also raises the sort limit to at least 64 KB of each
   * text, because by default both servers sort by fewer bytes or fail, while a cursor compares whole texts.
   */
  readonly timeLimited: (text: string, ms: number) => string
  /** The well-known text of a geometry, its longitudes before its latitudes. */
  readonly geometryText: (value: Ref) => Fragment
  /** The numbers of a vector: `[1,0.5]`. */
  readonly vectorText: (value: Ref) => Fragment
  readonly replication: Replication
}
