// Schemas of column values: in responses, in request bodies and in filters (contract §4, §7).

import type { ColumnType } from '../model/column.ts'
import type { FilterOperator } from '../parse/operators.ts'
import { filterOperators } from '../parse/operators.ts'
import { unaddressableKeys } from '../registry/field-rules.ts'
import type { NamedColumn } from '../registry/resource.ts'
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
}

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
}

/** The value in a response. */
export function readSchema(column: NamedColumn): Schema {
  const schema = described(column, { ...forms[column.type], ...exactDigits(column) })
  return column.nullable ? orNull(schema) : schema
}

/** The value in a request body. */
export function writeSchema(column: NamedColumn): Schema {
  const { maxLength, primaryKey, default: own } = column.definition
  const isTextKey = primaryKey === true && (column.type === 'string' || column.type === 'text')
  const form = described(column, {
    ...forms[column.type],
    ...(isTextKey ? { not: { enum: [...unaddressableKeys] } } : {}),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(own === undefined || typeof own === 'function' ? {} : { default: own }),
  })
  return column.nullable ? orNull(form) : form
}

/** The value of a filter: a string in the query that is parsed as the column's type. Columns of one type share a schema. */
export function filterSchema(column: NamedColumn, operator: FilterOperator): Schema {
  if (operator === 'isnull') return forms.boolean
  const example = exampleOf(column) ?? column.enum?.[0] ?? 'text'
  if (filterOperators[operator].takes === 'list') {
    const second = column.enum?.[1] ?? example
    return { type: 'string', pattern: '^\\(.*\\)$', examples: [`(${example},${second})`] }
  }
  const partial = operator !== 'eq' && operator !== 'ne' && !isRange(operator)
  if (partial) return forms.string
  const form = forms[column.type]
  return column.enum === undefined ? form : { ...form, enum: [...column.enum] }
}

const isRange = (operator: FilterOperator): boolean => /^[lg][te]$/.test(operator)

/** An example value: the column's own, or one for its type. */
export function exampleOf({ definition, type, scale, enum: members }: NamedColumn): unknown {
  if (definition.example !== undefined) return definition.example
  if (type === 'decimal') return scale === undefined ? samples.decimal : (12.5).toFixed(scale)
  if (type === 'enum') return members?.[0]
  return samples[type] ?? byFormat[definition.format ?? '']
}

const byFormat: Readonly<Record<string, unknown>> = {
  email: 'name@example.org',
  uri: 'https://example.org',
  url: 'https://example.org',
}

function described(column: NamedColumn, form: Schema): Schema {
  const { description, format } = column.definition
  const example = exampleOf(column)
  return {
    ...form,
    ...(format === undefined || form.format !== undefined ? {} : { format }),
    ...(column.enum === undefined ? {} : { enum: [...column.enum] }),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

/** Decimals are written with exactly `scale` digits after the point. */
function exactDigits({ type, scale, storage }: NamedColumn): Schema {
  if (type !== 'decimal' || scale === undefined || storage === 'text') return {}
  const fraction = scale === 0 ? '' : `\\.${digits}{${scale}}`
  return { pattern: `^-?${digits}+${fraction}$` }
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: members } = schema
  if (type === undefined || [type].flat().includes('null')) return schema
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(members === undefined ? {} : { enum: [...members, null] }),
  }
}
