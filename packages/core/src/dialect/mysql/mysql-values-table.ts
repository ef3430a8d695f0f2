// Rows of bound values as a table, which the server reads from one JSON document: values of records (jsonTable), which an UPDATE or a
// look-up of a write joins, keys with their numbers (mysqlNumberedKeys), and rows that only have a number (jsonSeries).

import { base64 } from '../../lib/json/base64.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import type {
  BoundColumn,
  InternalDialect,
  NumberedKeys,
  ValuesTable,
} from '../internal-dialect.ts'
import { isText, natural } from '../shared/sql/sql-parts.ts'
import type { ColumnFacts } from './mysql-column-facts.ts'
import { type DocumentColumn, documentText, longestText } from './types/document-columns.ts'
import { mysqlTypes } from './types/mysql-types.ts'

/** The alias of the table in the statement. */
const valuesName = 'model_api_values'

/**
 * `json_table(?, '$[*]' columns (column1 bigint path '$[0]' error on error, …)) as model_api_values`: the statement has one bound
 * value for all rows. All values except whole numbers are text, which the server converts on assignment as it converts a parameter.
 *
 * `factsOf` returns what is known of a column; the values of a key get its collation, too.
 *
 * Returns undefined for values that might be stored differently from parameters, for text whose JSON has a `\u` escape, and for columns of
 * flags, which only databases with `keepsByCase` need.
 */
export function jsonTable(
  columns: readonly BoundColumn[],
  factsOf: (column: DialectColumn) => ColumnFacts | undefined,
): ValuesTable | undefined {
  const document: DocumentColumn[] = []
  for (const bound of columns) {
    const facts = bound.column === null ? undefined : factsOf(bound.column)
    const read = bound.isKey === true ? keyColumn(bound, facts) : documentColumn(bound)
    if (read === undefined || isLonger(bound, facts)) return undefined
    document.push(read)
  }
  // A table of one column, such as keys to look up, is a list of values.
  const [only, ...others] = document
  const isList = only !== undefined && others.length === 0
  const json = JSON.stringify(isList ? only.values : documentRows(document))
  if (json.includes('\\u')) return undefined
  const declared = document.map(
    ({ type }, i) =>
      sql`${nameOf(i)} ${type} path '$${isList ? sql`` : sql`[${natural(i)}]`}' error on error`,
  )
  return {
    table: sql`json_table(${json}, '$[*]' columns (${sql.join(declared)})) as ${sql.id(valuesName)}`,
    refs: document.map(({ isBase64 }, i) => {
      const ref = sql.id(valuesName, `column${i + 1}`)
      return isBase64 === true ? sql`from_base64(${ref})` : ref
    }),
    joinedBy: 'join',
  }
}

/** A table with this number of rows, `series` of the dialect. */
export const jsonSeries = (rows: number): Fragment =>
  sql`json_table(${JSON.stringify(Array(rows).fill(0))}, '$[*]' columns (column1 int path '$')) as ${sql.id(valuesName)}`

function documentRows(document: readonly DocumentColumn[]): readonly (readonly unknown[])[] {
  const rows: (readonly unknown[])[] = []
  const count = document[0]?.values.length ?? 0
  for (let i = 0; i < count; i++) rows.push(document.map(({ values }) => values[i]))
  return rows
}

const nameOf = (i: number): Fragment => sql.id(`column${i + 1}`)

const documentColumn = ({ column, values }: BoundColumn): DocumentColumn | undefined =>
  column === null ? undefined : mysqlTypes[column.type].toDocument(values)

/**
 * Whether a text has more bytes than its column of a TEXT type: MariaDB refuses it as a parameter, but from a column of a longer type it
 * stores the text of 256 bytes in a TINYTEXT as the empty one.
 */
const isLonger = ({ values }: BoundColumn, facts: ColumnFacts | undefined): boolean => {
  const bytes = facts?.held.bytes
  return (
    bytes !== undefined &&
    values.some(
      (value) =>
        typeof value === 'string' && value.length * 4 > bytes.most && bytes.of(value) > bytes.most,
    )
  )
}

/** The server compares two columns of text only if they have the same collation. */
function keyColumn(bound: BoundColumn, facts: ColumnFacts | undefined): DocumentColumn | undefined {
  const read = documentColumn(bound)
  const collation = facts?.collation
  if (read?.type !== documentText || !collation) return read
  // The server would read another character instead.
  if (read.values.some((value) => value !== null && facts.lacks?.(String(value)))) return undefined
  return { ...read, type: sql`text collate ${sql.id(collation)}` }
}

const keysName = 'model_api_keys'

type Keys = readonly (readonly PlanValue[])[]

/**
 * `(select number, key_0 from json_table(?, '$[*]' columns (number for ordinality, key_0 text collate … path '$[0]')) as t) as
 * model_api_keys`: a derived table, because MySQL refuses locks in a statement that reads a table function directly (error 3569).
 */
export const mysqlNumberedKeys = (
  factsOf: (column: DialectColumn) => ColumnFacts | undefined,
): NonNullable<InternalDialect['numberedKeys']> => {
  /** Whether keys of the column may be equal although their texts differ. */
  const mayDiffer = (column: DialectColumn): boolean =>
    isText(column) && column.collation === 'database' && factsOf(column)?.codePoint !== true
  const typeOf = (column: DialectColumn): KeyType | undefined => {
    const { documentKey } = mysqlTypes[column.type]
    if (documentKey !== 'text') return documentKey
    const collation = factsOf(column)?.collation
    return collation ? { collation } : undefined
  }
  return (pairs) => {
    const isNeeded = pairs.some(
      ({ column, otherColumn }) => mayDiffer(column) && mayDiffer(otherColumn),
    )
    const types: (KeyType | undefined)[] = pairs.map(({ otherColumn }) => typeOf(otherColumn))
    if (!isNeeded || types.includes(undefined)) return undefined
    return (keys: Param<Keys>): NumberedKeys => keysTable(types as KeyType[], keys)
  }
}

/** The type by which the document's column is read; for text, the collation of the column whose keys it has. */
type KeyType = 'bigint' | 'decimal' | { readonly collation: string }

/** `arePlain`: the document has the texts of keys as they are; otherwise as base64, which the server decodes. */
function keysTable(types: readonly KeyType[], keys: Param<Keys>): NumberedKeys {
  const arePlain = keys.decide(isPlain)
  const columns = types.map(
    (type, i) =>
      sql`${keyName(i)} ${documentType(type, arePlain)} path '$[${natural(i)}]' error on error`,
  )
  const parts = types.map((type, i) => sql`${decoded(type, i, arePlain)} as ${keyName(i)}`)
  const document = keys.map(arePlain ? plainJson : encodedJson)
  return {
    table: sql`(select number, ${sql.join(parts)} from json_table(${document}, '$[*]' columns (number for ordinality, ${sql.join(columns)})) as ${sql.id('document')}) as ${sql.id(keysName)}`,
    number: sql.id(keysName, 'number'),
    refs: types.map((_, i) => sql.id(keysName, `key_${i}`)),
  }
}

const keyName = (i: number): Fragment => sql.id(`key_${i}`)

/** The character set is the beginning of the collation's name. */
const setOf = (collation: string): string => collation.replace(/_.*/, '')

function documentType(type: KeyType, arePlain: boolean): Fragment {
  if (type === 'bigint') return sql`bigint`
  if (type === 'decimal') return sql`decimal(20)`
  return arePlain
    ? sql`text character set ${sql.id(setOf(type.collation))} collate ${sql.id(type.collation)}`
    : sql`longtext character set utf8mb4`
}

function decoded(type: KeyType, i: number, arePlain: boolean): Fragment {
  const value = sql.id('document', `key_${i}`)
  if (arePlain || typeof type === 'string') return value
  const { collation } = type
  return sql`convert(convert(from_base64(${value}) using utf8mb4) using ${sql.id(setOf(collation))}) collate ${sql.id(collation)}`
}

const jsonOf = (keys: Keys, textOf: (text: string) => string): string =>
  JSON.stringify(
    keys.map((key) => key.map((part) => (typeof part === 'string' ? textOf(part) : String(part)))),
  )

const plainJson = (keys: Keys): string => jsonOf(keys, (text) => text)

const encodedJson = (keys: Keys): string =>
  jsonOf(keys, (text) => base64(new TextEncoder().encode(text)))

/** Whether the server reads the document's texts as they are: short ones without an escape such as `\u0001`. */
const isPlain = (keys: Keys): boolean =>
  keys.every((key) =>
    key.every((part) => typeof part !== 'string' || part.length <= longestText),
  ) && !plainJson(keys).includes('\\u')
