// lockOf: `args.lock(model, keys)` of hooks, which locks stored records, in the order of their keys, until the transaction of the request
// ends: `await args.lock('Book', [7, 3])` → `select 1 from "books" where "id" in (3, 7) order by "id" for no key update` on PostgreSQL.

import { didYouMean } from '../../lib/naming/suggest.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { compileStatement } from '../../lib/sql/statement.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import type { AnyModel } from '../../model/define-model.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { HookArgs, LockedKey } from '../../model/settings/access/hook-types.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { noScopes } from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import { keyValue } from '../../query/plan/conditions/value.ts'
import type { Value } from '../../query/plan/plan.ts'
import { compileLockInOrder, inKeyOrder } from '../../write/statements/locks-in-order.ts'
import type { HookCall } from './hook-call.ts'

/** Returns the function for the hooks of a request; `databaseOf` returns the connection that they receive as `args.db`. */
export const lockOf =
  (call: HookCall, databaseOf: (call: HookCall) => AnyDatabase): HookArgs['lock'] =>
  (model, keys) =>
    lock(call, databaseOf(call), model, keys)

/** Checks the model and its keys, and locks the records with a statement for each chunk of keys. */
async function lock(
  { runtime }: HookCall,
  own: AnyDatabase,
  model: AnyModel | string,
  given: LockedKey | readonly LockedKey[],
): Promise<void> {
  const resource = resourceOf(runtime.registry.byName, model)
  const list = Array.isArray(given) ? (given as readonly LockedKey[]) : [given as LockedKey]
  const keys = list.map((key) => keyOf(resource, key))
  if (!own.isTransaction) throw new Error(outside)
  const dialect = await runtime.database.dialect(own)
  const db = withoutPlugins(own)
  const target: Target = { db, dialect, scopes: noScopes }
  for (const some of keyChunks(dialect, inKeyOrder(keys), resource.primaryKey)) {
    const statement = compileLockInOrder(target, resource, resource.primaryKey, some)
    await db.executeQuery(compileStatement(db, statement, dialect.shortcuts?.textStyle))
  }
}

const outside =
  'args.lock: this hook runs outside of a transaction, where a lock would end at once. Hooks of writes run in one.'

function resourceOf(byName: ReadonlyMap<string, Resource>, model: AnyModel | string): Resource {
  const name = typeof model === 'string' ? model : model?.name
  const resource = byName.get(name)
  if (resource === undefined) {
    throw new TypeError(
      `args.lock: no published model named "${name}".${didYouMean(String(name), [...byName.keys()])}`,
    )
  }
  if (resource.primaryKey.length === 0) {
    throw new TypeError(`args.lock: ${name} has no primary key.`)
  }
  return resource
}

/** Returns a key as values of the primary key's columns; `given` is a value, or an object for a key of several columns. */
function keyOf({ name, primaryKey }: Resource, given: LockedKey): readonly Value[] {
  const parts: Readonly<Record<string, unknown>> =
    typeof given === 'object' && given !== null ? given : { [primaryKey[0]?.name ?? '']: given }
  const key = primaryKey.map((column) => partOf(column, parts[column.name]))
  if (key.some((part) => part === undefined)) {
    const form =
      primaryKey.length === 1
        ? `a value of "${primaryKey[0]?.name}"`
        : `an object with ${primaryKey.map((column) => `"${column.name}"`).join(' and ')}`
    throw new TypeError(
      `args.lock: ${JSON.stringify(given) ?? 'undefined'} is no key of ${name}; expected ${form}.`,
    )
  }
  return key as readonly Value[]
}

const partOf = (column: NamedColumn, given: unknown): Value | undefined =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'bigint'
    ? keyValue(column, String(given))
    : undefined
