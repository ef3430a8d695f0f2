// Schemas of column values: in responses, in request bodies and in filters (docs/reference/query-language.md, docs/reference/serialisation.md).

import type { ReferenceObject } from 'openapi3-ts/oas31'
import { ruleText } from '../../access/roles/roles.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ColumnRight, ColumnType } from '../../model/column.ts'
import type { FilterOperator } from '../../model/query-words/operators.ts'
import { filterOperators } from '../../model/query-words/operators.ts'
import type { WriteMode } from '../../model/registry/checks/field-rules.ts'
import { unaddressableKeys } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { Components } from '../form.ts'
import type { Schema } from './schema.ts'

const digits = '[0-9]'

const forms: Readonly<Record<ColumnType, Schema>> = {
  integer: { type: 'integer' },
  bigint: { type: 'string', pattern: `^-?${digits}{1,19}$` },
  float: { type: 'number' },
  decimal: { type: 'string', pattern: `^-?${digits}+(\\.${digits}+)?$` },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  time: { type: 'string', pattern: `^${digits}{2}:${digits}{2}:${digits}{2}(\\.${digits}+)?$` },
  uuid: { type: 'string', format: 'uuid' },
  json: {},
  binary: { type: 'string', contentEncoding: 'base64' },
  enum: { type: 'string' },
  list: { type: 'array' },
  opaque: { type: 'string' },
}

/** Examples for parameters by type. A schema has an example only if its type alone is not clear. */
const samples: Readonly<Record<ColumnType, unknown>> = {
  integer: 1,
  bigint: '9007199254740993',
  float: 12.5,
  decimal: '12.5',
  boolean: true,
  string: undefined,
  text: undefined,
  date: '2024-05-14',
  datetime: '2024-05-14T10:30:00.000Z',
  time: '10:30:00',
  uuid: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
  json: { any: ['JSON'] },
  binary: 'AQID',
  enum: undefined,
  list: undefined,
  opaque: undefined,
}

/** Returns the schema of the usual form of a type, or of the special values that this database may contain as well. */
function usualOrSpecial(column: NamedColumn, digits: Schema = {}): Schema {
  const usual = { ...forms[column.type], ...digits }
  if (column.special === undefined) return usual
  const { type, ...form } = usual
  return { type: type ?? 'string', anyOf: [form, { pattern: column.special.pattern }] }
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/** Returns the limits of a JSON number. The limits of bigint and decimal, which are strings in JSON, are in the description. */
function boundsOf({ type, definition }: NamedColumn): Schema {
  if (type !== 'integer' && type !== 'float') return {}
  return Object.fromEntries(
    bounds.flatMap((key) => {
      const bound = definition[key]
      return bound === undefined ? [] : [[key, Number(bound)]]
    }),
  )
}

const boundWords = {
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  exclusiveMaximum: 'less than',
} as const

/** Describes the limits of a bigint or decimal, which JSON Schema cannot express: `At least 0.01, less than 100.` */
function boundsText({ type, definition }: NamedColumn): string {
  if (type !== 'bigint' && type !== 'decimal') return ''
  const words = Object.entries(boundWords).flatMap(([key, word]) => {
    const bound = definition[key as keyof typeof boundWords]
    return bound === undefined ? [] : [`${word} ${bound}`]
  })
  const text = words.join(', ')
  return text && `${text[0]?.toUpperCase()}${text.slice(1)}.`
}

/** Returns the schema of a column's values; a list includes the schema of its items. `digits` returns the schema of decimals. */
function formOf(column: NamedColumn, digits: (column: NamedColumn) => Schema): Schema {
  if (column.type !== 'list') return usualOrSpecial(column, digits(column))
  const item = itemOf(column)
  const members = item.enum === undefined ? {} : { enum: [...item.enum] }
  const value = orNull({ ...usualOrSpecial(item, digits(item)), ...members })
  // An array of several dimensions is a list of lists.
  return { ...forms.list, items: { anyOf: [value, forms.list] } }
}

const itemOf = (column: NamedColumn): NamedColumn => ({ ...column, type: column.items ?? 'text' })

/** Types for which any tool can invent a value. */
const plain: readonly ColumnType[] = ['integer', 'float', 'boolean', 'date', 'datetime', 'uuid']

/** Returns the schema of a column's value in a response. */
export function readSchema(column: NamedColumn): Schema {
  const schema = described(column, formOf(column, exactDigits))
  return column.nullable ? orNull(schema) : schema
}

/** Returns the schema of a column's value in a request body. */
export function writeSchema(column: NamedColumn, mode: WriteMode): Schema {
  const { minLength, maxLength, primaryKey, writeOnly } = column.definition
  const own = showable(defaultOf(column, mode))
  const isTextKey = primaryKey === true && (column.type === 'string' || column.type === 'text')
  const form = described(column, {
    ...formOf(column, () => ({})),
    ...(isTextKey ? { not: { enum: [...unaddressableKeys] } } : {}),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(own === undefined ? {} : { default: own }),
  })
  const schema = column.nullable ? orNull(form) : form
  return writeOnly === true ? { ...schema, writeOnly } : schema
}

/**
 * Returns the value of an omitted field: the service's default, or in a new record the database's. A PATCH leaves the field unchanged. The
 * document does not tell the default of a write-only column, because it is the stored value of some records.
 */
function defaultOf({ definition }: NamedColumn, mode: WriteMode): JsonValue | undefined {
  const { default: own, databaseDefault, writeOnly } = definition
  if (mode === 'update' || writeOnly === true || typeof own === 'function') return undefined
  return own === undefined && mode === 'create' ? databaseDefault : own
}

/** Returns the schema of a filter's value: text in the query that is parsed as the column's type. */
export function filterSchema(
  components: Components,
  column: NamedColumn,
  operator: FilterOperator,
): Schema | ReferenceObject {
  if (operator === 'isnull') return forms.boolean
  return filterOperators[operator].takes === 'list'
    ? listSchema(components)
    : operandSchema(column, operator)
}

/** Returns the schema of a filter's value for an operator that takes a single value: of the column's type, or part of a text. */
export function operandSchema(column: NamedColumn, operator: FilterOperator): Schema {
  const partial = operator !== 'eq' && operator !== 'ne' && !isRange(operator)
  if (partial) return forms.string
  const form = usualOrSpecial(column)
  return column.enum === undefined ? form : { ...form, enum: [...column.enum] }
}

/** Returns the schema of a filter's value that is a list. */
export const listSchema = (components: Components): ReferenceObject =>
  components.schema('list of values', 'ValueList', () => ({
    type: 'string',
    description:
      'Values in parentheses, separated by commas; a value with a comma or a parenthesis is quoted: `("a,b",c)`.',
    pattern: '^\\(.*\\)$',
    examples: ['(1,2)'],
  }))

const isRange = (operator: FilterOperator): boolean => /^[lg][te]$/.test(operator)

/** Returns an example value: the column's own, or one for its type. */
export function exampleOf({ definition, type, scale, enum: members }: NamedColumn): unknown {
  if (definition.example !== undefined) return definition.example
  if (type === 'decimal') return scale === undefined ? samples.decimal : (12.5).toFixed(scale)
  if (type === 'enum') return members?.[0]
  if (type === 'list') return undefined
  return samples[type] ?? byFormat[definition.format ?? '']
}

/** Returns a value that the document may contain: undefined for JSON with a member `$ref`, which tools would resolve as a reference. */
const showable = <T>(value: T): T | undefined => (hasReference(value) ? undefined : value)

const hasReference = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('$ref' in value || Object.values(value).some(hasReference))

const byFormat: Readonly<Record<string, unknown>> = {
  email: 'name@example.org',
  uri: 'https://example.org',
  url: 'https://example.org',
}

/** Returns who may read and write a column, and whether only in a new record, as sentences. */
function rightsOf({ definition: { immutable, read, write } }: NamedColumn): readonly string[] {
  const need = (right: ColumnRight): string =>
    typeof right === 'function' ? 'a permission of the service' : ruleText(right)
  return [
    ...(read === undefined ? [] : [`Reading it needs ${need(read)}.`]),
    ...(write === undefined ? [] : [`Writing it needs ${need(write)}.`]),
    ...(immutable === true ? ['It does not change after the record is created.'] : []),
  ]
}

function described(column: NamedColumn, form: Schema): Schema {
  const { format } = column.definition
  const told = [column.definition.description, boundsText(column), ...rightsOf(column)]
  const description = told.filter(Boolean).join(' ')
  const needsExample = column.definition.example !== undefined || !plain.includes(column.type)
  const example = needsExample ? showable(exampleOf(column)) : undefined
  return {
    ...form,
    ...boundsOf(column),
    ...(format === undefined || form.format !== undefined ? {} : { format }),
    ...(column.enum === undefined || column.type === 'list' ? {} : { enum: [...column.enum] }),
    ...(description === '' ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

/** Decimals are written with exactly `scale` digits after the point. */
function exactDigits({ type, scale, storage }: NamedColumn): Schema {
  if (type !== 'decimal' || scale === undefined || storage === 'text') return {}
  const fraction = scale === 0 ? '' : `\\.${digits}{${scale}}`
  return { pattern: `^-?${digits}+${fraction}$` }
}

/** Makes a schema nullable. */
export function orNull(schema: Schema): Schema {
  const { type, enum: members } = schema
  if (type === undefined || [type].flat().includes('null')) return schema
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(members === undefined ? {} : { enum: [...members, null] }),
  }
}
