// initialValues: the values of columns in a new record whose body does not contain them.

import type { JsonValue } from '../../json/json-value.ts'
import { isSoftDeleteAttribute } from '../../registry/field-rules.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import type { Values } from '../plan/node.ts'
import type { WriteContext } from './context.ts'
import { initialValue } from './defaults.ts'

/** Returns the initial values of these columns; functions of the host are called. */
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
