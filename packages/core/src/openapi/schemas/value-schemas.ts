// JSON Schemas of column values in the OpenAPI document: in responses, in request bodies and in filters
// (docs/reference/query-language.md, docs/reference/serialisation.md), and example values.

import type { ReferenceObject } from 'openapi3-ts/oas31'
import { ruleText } from '../../access/roles/roles.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { ColumnRight } from '../../model/column.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { FilterOperator } from '../../model/query-words/operators.ts'
import type { WriteMode } from '../../model/registry/checks/field-rules.ts'
import { unaddressableKeys } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { Components } from './components.ts'
import type { Schema } from './schema.ts'

const schemaOf = ({ type }: NamedColumn): Schema => columnTypes[type].schema

/** Returns the schema of the usual form of a type, or of the special values that this database may contain as well. */
function usualOrSpecial(column: NamedColumn, digits: Schema = {}): Schema {
  const usual = { ...schemaOf(column), ...digits }
  if (column.special === undefined) return usual
  const { type, ...form } = usual
  return { type: type ?? 'string', anyOf: [form, { pattern: column.special.pattern }] }
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/** Returns the limits of a JSON number. The limits of bigint and decimal, which are strings in JSON, are in the description. */
function boundsOf({ type, definition }: NamedColumn): Schema {
  if (columnTypes[type].json !== 'number') return {}
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

/** Describes the limits of a number that is a string in JSON, which JSON Schema cannot express: `At least 0.01, less than 100.` */
function boundsText({ type, definition }: NamedColumn): string {
  if (columnTypes[type].json === 'number') return ''
  const words = Object.entries(boundWords).flatMap(([key, word]) => {
    const bound = definition[key as keyof typeof boundWords]
    return bound === undefined ? [] : [`${word} ${bound}`]
  })
  const text = words.join(', ')
  return text && `${text[0]?.toUpperCase()}${text.slice(1)}.`
}

/**
 * Returns the schema of a column's values; a list includes the schema of its items. `digits` returns what is added for the digits of a
 * decimal, which responses have exactly and bodies need not have.
 */
function formOf(column: NamedColumn, digits: (column: NamedColumn) => Schema): Schema {
  if (!isList(column)) return usualOrSpecial(column, digits(column))
  const item = itemOf(column)
  const members = item.enum === undefined ? {} : { enum: [...item.enum] }
  const value = orNull({ ...usualOrSpecial(item, digits(item)), ...members })
  // An array of several dimensions is a list of lists.
  const list = schemaOf(column)
  return { ...list, items: { anyOf: [value, list] } }
}

const itemOf = (column: NamedColumn): NamedColumn => ({ ...column, type: column.items ?? 'text' })

const isList = ({ type }: NamedColumn): boolean => columnTypes[type].json === 'array'

/** Returns the schema of a column's value in a response. */
export function responseSchema(column: NamedColumn): Schema {
  const schema = described(column, formOf(column, exactDigits))
  return column.nullable ? orNull(schema) : schema
}

/** Returns the schema of a column's value in a request body. */
export function writeSchema(column: NamedColumn, mode: WriteMode): Schema {
  const { minLength, maxLength, primaryKey, writeOnly } = column.definition
  const own = showable(defaultOf(column, mode))
  const isTextKey = primaryKey === true && columnTypes[column.type].text === 'any'
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

/** What each operator takes: a value of the column's type, a part of a text, a list of values, or true and false. */
const operands: Readonly<Record<FilterOperator, 'value' | 'part' | 'list' | 'boolean'>> = {
  eq: 'value',
  ne: 'value',
  lt: 'value',
  le: 'value',
  gt: 'value',
  ge: 'value',
  in: 'list',
  nin: 'list',
  like: 'part',
  ilike: 'part',
  nlike: 'part',
  nilike: 'part',
  startswith: 'part',
  istartswith: 'part',
  endswith: 'part',
  iendswith: 'part',
  between: 'list',
  isnull: 'boolean',
  contains: 'list',
  overlaps: 'list',
}

/** Returns the schema of a filter's value: text in the query that is parsed as the column's type. */
export function filterSchema(
  components: Components,
  column: NamedColumn,
  operator: FilterOperator,
): Schema | ReferenceObject {
  switch (operands[operator]) {
    case 'value':
      return operandSchema(column)
    case 'part':
      return { type: 'string' }
    case 'list':
      return listSchema(components)
    case 'boolean':
      return { type: 'boolean' }
  }
}

/** Returns the schema of a value of the column's type. */
function operandSchema(column: NamedColumn): Schema {
  const form = usualOrSpecial(column)
  return column.enum === undefined ? form : { ...form, enum: [...column.enum] }
}

/** Returns the schema of a filter's value that is a list. */
const listSchema = (components: Components): ReferenceObject =>
  components.schema('list of values', 'ValueList', () => ({
    type: 'string',
    description:
      'Values in parentheses, separated by commas; a value with a comma or a parenthesis is quoted: `("a,b",c)`.',
    pattern: '^\\(.*\\)$',
    examples: ['(1,2)'],
  }))

/** Returns an example value: the column's own, or one for its type. */
export function exampleOf(column: NamedColumn): unknown {
  const { definition, type } = column
  return (
    definition.example ?? columnTypes[type].example(column) ?? byFormat[definition.format ?? '']
  )
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

/** Adds what the column declares to the schema of its type: limits, format, allowed values, description, example. */
function described(column: NamedColumn, form: Schema): Schema {
  const { format } = column.definition
  const sentences = [column.definition.description, boundsText(column), ...rightsOf(column)]
  const description = sentences.filter(Boolean).join(' ')
  const needsExample =
    column.definition.example !== undefined || !columnTypes[column.type].hasPlainSchema
  const example = needsExample ? showable(exampleOf(column)) : undefined
  return {
    ...form,
    ...boundsOf(column),
    ...(format === undefined || form.format !== undefined ? {} : { format }),
    ...(column.enum === undefined || isList(column) ? {} : { enum: [...column.enum] }),
    ...(description === '' ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

/** Decimals are written with exactly `scale` digits after the point. */
function exactDigits({ type, scale, storage }: NamedColumn): Schema {
  if (columnTypes[type].number !== 'exact' || scale === undefined || storage === 'text') return {}
  const fraction = scale === 0 ? '' : `\\.[0-9]{${scale}}`
  return { pattern: `^-?[0-9]+${fraction}$` }
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
