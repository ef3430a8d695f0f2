// Reads the PostgreSQL catalogue: columns, keys, foreign keys, enum members, in four statements.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { rowsOf } from '../../sql/statement.ts'
import {
  type CatalogueColumn,
  type CatalogueForeignKey,
  type CatalogueTable,
  grouped,
} from '../shared/catalogue.ts'
import { postgresShape } from './catalogue-types.ts'

interface ColumnRow {
  readonly table: string
  readonly kind: string
  readonly partition: unknown
  readonly extension: unknown
  readonly readable: unknown
  /** Null in a table without columns. */
  readonly column: string | null
  readonly column_readable: unknown
  readonly declared: string
  readonly base_oid: string
  readonly base_name: string
  readonly base_kind: string
  readonly modifier: unknown
  readonly not_null: unknown
  readonly identity: string
  readonly generated: string
  readonly default_value: string | null
  readonly code_point_order: unknown
  readonly description: string | null
}

interface KeyRow {
  readonly table: string
  readonly key: string
  readonly primary: unknown
  readonly column: string
}

interface ForeignKeyRow {
  readonly table: string
  readonly key: string
  readonly column: string
  readonly target_schema: string
  readonly target_table: string
  readonly target_column: string
}

/** Every relation of one schema; without a name, of the schema that unqualified names resolve to. */
export async function readPostgres(db: AnyDatabase, schema?: string): Promise<CatalogueTable[]> {
  const name = await schemaName(db, schema)
  const columns = grouped(await columnRows(db, name), (row) => row.table)
  const keys = grouped(await keyRows(db, name), (row) => row.table)
  const foreignKeys = grouped(await foreignKeyRows(db, name), (row) => row.table)
  const members = await enumMembers(db)
  return [...columns].map(([table, rows]) => {
    const own = [...grouped(keys.get(table) ?? [], (row) => row.key).values()]
    const names = (group: readonly KeyRow[]): string[] => group.map((row) => row.column)
    const unusable = whyUnusable(rows[0])
    return {
      name: table,
      ...(unusable === undefined ? {} : { unusable }),
      columns: rows.flatMap((row) => (row.column === null ? [] : [column(row, members)])),
      primaryKey: own.filter((group) => isTrue(group[0]?.primary)).flatMap(names),
      uniqueKeys: own.filter((group) => !isTrue(group[0]?.primary)).map(names),
      foreignKeys: [...grouped(foreignKeys.get(table) ?? [], (row) => row.key).values()].map(
        (group) => foreignKey(group, name),
      ),
    }
  })
}

/** Accepts text, because drivers can be configured to return every value as text. */
const isTrue = (value: unknown): boolean => value === true || value === 't' || value === 'true'

function whyUnusable(row: ColumnRow | undefined): string | undefined {
  if (isTrue(row?.extension)) return 'belongs to an extension'
  if (isTrue(row?.partition)) return 'a partition of another table'
  if (row?.kind === 'v' || row?.kind === 'm') return 'a view, which has no primary key'
  if (row?.kind === 'f') return 'a foreign table, which has no primary key'
  if (!isTrue(row?.readable)) return 'this user may not read it'
  return undefined
}

function column(row: ColumnRow, members: ReadonlyMap<string, readonly string[]>): CatalogueColumn {
  const shape = isTrue(row.column_readable)
    ? postgresShape({
        name: row.base_name,
        kind: row.base_kind,
        modifier: Number(row.modifier),
        members: members.get(row.base_oid) ?? [],
        codePointOrder: isTrue(row.code_point_order),
      })
    : undefined
  const sequence = row.default_value?.startsWith('nextval(') === true
  const readOnly = row.generated !== ''
  return {
    name: row.column ?? '',
    declared: row.declared,
    shape,
    nullable: !isTrue(row.not_null),
    generated: row.identity !== '' || sequence,
    hasDefault: row.default_value !== null && !sequence && !readOnly,
    readOnly,
    ...(row.description === null ? {} : { description: row.description }),
    ...(isTrue(row.column_readable) ? {} : { note: 'this user may not read it' }),
  }
}

function foreignKey(rows: readonly ForeignKeyRow[], schema: string): CatalogueForeignKey {
  const first = rows[0]
  const target = first?.target_schema ?? schema
  return {
    columns: rows.map((row) => row.column),
    table: first?.target_table ?? '',
    references: rows.map((row) => row.target_column),
    ...(target === schema ? {} : { schema: target }),
  }
}

async function schemaName(db: AnyDatabase, schema: string | undefined): Promise<string> {
  const rows = await rowsOf<{ name: string; current: unknown }>(db)`
    select nspname::text as name, nspname = current_schema() as current from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`
  const found = rows.find((row) =>
    schema === undefined ? isTrue(row.current) : row.name === schema,
  )
  if (found !== undefined) return found.name
  const known = rows.map((row) => `"${row.name}"`).join(', ')
  throw new Error(
    schema === undefined
      ? `The connection has no current schema. Name one with the "schema" option: ${known}.`
      : `There is no schema "${schema}". This user sees: ${known}.`,
  )
}

/** `to_jsonb` reads catalogue members that only newer servers have without failing on older ones. */
async function columnRows(db: AnyDatabase, schema: string): Promise<ColumnRow[]> {
  return rowsOf<ColumnRow>(db)`
    with recursive base_type (oid, base, modifier, not_null) as (
      select oid, oid, -1, false from pg_type where typtype <> 'd'
      union all
      select t.oid, b.base, case when t.typtypmod >= 0 then t.typtypmod else b.modifier end,
        t.typnotnull or b.not_null
      from pg_type t join base_type b on b.oid = t.typbasetype where t.typtype = 'd'
    ),
    locale (provider, name) as (
      select coalesce(to_jsonb(d) ->> 'datlocprovider', 'c'), d.datcollate
      from pg_database d where d.datname = current_database()
    )
    select c.relname::text as "table", c.relkind::text as kind, c.relispartition as partition,
      exists (select 1 from pg_depend e where e.classid = 'pg_class'::regclass
        and e.objid = c.oid and e.deptype = 'e') as extension,
      has_any_column_privilege(c.oid, 'select') as readable,
      a.attname::text as "column",
      has_column_privilege(c.oid, a.attnum, 'select') as column_readable,
      format_type(a.atttypid, a.atttypmod) as declared,
      b.base::text as base_oid, t.typname::text as base_name, t.typtype::text as base_kind,
      case when a.atttypmod >= 0 then a.atttypmod else b.modifier end as modifier,
      a.attnotnull or b.not_null as not_null,
      a.attidentity::text as identity, a.attgenerated::text as generated,
      pg_get_expr(f.adbin, f.adrelid) as default_value,
      case
        when k.oid is null or k.collname in ('C', 'POSIX', 'ucs_basic') then true
        when k.collprovider = 'd' and l.provider = 'b' then true
        when k.collprovider = 'd' and l.provider = 'c' then l.name ~* '^(c|posix)([.]utf-?8)?$'
        when k.collprovider = 'b' then true
        when k.collprovider = 'c' then k.collcollate ~* '^(c|posix)([.]utf-?8)?$'
        else false
      end as code_point_order,
      col_description(c.oid, a.attnum) as description
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join locale l
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join base_type b on b.oid = a.atttypid
    left join pg_type t on t.oid = b.base
    left join pg_collation k on k.oid = a.attcollation
    left join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    order by c.relname, a.attnum`
}

/** Excludes partial indexes and indexes on expressions, which are not unique for the whole column. */
async function keyRows(db: AnyDatabase, schema: string): Promise<KeyRow[]> {
  return rowsOf<KeyRow>(db)`
    select c.relname::text as "table", i.indexrelid::text as key, i.indisprimary as primary,
      a.attname::text as "column"
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral unnest(i.indkey) with ordinality k (attnum, position)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
    where n.nspname = ${schema} and i.indisunique and i.indisvalid and i.indpred is null
      and i.indexprs is null and k.position <= i.indnkeyatts
    order by c.relname, i.indexrelid, k.position`
}

async function foreignKeyRows(db: AnyDatabase, schema: string): Promise<ForeignKeyRow[]> {
  return rowsOf<ForeignKeyRow>(db)`
    select c.relname::text as "table", o.conname::text as key, a.attname::text as "column",
      tn.nspname::text as target_schema, tc.relname::text as target_table,
      ta.attname::text as target_column
    from pg_constraint o
    join pg_class c on c.oid = o.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_class tc on tc.oid = o.confrelid
    join pg_namespace tn on tn.oid = tc.relnamespace
    cross join lateral unnest(o.conkey, o.confkey) with ordinality k (attnum, target, position)
    join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.attnum
    join pg_attribute ta on ta.attrelid = o.confrelid and ta.attnum = k.target
    where n.nspname = ${schema} and o.contype = 'f' and o.conparentid = 0
    order by c.relname, o.oid, k.position`
}

async function enumMembers(db: AnyDatabase): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ type: string; label: string }>(db)`
    select enumtypid::text as type, enumlabel::text as label from pg_enum
    order by enumtypid, enumsortorder`
  const labels = [...grouped(rows, (row) => row.type)]
  return new Map(labels.map(([type, group]) => [type, group.map((row) => row.label)]))
}
