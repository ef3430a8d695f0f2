// Whether a Kysely instance qualifies tables itself, by `db.withSchema('library')` or by WithSchemaPlugin.

import { WithSchemaPlugin } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'

/** A second copy of Kysely has a class of its own, of the same name. */
export const hasSchemaPlugin = (db: AnyDatabase): boolean =>
  db
    .getExecutor()
    .plugins.some(
      (plugin) =>
        plugin instanceof WithSchemaPlugin || plugin.constructor.name === 'WithSchemaPlugin',
    )
