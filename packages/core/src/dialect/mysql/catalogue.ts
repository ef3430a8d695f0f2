// Reads the MySQL or MariaDB catalogue: columns, unique keys, foreign keys, json checks, in a few statements.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { rowsOf } from '../../sql/statement.ts'
import {
  type CatalogueColumn,
  type CatalogueForeignKey,
  type CatalogueTable,
  grouped,
} from '../shared/catalogue.ts'
import { mysqlShape } from './catalogue-types.ts'

/** Aliases everywhere: servers differ in the case of the catalogue's own column names. */
interface ColumnRow {
  readonly table_name: string
  readonly kind: string
  /** Null in a relation whose columns this user may not see. */
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
}

interface KeyRow {
  readonly table_name: string
  readonly key_name: string
  /** Null for an index over an expression. */
  readonly column_name: string | null
  /** Set for an index over the beginning of a text. */
  readonly prefix: unknown
}

interface ForeignKeyRow {
  readonly table_name: string
  readonly key_name: string
  readonly column_name: string
  readonly target_schema: string
  readonly target_table: string
  readonly target_column: string
}

/** Every table of one database; without a name, of the one the connection is in. */
export async function readMysql(db: AnyDatabase, schema?: string): Promise<CatalogueTable[]> {
  const { name, maria } = await whereWeAre(db, schema)
  const columns = grouped(await columnRows(db, name), (row) => row.table_name)
  if (columns.size === 0 && schema !== undefined) await mustExist(db, schema)
  const keys = grouped(await keyRows(db, name), (row) => row.table_name)
  const foreignKeys = grouped(await foreignKeyRows(db, name), (row) => row.table_name)
  const json = await (maria ? mariadbJsonChecks : mysqlJsonChecks)(db, name)
  return [...columns].map(([table, rows]) => {
    const own = [...grouped(keys.get(table) ?? [], (row) => row.key_name)].filter(([, group]) =>
      group.every((row) => row.column_name !== null && row.prefix === null),
    )
    const names = ([, group]: [string, KeyRow[]]): string[] =>
      group.flatMap((row) => row.column_name ?? [])
    const unusable = whyUnusable(rows[0])
    return {
      name: table,
      ...(unusable === undefined ? {} : { unusable }),
      columns: rows.flatMap((row) => (row.column_name === null ? [] : [column(row, json, maria)])),
      primaryKey: own.filter(([key]) => key === 'PRIMARY').flatMap(names),
      uniqueKeys: own.filter(([key]) => key !== 'PRIMARY').map(names),
      foreignKeys: [...grouped(foreignKeys.get(table) ?? [], (row) => row.key_name).values()].map(
        (group) => foreignKey(group, name),
      ),
    }
  })
}

function whyUnusable(row: ColumnRow | undefined): string | undefined {
  if (row?.kind.endsWith('VIEW')) return 'a view, which has no primary key'
  if (row?.column_name === null) return 'this user may not see its columns'
  return undefined
}

function column(row: ColumnRow, json: ReadonlySet<string>, maria: boolean): CatalogueColumn {
  const extra = row.extra.toLowerCase()
  const name = row.column_name ?? ''
  const sequence = /^nextval\(/i.test(row.default_value ?? '')
  const readOnly = /\b(?:virtual|stored|persistent) generated\b/.test(extra)
  // MariaDB writes the absence of a default on a nullable column as the word NULL, and quotes texts; MySQL does neither.
  const hasDefault = row.default_value !== null && !(maria && row.default_value === 'NULL')
  return {
    name,
    declared: row.full_type,
    shape: mysqlShape({
      name: row.data_type.toLowerCase(),
      full: row.full_type,
      length: numberOrNull(row.length),
      precision: numberOrNull(row.digits),
      scale: numberOrNull(row.scale),
      collation: row.collation,
      json: json.has(`${row.table_name}\0${name}`),
    }),
    nullable: row.is_nullable === 'YES',
    generated: extra.includes('auto_increment') || sequence,
    hasDefault: hasDefault && !sequence && !readOnly,
    readOnly,
    ...(row.comment === '' ? {} : { description: row.comment }),
  }
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

function foreignKey(rows: readonly ForeignKeyRow[], schema: string): CatalogueForeignKey {
  const first = rows[0]
  const target = first?.target_schema ?? schema
  return {
    columns: rows.map((row) => row.column_name),
    table: first?.target_table ?? '',
    references: rows.map((row) => row.target_column),
    ...(target.toLowerCase() === schema.toLowerCase() ? {} : { schema: target }),
  }
}

async function whereWeAre(
  db: AnyDatabase,
  schema: string | undefined,
): Promise<{ name: string; maria: boolean }> {
  const rows = await rowsOf<{ name: string | null; version: string }>(db)`
    select database() as name, version() as version`
  const name = schema ?? rows[0]?.name ?? null
  if (name === null) {
    throw new Error(
      'The connection is in no database. Name one in the connection or with the "schema" option.',
    )
  }
  return { name, maria: /mariadb/i.test(rows[0]?.version ?? '') }
}

async function mustExist(db: AnyDatabase, schema: string): Promise<void> {
  const rows = await rowsOf<{ name: string }>(db)`
    select schema_name as name from information_schema.schemata
    where schema_name not in ('information_schema', 'performance_schema', 'mysql', 'sys')
    order by 1`
  if (rows.some((row) => row.name.toLowerCase() === schema.toLowerCase())) return
  const known = rows.map((row) => `"${row.name}"`).join(', ')
  throw new Error(`There is no database "${schema}". This user sees: ${known}.`)
}

async function columnRows(db: AnyDatabase, schema: string): Promise<ColumnRow[]> {
  return rowsOf<ColumnRow>(db)`
    select t.table_name as table_name, t.table_type as kind, c.column_name as column_name,
      c.data_type as data_type, c.column_type as full_type,
      c.character_maximum_length as length, c.numeric_precision as digits,
      c.numeric_scale as scale, c.collation_name as collation, c.is_nullable as is_nullable,
      c.column_default as default_value, c.extra as extra, c.column_comment as comment
    from information_schema.tables t
    left join information_schema.columns c
      on c.table_schema = t.table_schema and c.table_name = t.table_name
    where t.table_schema = ${schema} and t.table_type <> 'SEQUENCE'
    order by t.table_name, c.ordinal_position`
}

async function keyRows(db: AnyDatabase, schema: string): Promise<KeyRow[]> {
  return rowsOf<KeyRow>(db)`
    select table_name as table_name, index_name as key_name, column_name as column_name,
      sub_part as prefix
    from information_schema.statistics
    where table_schema = ${schema} and non_unique = 0
    order by table_name, index_name, seq_in_index`
}

async function foreignKeyRows(db: AnyDatabase, schema: string): Promise<ForeignKeyRow[]> {
  return rowsOf<ForeignKeyRow>(db)`
    select table_name as table_name, constraint_name as key_name, column_name as column_name,
      referenced_table_schema as target_schema, referenced_table_name as target_table,
      referenced_column_name as target_column
    from information_schema.key_column_usage
    where table_schema = ${schema} and referenced_table_name is not null
    order by table_name, constraint_name, ordinal_position`
}

interface CheckRow {
  readonly table_name: string
  readonly clause: string
}

/** `table\0column` of every column with the check that MariaDB's json type stands for. */
async function mariadbJsonChecks(db: AnyDatabase, schema: string): Promise<Set<string>> {
  const rows = await rowsOf<CheckRow>(db)`
    select table_name as table_name, check_clause as clause
    from information_schema.check_constraints
    where constraint_schema = ${schema} and check_clause like 'json_valid(%'`
  return columnsOf(rows)
}

/** The same check on MySQL, where a text keeps the numbers that the type json rewrites. */
async function mysqlJsonChecks(db: AnyDatabase, schema: string): Promise<Set<string>> {
  const rows = await rowsOf<CheckRow>(db)`
    select t.table_name as table_name, c.check_clause as clause
    from information_schema.check_constraints c
    join information_schema.table_constraints t
      on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
    where c.constraint_schema = ${schema} and t.constraint_type = 'CHECK'
      and c.check_clause like 'json_valid(%'`
  return columnsOf(rows)
}

function columnsOf(checks: readonly CheckRow[]): Set<string> {
  return new Set(
    checks.flatMap((row) => {
      const name = /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec(row.clause)?.[1]
      return name === undefined ? [] : [`${row.table_name}\0${name.replaceAll('``', '`')}`]
    }),
  )
}
