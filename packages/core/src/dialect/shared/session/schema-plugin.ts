// Whether a Kysely instance qualifies tables itself (hasSchemaPlugin), by `db.withSchema('library')` or by WithSchemaPlugin, and the
// instance without that (withoutSchemaPlugin): the service writes the schema of each table into its statements.

import { type KyselyPlugin, WithSchemaPlugin } from 'kysely'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'

/** Compares class names, because a second copy of Kysely has another class with the same name. */
const isSchemaPlugin = (plugin: KyselyPlugin): boolean =>
  plugin instanceof WithSchemaPlugin || plugin.constructor.name === 'WithSchemaPlugin'

/** Whether the instance has the plugin. */
export const hasSchemaPlugin = (db: AnyDatabase): boolean =>
  db.getExecutor().plugins.some(isSchemaPlugin)

/** Returns the instance without the schema plugin, with its other plugins. */
export function withoutSchemaPlugin(db: AnyDatabase): AnyDatabase {
  const others = db.getExecutor().plugins.filter((plugin) => !isSchemaPlugin(plugin))
  return others.reduce((own, plugin) => own.withPlugin(plugin), db.withoutPlugins())
}
