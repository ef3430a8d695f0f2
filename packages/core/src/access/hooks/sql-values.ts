// sqlValues: `toRow`, `toRecord` and `toColumn` of the API and of `args` in hooks, for statements that the host writes itself:
// `toRow(Book, { published: '1817-12-20' })` → `{ published_on: … }`, with the column names and value types of the database.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import type { AnyModel } from '../../model/define-model.ts'
import { returnedCopy } from '../../model/hooks/call-hook.ts'
import type { NamedColumn, Registry, Resource } from '../../model/registry/resource.ts'
import type { SqlValues } from '../../model/settings/access/sql-value-types.ts'
import { convertJson } from '../../write/nodes/convert-json.ts'

interface SqlValuesParts {
  /** All resources, whoever may use them. */
  readonly registry: Pick<Registry, 'byName' | 'users'>
  /** The dialect of the database, which knows how its columns are declared. */
  readonly dialect: () => MaybePromise<InternalDialect>
}

type Values = Readonly<Record<string, unknown>>

/** Returns the functions of an API and of its hooks. They cache the decoders of each model. */
export function sqlValues({ registry, dialect }: SqlValuesParts): SqlValues {
  const known = (name: string): InternalDialect => {
    const found = dialect()
    if (!(found instanceof Promise)) return found
    // The promise is that of `ready`, which reports its failure.
    found.catch(() => {})
    throw new Error(
      `${name}: the API does not know yet how the database declares its columns. Await api.ready before.`,
    )
  }
  const readers = new Map<Resource, readonly ColumnReader[]>()
  const readersOf = (resource: Resource): readonly ColumnReader[] => {
    const { rowDecoder, decoder } = known('toRecord')
    const found = readers.get(resource)
    if (found !== undefined) return found
    const made = [...resource.allColumns.values()].map((column) => ({
      column,
      // The host has selected the plain column; `decoder` is for columns as our own statements select them.
      decode: (rowDecoder ?? decoder)(column),
    }))
    readers.set(resource, made)
    return made
  }
  return {
    toRow(model: AnyModel | string, record: object) {
      const resource = resourceOf(registry, 'toRow', model)
      const { encode } = known('toRow')
      const row: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(record)) {
        if (value === undefined || isDerived(resource, name)) continue
        const column = storedColumn(resource, 'toRow', name)
        row[column.dbName] = encode(column, jsonOf(resource, 'toRow', column, value))
      }
      return row
    },
    toRecord(model: AnyModel | string, row: object) {
      const resource = resourceOf(registry, 'toRecord', model)
      const record: Record<string, JsonValue> = {}
      for (const { column, decode } of readersOf(resource)) {
        const { dbName } = column
        const value = Object.hasOwn(row, dbName) ? (row as Values)[dbName] : undefined
        if (value !== undefined) record[column.name] = decode(value)
      }
      if (Object.keys(record).length === 0) throw new TypeError(noColumn(resource, row))
      return record
    },
    toColumn(model: AnyModel | string, field: PropertyKey, value: unknown) {
      const resource = resourceOf(registry, 'toColumn', model)
      const { comparand, encode } = known('toColumn')
      const column = storedColumn(resource, 'toColumn', String(field))
      return (comparand ?? encode)(column, jsonOf(resource, 'toColumn', column, value))
    },
  } as SqlValues
}

interface ColumnReader {
  readonly column: NamedColumn
  readonly decode: (raw: unknown) => JsonValue
}

function resourceOf(
  { byName, users }: SqlValuesParts['registry'],
  functionName: string,
  model: AnyModel | string,
): Resource {
  const name = typeof model === 'string' ? model : model?.name
  const resource = byName.get(name) ?? (users?.name === name ? users : undefined)
  if (resource !== undefined) return resource
  throw new TypeError(
    `${functionName}: no published model named "${name}".${didYouMean(String(name), byName.keys())}`,
  )
}

/** Whether a field is computed from columns or related records, and not stored. */
const isDerived = ({ allColumns, aggregates }: Resource, name: string): boolean =>
  aggregates.has(name) || allColumns.get(name)?.computed !== undefined

/** Returns the column of a field; throws for a computed or unknown one. `functionName` is the function that the error names. */
function storedColumn(resource: Resource, functionName: string, name: string): NamedColumn {
  const { allColumns, name: model } = resource
  const column = allColumns.get(name)
  if (column !== undefined && !isDerived(resource, name)) return column
  if (isDerived(resource, name)) {
    throw new TypeError(
      `${functionName}: "${name}" of ${model} is computed, and no column of its table.`,
    )
  }
  throw new TypeError(
    `${functionName}: ${model} has no field "${name}".${didYouMean(name, allColumns.keys())}`,
  )
}

/** Returns the canonical JSON form of a value, as that of a record which a callback returns. */
function jsonOf(
  resource: Resource,
  functionName: string,
  column: NamedColumn,
  value: unknown,
): JsonValue {
  if (value === null) return null
  const json = returnedCopy(`value of ${column.name}`, value) as JsonValue | undefined
  const converted = json === undefined ? undefined : convertJson(column, json)
  if (converted !== undefined && 'value' in converted) return converted.value
  const expected = converted === undefined ? 'a value or null' : converted.expected.text
  throw new TypeError(
    `${functionName}: the value of "${column.name}" of ${resource.name} is not ${expected}.`,
  )
}

function noColumn({ name, allColumns }: Resource, row: object): string {
  const [first] = Object.keys(row)
  const names = [...allColumns.values()].map(({ dbName }) => dbName)
  return first === undefined
    ? `toRecord: the row of ${name} is empty.`
    : `toRecord: ${name} has no column "${first}", nor one of another name in the row. Rows have the names of the database.${didYouMean(first, names)}`
}
