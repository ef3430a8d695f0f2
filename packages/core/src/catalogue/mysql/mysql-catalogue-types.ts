// MySQL and MariaDB types → column types: `varchar(80)` → `{ type: 'string', maxLength: 80 }`. A type without a corresponding column type is
// `opaque`.

import { columnTypes } from '../../model/column-types.ts'
import type { ColumnShape } from '../shared/catalogue.ts'

/** A column's type, as the catalogue describes it. */
export interface DeclaredMysqlType {
  /** `tinyint`, `varchar`, `enum` … in lower case. */
  readonly name: string
  /** With its arguments: `tinyint(1)`, `enum('a','b')`. */
  readonly full: string
  /** Characters of a text. This and the next three are null for types that have no such property. */
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  readonly collation: string | null
  /** MariaDB stores json as text with a CHECK constraint. */
  readonly json: boolean
}

const plainTypes: Readonly<Record<string, ColumnShape>> = {
  tinyint: { type: 'integer' },
  smallint: { type: 'integer' },
  mediumint: { type: 'integer' },
  int: { type: 'integer' },
  integer: { type: 'integer' },
  year: { type: 'integer' },
  bigint: { type: 'bigint' },
  float: { type: 'float' },
  double: { type: 'float' },
  date: { type: 'date' },
  datetime: { type: 'datetime' },
  timestamp: { type: 'datetime' },
  time: { type: 'time' },
  uuid: { type: 'uuid' },
  json: { type: 'json' },
  binary: { type: 'binary' },
  varbinary: { type: 'binary' },
  tinyblob: { type: 'binary' },
  blob: { type: 'binary' },
  mediumblob: { type: 'binary' },
  longblob: { type: 'binary' },
}

const opaque: ColumnShape = { type: 'opaque', readOnly: true }

/** Returns what a model declares for a column of this type. */
export function mysqlShape(type: DeclaredMysqlType): ColumnShape {
  if (type.json) return { type: 'json' }
  switch (type.name) {
    case 'tinyint':
      return /^tinyint\(1\)(?! unsigned)/.test(type.full) ? { type: 'boolean' } : plainShape(type)
    case 'bit':
      return type.full === 'bit(1)' ? { type: 'boolean' } : opaque
    case 'decimal':
      return { type: 'decimal', precision: type.precision ?? 10, scale: type.scale ?? 0 }
    case 'char':
    case 'varchar':
    case 'tinytext':
      return {
        type: 'string',
        ...(type.length === null ? {} : { maxLength: type.length }),
        ...collation(type),
      }
    case 'text':
    case 'mediumtext':
    case 'longtext':
      return { type: 'text', ...collation(type) }
    case 'enum':
      return { type: 'enum', enum: enumMembers(type.full) }
    default:
      return plainShape(type)
  }
}

function plainShape({ name, full }: DeclaredMysqlType): ColumnShape {
  const shape = Object.hasOwn(plainTypes, name) ? plainTypes[name] : undefined
  if (shape === undefined) return opaque
  const isWhole = columnTypes[shape.type].number === 'whole'
  return isWhole && / unsigned/.test(full) ? { ...shape, unsigned: true } : shape
}

/** The only collations that compare all of Unicode by code point. */
const binaryCollations = /^utf8mb4_(?:0900_|nopad_)?bin$/

/** `collation: 'database'` unless the column compares by code point, as the service does. */
function collation(type: DeclaredMysqlType): { collation?: 'database' } {
  const own = type.collation ?? ''
  return binaryCollations.test(own) ? {} : { collation: 'database' }
}

/** `enum('a','it''s')` → `a`, `it's`. */
function enumMembers(full: string): string[] {
  const quoted = full.match(/'(?:[^']|'')*'/g) ?? []
  return quoted.map((text) => text.slice(1, -1).replaceAll("''", "'"))
}
