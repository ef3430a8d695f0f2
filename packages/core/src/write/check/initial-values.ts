// initialValues: the values of columns in a new record whose body does not contain them: managed ones, UUIDs, defaults.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { isSoftDeleteAttribute } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import type { WriteContext } from '../store/write-context.ts'
import { initialValue } from './defaults.ts'

/**
 * Returns the initial values of these columns, NULL for one without any; functions of the host are called. For look-ups by a unique key of
 * which the body omits a part, by `on_conflict` or a unique name.
 */
export async function initialValues(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
): Promise<Values> {
  const values: Record<string, JsonValue> = {}
  for (const column of columns) {
    const value = isSoftDeleteAttribute(resource, column)
      ? resource.settings.softDelete?.active
      : await initialValue(resource, column, context)
    values[column.name] = value ?? null
  }
  return values
}
