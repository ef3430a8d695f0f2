// Reads the MySQL or MariaDB catalogue: columns, unique keys, foreign keys, CHECK constraints, in a few statements. `introspect` makes models of
// the tables, the check at start-up compares them with models.

import type { Constant } from '../../dialect/shared/values/constant.ts'
import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type {
  CatalogueColumn,
  CatalogueForeignKey,
  CatalogueTable,
  ColumnShape,
  RowReader,
} from '../shared/catalogue.ts'
import { columnChecks } from '../shared/column-checks.ts'
import { constantDefault, jsonOfConstant } from '../shared/default-value.ts'
import { deleteRule } from '../shared/delete-rule.ts'
import { projectionOf } from '../shared/projection.ts'
import { among } from '../shared/table-names.ts'
import { readViewQuery, type ViewQuery } from '../shared/view-query.ts'
import { readMysqlChecks, type TableChecks, unescaped } from './mysql-catalogue-checks.ts'
import { mysqlShape } from './mysql-catalogue-types.ts'
import { mysqlPartialKey } from './mysql-partial-key.ts'
import { nonBooleanTinyints } from './tinyint-values.ts'

/** Every column has an alias, because servers differ in the letter case of the catalogue's own column names. */
interface ColumnRow {
  readonly table_name: string
  readonly kind: string
  /** The comment of the table; for a view, the word VIEW. */
  readonly about: string | null
  /** Null if this user may not see the columns of the table or view. */
  readonly column_name: string | null
  readonly data_type: string
  readonly full_type: string
  readonly length: unknown
  readonly digits: unknown
  readonly scale: unknown
  readonly collation: string | null
  readonly is_nullable: string
  readonly default_value: string | null
  readonly extra: string
  readonly comment: string
  /** The expression of a generated column; null or empty for other columns. */
  readonly expression: string | null
  /** `select,insert`: the privileges of this user, including those of its roles. */
  readonly privileges: string | null
}

interface KeyRow {
  readonly table_name: string
  readonly key_name: string
  /** Null for an index over an expression. */
  readonly column_name: string | null
  /** Set if only the beginning of the text is indexed. */
  readonly prefix: unknown
}

interface ForeignKeyRow {
  readonly table_name: string
  readonly key_name: string
  readonly column_name: string
  readonly target_schema: string
  readonly target_table: string
  readonly target_column: string
  readonly delete_rule: string
}

const noChecks: TableChecks = { json: new Set(), rules: [] }

export interface MysqlCatalogueOptions {
  /** Default: the connection's current database. */
  readonly schema?: string | undefined
  /** The tables to read; default: every table. */
  readonly only?: readonly string[] | undefined
  /** Whether stored values decide if a `tinyint(1)` is a boolean. Default false: every `tinyint(1)` is one. */
  readonly samples?: boolean
}

/** Reads the tables of a database. */
export async function readMysql(
  db: AnyDatabase,
  { schema, only, samples = false }: MysqlCatalogueOptions,
): Promise<CatalogueTable[]> {
  const { name, isMariadb } = await databaseAndEngine(db, schema)
  const columns = grouped(await columnRows(db, name, only), (row) => row.table_name)
  if (columns.size === 0 && schema !== undefined) await mustExist(db, schema)
  const keys = grouped(await keyRows(db, name, only), (row) => row.table_name)
  const foreignKeys = grouped(await foreignKeyRows(db, name, only), (row) => row.table_name)
  const checks = await readMysqlChecks(db, { schema: name, only }, isMariadb)
  const views = await viewTexts(db, name, only)
  // The columns of a table or view, for `projectionOf`.
  const namesOf = (table: string) => {
    const rows = columns.get(table)
    return rows && { columns: rows.flatMap((row) => row.column_name ?? []) }
  }
  const isInKey = inForeignKeys([...foreignKeys.values()].flat(), name)
  const tables: CatalogueTable[] = []
  for (const [table, rows] of columns) {
    // An index over an expression, or over the beginning of a text, is no key.
    const indexes = [...grouped(keys.get(table) ?? [], (row) => row.key_name)].filter(([, group]) =>
      group.every((row) => row.column_name !== null && row.prefix === null),
    )
    const names = ([, group]: [string, KeyRow[]]): string[] =>
      group.flatMap((row) => row.column_name ?? [])
    const uniqueKeys = indexes.filter(([key]) => key !== 'PRIMARY')
    const isView = rows[0]?.kind.endsWith('VIEW') === true
    const view = views.get(table)
    const query = view === undefined ? undefined : queryOf(view, name)
    const projection =
      query && projectionOf(query, namesOf(table) ?? { columns: [] }, namesOf(query.table))
    const primaryKey = indexes.filter(([key]) => key === 'PRIMARY').flatMap(names)
    // The `tinyint(1)` columns that are no booleans.
    const whole =
      samples && !isView
        ? await wholeTinyints(db, sql.id(name, table), rows, {
            primaryKey,
            isInKey: (column) => isInKey(table, column),
          })
        : noColumns
    tables.push({
      name: table,
      kind: isView ? 'view' : undefined,
      description: isView ? undefined : rows[0]?.about || undefined,
      projection,
      query: view,
      unusable: whyUnusable(rows),
      columns: rows.flatMap((row) =>
        row.column_name === null
          ? []
          : [
              column(row, {
                checksOfTable: checks.get(row.table_name) ?? noChecks,
                isMariadb,
                isWhole: whole.has(row.column_name),
              }),
            ],
      ),
      primaryKey,
      uniqueKeys: uniqueKeys.map(names),
      partialKeys: uniqueKeys.flatMap(
        (key) => mysqlPartialKey(key[0], names(key), expressionsOf(rows)) ?? [],
      ),
      foreignKeys: [...grouped(foreignKeys.get(table) ?? [], (row) => row.key_name).values()].map(
        (group) => foreignKey(group, name),
      ),
    })
  }
  return tables
}

const columnName = (row: ColumnRow): string => row.column_name ?? ''

const noColumns: ReadonlySet<string> = new Set()

/** The columns of keys of one table. */
interface Keys {
  readonly primaryKey: readonly string[]
  readonly isInKey: (column: string) => boolean
}

/** Returns the columns of the type `tinyint(1)` that are no booleans. Those of keys are none, so that both sides of a key have one type. */
async function wholeTinyints(
  db: AnyDatabase,
  table: Fragment,
  rows: readonly ColumnRow[],
  { primaryKey, isInKey }: Keys,
): Promise<ReadonlySet<string>> {
  const all = rows.filter(isTinyint).map(columnName)
  const keys = all.filter((column) => primaryKey.includes(column) || isInKey(column))
  const others = all.filter((column) => !keys.includes(column))
  if (others.length === 0) return new Set(keys)
  // A table that cannot be read must not prevent the reading of others.
  const found = await nonBooleanTinyints(db, table, others, primaryKey).catch(() => noColumns)
  return new Set([...keys, ...found])
}

const isTinyint = (row: ColumnRow): boolean =>
  isReadable(row) && row.data_type.toLowerCase() === 'tinyint' && shapeOf(row).type === 'boolean'

/** Returns whether a column is on either side of a foreign key within the database. */
function inForeignKeys(
  rows: readonly ForeignKeyRow[],
  schema: string,
): (table: string, column: string) => boolean {
  const keyOf = (...names: readonly string[]): string => names.join('\0').toLowerCase()
  const keys = new Set(
    rows.flatMap((row) => [
      keyOf(schema, row.table_name, row.column_name),
      keyOf(row.target_schema, row.target_table, row.target_column),
    ]),
  )
  return (table, column) => keys.has(keyOf(schema, table, column))
}

/** The expressions of the generated columns, by their names. */
const expressionsOf = (rows: readonly ColumnRow[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap(({ column_name: name, expression }) =>
      name === null || !expression ? [] : [[name, unescaped(expression)] as const],
    ),
  )

/** Returns why this user cannot read the table; undefined if it can. */
function whyUnusable(rows: readonly ColumnRow[]): string | undefined {
  const [row] = rows
  if (row?.column_name === null && row.kind.endsWith('VIEW')) return 'a view that cannot be read'
  if (row?.column_name === null) return 'this user may not see its columns'
  if (!rows.some(isReadable)) return 'this user may not read it'
  return undefined
}

const shapeOf = (row: ColumnRow, { json }: TableChecks = noChecks): ColumnShape =>
  mysqlShape({
    name: row.data_type.toLowerCase(),
    full: row.full_type,
    length: numberOrNull(row.length),
    precision: numberOrNull(row.digits),
    scale: numberOrNull(row.scale),
    collation: row.collation,
    json: json.has(columnName(row)),
  })

interface ColumnContext {
  readonly checksOfTable: TableChecks
  /** Whether the server is MariaDB. */
  readonly isMariadb: boolean
  /** Whether the column is a `tinyint(1)` that is no boolean. */
  readonly isWhole: boolean
}

/** Makes the column of a row of the catalogue. */
function column(
  row: ColumnRow,
  { checksOfTable, isMariadb, isWhole }: ColumnContext,
): CatalogueColumn {
  const extra = row.extra.toLowerCase()
  const name = columnName(row)
  // MariaDB has sequences.
  const sequence = /^nextval\(/i.test(row.default_value ?? '')
  const readOnly = /\b(?:virtual|stored|persistent) generated\b/.test(extra)
  // MariaDB writes the absence of a default on a nullable column as the word NULL, and quotes texts; MySQL does neither.
  const hasDefault = row.default_value !== null && !(isMariadb && row.default_value === 'NULL')
  const type = row.data_type.toLowerCase()
  const readable = isReadable(row)
  const known: ColumnShape = isWhole ? { type: 'integer' } : shapeOf(row, checksOfTable)
  const shape = readable ? known : undefined
  const checks = columnChecks(
    {
      shape,
      // Other collations ignore trailing spaces, and most of them letter case.
      isExact: /_(?:0900|nopad)_bin$/.test(row.collation ?? ''),
      isSingle: type === 'float',
    },
    checksOfTable.rules.filter((rule) => rule.column.toLowerCase() === name.toLowerCase()),
  )
  const isFilled = hasDefault && !sequence && !readOnly
  const isBoolean = shape?.type === 'boolean'
  const constant = isFilled ? defaultOf(row, isMariadb, isBoolean) : undefined
  return {
    name,
    databaseType: row.full_type,
    shape,
    nullable: row.is_nullable === 'YES',
    generated: extra.includes('auto_increment') || sequence,
    hasDefault: isFilled,
    databaseDefault: constant && jsonOfConstant(shape, constant),
    checks,
    readOnly,
    // More digits of a second than responses show.
    responsesLoseDigits: /^(?:(?:datetime|timestamp)\([4-6]\)|time\([1-6]\))/i.test(row.full_type),
    description: row.comment || undefined,
    note: readable ? numberNote(isWhole) : 'this user may not read it',
  }
}

const numberNote = (isWhole: boolean): string | undefined =>
  isWhole ? 'it is a key or holds numbers besides 0 and 1, so it is served as integer' : undefined

/** MySQL's catalogue writes a constant default without quotes, and marks an expression. */
function defaultOf(
  { default_value: text, extra }: ColumnRow,
  isMariadb: boolean,
  isBoolean: boolean,
): Constant | undefined {
  if (text === null) return undefined
  if (isMariadb) return constantDefault(text, 'escapes')
  return /default_generated/i.test(extra) ? undefined : { text, isString: !isBoolean }
}

const isReadable = ({ privileges }: ColumnRow): boolean => /\bselect\b/i.test(privileges ?? '')

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

/** Makes the foreign key of its rows, one for each column. */
function foreignKey(rows: readonly ForeignKeyRow[], schema: string): CatalogueForeignKey {
  const first = rows[0]
  const target = first?.target_schema ?? schema
  return {
    columns: rows.map((row) => row.column_name),
    table: first?.target_table ?? '',
    references: rows.map((row) => row.target_column),
    schema: target.toLowerCase() === schema.toLowerCase() ? undefined : target,
    onDelete: deleteRule(first?.delete_rule),
  }
}

/** Returns the name of the database to read, and whether the server is MariaDB. */
async function databaseAndEngine(
  db: AnyDatabase,
  schema: string | undefined,
): Promise<{ name: string; isMariadb: boolean }> {
  const rows = await rowsOf<{ name: string | null; version: string }>(db)`
    select database() as name, version() as version`
  const name = schema ?? rows[0]?.name ?? null
  if (name === null) {
    throw new Error(
      'The connection is in no database. Name one in the connection or with the "schema" option.',
    )
  }
  return { name, isMariadb: /mariadb/i.test(rows[0]?.version ?? '') }
}

/** Throws if there is no such database, whose catalogue would look like that of an empty one. */
async function mustExist(db: AnyDatabase, schema: string): Promise<void> {
  const rows = await rowsOf<{ name: string }>(db)`
    select schema_name as name from information_schema.schemata
    where schema_name not in ('information_schema', 'performance_schema', 'mysql', 'sys')
    order by 1`
  if (rows.some((row) => row.name.toLowerCase() === schema.toLowerCase())) return
  const known = rows.map((row) => `"${row.name}"`).join(', ')
  throw new Error(`There is no database "${schema}". This user sees: ${known}.`)
}

/**
 * Compares table names with `binary`, because MariaDB's catalogue ignores their case even on servers where names may differ only in
 * case. Repeats the conditions for both views, because MariaDB opens every table that the conditions on each view do not exclude.
 */
const columnRows: RowReader<ColumnRow> = (db, schema, only) => rowsOf<ColumnRow>(db)`
    select t.table_name as table_name, t.table_type as kind, t.table_comment as about,
      c.column_name as column_name,
      c.data_type as data_type, c.column_type as full_type,
      c.character_maximum_length as length, c.numeric_precision as digits,
      c.numeric_scale as scale, c.collation_name as collation, c.is_nullable as is_nullable,
      c.column_default as default_value, c.extra as extra, c.column_comment as comment,
      c.generation_expression as expression, c.privileges as privileges
    from information_schema.tables t
    left join information_schema.columns c
      on c.table_schema = t.table_schema and binary c.table_name = binary t.table_name
      and c.table_schema = ${schema}${among(sql.id('c', 'table_name'), only)}
    where t.table_schema = ${schema} and t.table_type <> 'SEQUENCE'${among(sql.id('t', 'table_name'), only)}
    order by t.table_name, c.ordinal_position`

const keyRows: RowReader<KeyRow> = (db, schema, only) => rowsOf<KeyRow>(db)`
    select table_name as table_name, index_name as key_name, column_name as column_name,
      sub_part as prefix
    from information_schema.statistics
    where table_schema = ${schema} and non_unique = 0${among(sql.id('table_name'), only)}
    order by table_name, index_name, seq_in_index`

const foreignKeyRows: RowReader<ForeignKeyRow> = (db, schema, only) => rowsOf<ForeignKeyRow>(db)`
    select k.table_name as table_name, k.constraint_name as key_name, k.column_name as column_name,
      k.referenced_table_schema as target_schema, k.referenced_table_name as target_table,
      k.referenced_column_name as target_column, r.delete_rule as delete_rule
    from information_schema.key_column_usage k
    join information_schema.referential_constraints r on r.constraint_schema = ${schema}
      and r.table_name = k.table_name and r.constraint_name = k.constraint_name
    where k.table_schema = ${schema} and k.constraint_schema = ${schema}
      and k.referenced_table_name is not null${among(sql.id('k', 'table_name'), only)}
    order by k.table_name, k.constraint_name, k.ordinal_position`

/** Reads the query of each view as the server prints it; an empty string if the user may not read it. */
async function viewTexts(
  db: AnyDatabase,
  schema: string,
  only: readonly string[] | undefined,
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf<{ view: string; query: string | null }>(db)`
    select table_name as view, view_definition as query
    from information_schema.views where table_schema = ${schema}${among(sql.id('table_name'), only)}`
  return new Map(rows.map(({ view, query }) => [view, query ?? '']))
}

/** Parses the query of a view; undefined unless each row of the view is a row of one table of this database. */
function queryOf(text: string, schema: string): ViewQuery | undefined {
  const query = readViewQuery(text)
  const isOwn = query?.schema === undefined || query.schema.toLowerCase() === schema.toLowerCase()
  return isOwn ? query : undefined
}
