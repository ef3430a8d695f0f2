// uniqueColumns: the columns of a unique key that a client names in `?on_conflict=isbn` or `?labels.on_conflict=name`.

import { notUniqueColumns } from '../../../../errors.ts'
import {
  conflictKeys,
  hasInitialValue,
  hasNames,
  unmatchable,
} from '../../../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../../../model/registry/resource.ts'
import { readOnlyReasons } from '../../../../problems.ts'

/**
 * The columns of `on_conflict`: the primary key, a unique column, or a unique set. The client leaves out hidden ones, which take part
 * with their initial values.
 */
export function uniqueColumns(
  resource: Resource,
  text: string,
  parameter = 'on_conflict',
): readonly NamedColumn[] {
  const keys = conflictKeys(resource)
  const wanted = text.split(',').map((name) => name.trim())
  const found = keys.find((key) => hasNames(key, wanted))
  if (found !== undefined) return found.columns
  const known = keys.map(({ names }) => names.join(','))
  const given = { text: text.slice(0, 100), resource: resource.endpoint, parameter }
  throw notUniqueColumns(given, known, whyNotNamed(resource, wanted))
}

/** Returns why the client cannot name a unique key that it sees, as the end of a sentence; undefined if there is no such key. */
function whyNotNamed(resource: Resource, wanted: readonly string[]): string | undefined {
  const key = resource.uniqueKeys.find(
    (columns) =>
      columns.length === wanted.length &&
      columns.every(({ name }) => wanted.includes(name) && resource.columns.has(name)),
  )
  for (const column of key ?? []) {
    const why = unmatchable(resource, column)
    if (why === undefined || hasInitialValue(resource, column)) continue
    return `cannot be named here, because ${column.name} ${readOnlyReasons[why]} and its model declares no default`
  }
  return undefined
}
