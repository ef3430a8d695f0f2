// SQLite declared types → column types: `VARCHAR(80)` → `{ type: 'string', maxLength: 80 }`. The name of the type decides, and what sampled rows
// store, because SQLite does not enforce types.

import { columnTypes } from '../../model/column-types.ts'
import type { ColumnShape } from '../shared/catalogue.ts'

/** The storage classes of a column's sampled values: `integer`, `real`, `text`, `blob`, and `null`, which tells nothing of its type. */
export type StorageClasses = ReadonlySet<string>

const opaque: ColumnShape = { type: 'opaque', readOnly: true }

/** What a model declares for a column. */
export interface SqliteShape {
  readonly shape: ColumnShape
  /** Why the column is served as another type than its name says. */
  readonly note?: string
}

/** Digits of a decimal that a 64-bit float always holds exactly. */
const exactDigits = 15

const typesByName: Readonly<Record<string, ColumnShape['type']>> = {
  INT: 'integer',
  INTEGER: 'integer',
  TINYINT: 'integer',
  SMALLINT: 'integer',
  MEDIUMINT: 'integer',
  INT2: 'integer',
  INT4: 'integer',
  YEAR: 'integer',
  BIGINT: 'bigint',
  'UNSIGNED BIG INT': 'bigint',
  INT8: 'bigint',
  REAL: 'float',
  FLOAT: 'float',
  DOUBLE: 'float',
  'DOUBLE PRECISION': 'float',
  BOOL: 'boolean',
  BOOLEAN: 'boolean',
  CHAR: 'string',
  CHARACTER: 'string',
  VARCHAR: 'string',
  'VARYING CHARACTER': 'string',
  'CHARACTER VARYING': 'string',
  NCHAR: 'string',
  'NATIVE CHARACTER': 'string',
  NVARCHAR: 'string',
  TEXT: 'text',
  CLOB: 'text',
  NTEXT: 'text',
  TINYTEXT: 'text',
  MEDIUMTEXT: 'text',
  LONGTEXT: 'text',
  DATE: 'date',
  DATETIME: 'datetime',
  DATETIME2: 'datetime',
  TIMESTAMP: 'datetime',
  TIMESTAMPTZ: 'datetime',
  'TIMESTAMP WITH TIME ZONE': 'datetime',
  'TIMESTAMP WITHOUT TIME ZONE': 'datetime',
  TIME: 'time',
  UUID: 'uuid',
  GUID: 'uuid',
  UNIQUEIDENTIFIER: 'uuid',
  JSON: 'json',
  JSONB: 'json',
  BLOB: 'binary',
  BINARY: 'binary',
  VARBINARY: 'binary',
  BYTEA: 'binary',
}

/** Type names of exact numbers in SQL and in other databases. */
const decimalName = /^DEC|^NUM|DECIMAL|NUMERIC/

/** `NUMERIC(10,2)` → name `NUMERIC`, digits 10 and 2; `INTEGER UNSIGNED` and the like keep their words. */
function readDeclared(declared: string): { name: string; digits: number[] } {
  const arguments_ = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(declared)
  const name = declared
    .replace(/\(.*?\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase()
  const digits = [arguments_?.[1], arguments_?.[2]].flatMap((d) =>
    d === undefined ? [] : [Number(d)],
  )
  return { name, digits }
}

/**
 * Chooses the column type by the declared type and by `sampled`, the classes of sampled values (none: the declared type alone decides).
 * `isKey`: the column is in a primary key, or a foreign key refers to it. Declared types without bytes may hold blobs, those of bytes
 * texts, columns for dates and times may hold numbers, and keys of integers may hold texts.
 */
export function sqliteShape(
  declared: string,
  sampled: StorageClasses = new Set(),
  isKey = false,
): SqliteShape {
  const values = new Set([...sampled].filter((storageClass) => storageClass !== 'null'))
  const known = shapeOf(declared, values)
  const { type } = known.shape
  if (values.has('blob') && type !== 'binary' && type !== 'opaque') {
    return values.size === 1
      ? { shape: { type: 'binary' }, note: `it is declared ${declared} but holds bytes` }
      : { shape: opaque, note: 'it holds both bytes and other values' }
  }
  if (type === 'binary' && values.size === 1 && values.has('text')) {
    return { shape: { type: 'text' }, note: `it is declared ${declared} but holds texts` }
  }
  const isWhole = columnTypes[type].number === 'whole'
  return isKey && isWhole && values.has('text') ? { shape: { type: 'text' }, note: textKey } : known
}

/** The note by which `sqlite-catalogue.ts` recognises such a key. */
export const textKey = 'a key that holds texts among its numbers, so it is served as text'

/** Chooses the type of a column without blobs. */
function shapeOf(declared: string, values: StorageClasses): SqliteShape {
  const { name, digits } = readDeclared(declared)
  const base = name.replace(/ ?UNSIGNED$/, '')
  if (base === 'TINYINT' && digits[0] === 1) return { shape: { type: 'boolean' } }
  if (decimalName.test(base)) return decimalShape(base, digits)
  const type = typesByName[base]
  if (type === 'string') {
    return { shape: digits[0] === undefined ? { type } : { type, maxLength: digits[0] } }
  }
  if (type === 'date' || type === 'datetime' || type === 'time') {
    return temporalShape(type, values)
  }
  return type === undefined ? unknownShape(base, declared, values) : { shape: { type } }
}

/** A column of NUMERIC affinity stores fractions as floats; only a type name of TEXT affinity keeps all digits. */
function decimalShape(name: string, [precision, scale = 0]: readonly number[]): SqliteShape {
  const stored = /TEXT|CHAR|CLOB/.test(name) ? { storage: 'text' as const } : {}
  if (precision === undefined) {
    return 'storage' in stored ? { shape: { type: 'text' } } : { shape: { type: 'float' } }
  }
  if (Math.max(precision, scale) > exactDigits && stored.storage === undefined) {
    return {
      shape: { type: 'float' },
      note: 'so many digits are stored as a 64-bit float here, so it is served as float',
    }
  }
  return { shape: { type: 'decimal', precision, scale, ...stored } }
}

/** Some tools store dates as numbers of milliseconds or days; the column type expects text. */
function temporalShape(type: 'date' | 'datetime' | 'time', values: StorageClasses): SqliteShape {
  if (!values.has('integer') && !values.has('real')) return { shape: { type } }
  const shape: ColumnShape = { type: values.has('real') ? 'float' : 'bigint' }
  if (values.has('text')) {
    return { shape: opaque, note: 'it holds both numbers and texts' }
  }
  return {
    shape,
    note: `it is declared ${type} but holds numbers, so it is served as ${shape.type}`,
  }
}

/** SQLite's affinity rules in SQLite's order, then the storage classes of stored values. */
function unknownShape(name: string, declared: string, values: StorageClasses): SqliteShape {
  // Of affinity INTEGER: numbers are stored as numbers, and other texts as they are.
  if (/INT.*(?:TEXT|CHAR)/.test(name)) return { shape: { type: 'text' } }
  if (/INT/.test(name)) return { shape: { type: 'integer' } }
  if (/CHAR|CLOB|TEXT/.test(name)) return { shape: { type: 'text' } }
  if (/BLOB/.test(name)) return { shape: { type: 'binary' } }
  if (/REAL|FLOA|DOUB/.test(name)) return { shape: { type: 'float' } }
  const what = declared === '' ? 'it has no declared type' : `${declared} is no type we know`
  const type = typeOf(values)
  if (type === undefined) {
    const why =
      values.size === 0 ? 'no value to tell' : `values of ${[...values].sort().join(' and ')}`
    return {
      shape: opaque,
      note: `${what}, and there ${values.size === 0 ? 'is' : 'are'} ${why}`,
    }
  }
  return { shape: { type }, note: `${what}; its values are ${type}, so it is served as ${type}` }
}

/**
 * Returns the type of a column whose declared type says nothing, by what it stores; undefined if it stores nothing, or values of several
 * types.
 */
function typeOf(values: StorageClasses): ColumnShape['type'] | undefined {
  const kinds = [...values].sort().join()
  if (kinds === 'text') return 'text'
  if (kinds === 'integer') return 'integer'
  if (kinds === 'real' || kinds === 'integer,real') return 'float'
  return kinds === 'blob' ? 'binary' : undefined
}
