// Whether a Kysely instance qualifies tables by itself: `db.withSchema('library')`, or its plugin among others.

import { type Kysely, WithSchemaPlugin } from 'kysely'

/** A second copy of Kysely has a class of its own, of the same name. */
// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export const hasSchemaPlugin = (db: Kysely<any>): boolean =>
  db
    .getExecutor()
    .plugins.some(
      (plugin) =>
        plugin instanceof WithSchemaPlugin || plugin.constructor.name === 'WithSchemaPlugin',
    )
