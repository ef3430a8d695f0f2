// Reads the PostgreSQL catalogue: columns, keys, foreign keys, enum members, CHECK constraints, in a few statements. `introspect` makes models of
// the tables, the check at start-up compares them with models.

import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type {
  CatalogueColumn,
  CatalogueForeignKey,
  CatalogueTable,
  RowReader,
  TableKind,
} from '../shared/catalogue.ts'
import { columnChecks } from '../shared/column-checks.ts'
import { constantDefault, jsonOfConstant } from '../shared/default-value.ts'
import { deleteRule } from '../shared/delete-rule.ts'
import { partialKey } from '../shared/partial-key.ts'
import { projectionOf } from '../shared/projection.ts'
import { among } from '../shared/table-names.ts'
import { isTrue } from './catalogue-truth.ts'
import { viewTexts, withNotNullKeys } from './catalogue-views.ts'
import { type ConstraintRules, readPostgresChecks, rulesOf } from './postgres-catalogue-checks.ts'
import { postgresShape } from './postgres-catalogue-types.ts'

interface ColumnRow {
  readonly table: string
  /** `relkind`: r an ordinary table, p a partitioned one, v a view, m a materialised view, f a foreign table. */
  readonly kind: string
  /** False for a materialised view that cannot be read yet. */
  readonly populated: unknown
  /** Whether other tables inherit it, whose rows it shows too. */
  readonly parent: unknown
  /** Whether it is a partition of another table, belongs to an extension, and this user may read it. */
  readonly partition: unknown
  readonly extension: unknown
  readonly readable: unknown
  /** Null in a table without columns. */
  readonly column: string | null
  readonly column_readable: unknown
  /** The comment of the table. */
  readonly about: string | null
  /** The type as written; then the type of the column, and the one below its domains. */
  readonly declared: string
  readonly type_oid: string
  readonly base_oid: string
  readonly base_name: string
  readonly base_kind: string
  /** For an array: the base type of its items; null for other types. */
  readonly item_oid: string | null
  readonly item_name: string | null
  readonly item_kind: string | null
  /** Encodes length or digits (`DeclaredPostgresType.modifier`). */
  readonly modifier: unknown
  readonly not_null: unknown
  readonly identity: string
  readonly generated: string
  readonly default_value: string | null
  readonly code_point_order: unknown
  /** False for a collation by which different texts can be equal. */
  readonly deterministic: unknown
  readonly description: string | null
}

interface KeyRow {
  readonly table: string
  /** The oid of the index, and its name. */
  readonly key: string
  readonly name: string
  readonly primary: unknown
  readonly column: string
  /** The predicate of a partial index; null for other indexes. */
  readonly predicate: string | null
}

interface ForeignKeyRow {
  readonly table: string
  readonly key: string
  readonly column: string
  readonly target_schema: string
  readonly target_table: string
  readonly target_column: string
  readonly is_checked: unknown
  readonly delete_rule: string
}

/** Reads every table and view, or those named in `only`, of `schema` (default: the connection's current schema). */
export async function readPostgres(
  db: AnyDatabase,
  schema?: string,
  only?: readonly string[],
): Promise<CatalogueTable[]> {
  const name = await schemaName(db, schema)
  const oids = only && (await oidsOf(db, name, only))
  if (oids?.length === 0) return []
  const rows = await columnRows(db, name, oids)
  const columns = grouped(rows, (row) => row.table)
  const keys = grouped(await keyRows(db, name, oids), (row) => row.table)
  const foreignKeys = grouped(await foreignKeyRows(db, name, oids), (row) => row.table)
  const members = await enumMembers(db, enumsOf(rows))
  const views = await viewTexts(db, name, oids)
  const checks = await readPostgresChecks(db, name, oids)
  // The columns of a table or view, for `projectionOf`.
  const namesOf = (table: string) => {
    const rows = columns.get(table)
    return rows && { columns: rows.flatMap((row) => row.column ?? []) }
  }
  const tables = [...columns].map(([table, rows]): CatalogueTable => {
    // A query of a parent also gives the rows of the tables that inherit it, which its own indexes do not cover.
    const isParent = isTrue(rows[0]?.parent)
    const indexes = isParent ? [] : [...grouped(keys.get(table) ?? [], (row) => row.key).values()]
    const ofAllRows = indexes.filter((group) => group[0]?.predicate === null)
    const names = (group: readonly KeyRow[]): string[] => group.map((row) => row.column)
    const view = views.get(table)
    const query = view?.query
    const projection =
      query && projectionOf(query, namesOf(table) ?? { columns: [] }, namesOf(query.table))
    return {
      name: table,
      kind: kinds[rows[0]?.kind ?? ''],
      description: rows[0]?.about || undefined,
      projection,
      query: view?.text,
      unusable: whyUnusable(rows[0]),
      columns: rows.flatMap((row) => (row.column === null ? [] : [column(row, members, checks)])),
      whyNoKey: isParent
        ? 'its keys do not hold for the rows of tables that inherit it'
        : undefined,
      primaryKey: ofAllRows.filter((group) => isTrue(group[0]?.primary)).flatMap(names),
      uniqueKeys: ofAllRows.filter((group) => !isTrue(group[0]?.primary)).map(names),
      partialKeys: indexes.flatMap((group) => {
        const { name = '', predicate = null } = group[0] ?? {}
        return predicate === null ? [] : [partialKey(name, names(group), predicate)]
      }),
      foreignKeys: [...grouped(foreignKeys.get(table) ?? [], (row) => row.key).values()].map(
        (group) => foreignKey(group, name),
      ),
    }
  })
  return Promise.all(tables.map((table) => withNotNullKeys(db, name, table)))
}

/** By `relkind`. */
const kinds: Readonly<Record<string, TableKind>> = {
  v: 'view',
  m: 'materialised view',
  f: 'foreign table',
}

/** Returns why the table cannot be served; undefined if it can. */
function whyUnusable(row: ColumnRow | undefined): string | undefined {
  if (isTrue(row?.extension)) return 'belongs to an extension'
  if (isTrue(row?.partition)) return 'a partition of another table'
  if (!isTrue(row?.populated))
    return 'a materialised view that was never refreshed, so it cannot be read'
  if (!isTrue(row?.readable)) return 'this user may not read it'
  return undefined
}

/** Makes the column of a row of the catalogue. `members` are those of enum types, by oid. */
function column(
  row: ColumnRow,
  members: ReadonlyMap<string, readonly string[]>,
  rules: ConstraintRules,
): CatalogueColumn {
  const isReadable = isTrue(row.column_readable)
  const shape = isReadable
    ? postgresShape({
        name: row.base_name,
        kind: row.base_kind,
        modifier: Number(row.modifier),
        members: members.get(row.base_oid) ?? [],
        codePointOrder: isTrue(row.code_point_order),
        ...(row.item_name === null || row.item_oid === null
          ? {}
          : {
              item: {
                name: row.item_name,
                kind: row.item_kind ?? '',
                members: members.get(row.item_oid) ?? [],
              },
            }),
      })
    : undefined
  const sequence = row.default_value?.startsWith('nextval(') === true
  const readOnly = row.generated !== ''
  const hasDefault = row.default_value !== null && !sequence && !readOnly
  const name = row.column ?? ''
  const checks = columnChecks(
    {
      shape,
      isExact: isTrue(row.deterministic) && row.base_name !== 'citext',
      isSingle: row.base_name === 'float4',
      isPadded: row.base_name === 'bpchar',
    },
    rulesOf(rules, row.table, name, row.type_oid),
  )
  const constant = hasDefault ? constantDefault(row.default_value ?? '', 'plain') : undefined
  // PostgreSQL pads a shorter char(n) with spaces.
  const isPadded = row.base_name === 'bpchar' && constant?.text.length !== shape?.maxLength
  return {
    name,
    databaseType: row.declared,
    shape,
    nullable: !isTrue(row.not_null),
    generated: row.identity !== '' || sequence,
    hasDefault,
    databaseDefault: isPadded ? undefined : constant && jsonOfConstant(shape, constant),
    checks,
    readOnly,
    responsesLoseDigits: responsesLoseDigits(row.base_name, Number(row.modifier)),
    description: row.description ?? undefined,
    note: isReadable ? undefined : 'this user may not read it',
  }
}

/** Whether the type holds more digits of a second than responses show; without a modifier, it holds six. */
function responsesLoseDigits(type: string, modifier: number): boolean {
  const shown = { timestamp: 3, timestamptz: 3, time: 0 }[type]
  return shown !== undefined && (modifier < 0 || modifier > shown)
}

/** Makes the foreign key of its rows, one for each column. */
function foreignKey(rows: readonly ForeignKeyRow[], schema: string): CatalogueForeignKey {
  const first = rows[0]
  const target = first?.target_schema ?? schema
  return {
    columns: rows.map((row) => row.column),
    table: first?.target_table ?? '',
    references: rows.map((row) => row.target_column),
    unchecked: !isTrue(first?.is_checked),
    schema: target === schema ? undefined : target,
    onDelete: deleteRule(first?.delete_rule),
  }
}

/** Returns the name of the schema, or of the connection's current one if `schema` is undefined; throws if there is no such schema. */
export async function schemaName(db: AnyDatabase, schema: string | undefined): Promise<string> {
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

/** Reads the oids of the tables, so that the other statements can use indexes. */
async function oidsOf(
  db: AnyDatabase,
  schema: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await rowsOf<{ oid: string }>(db)`
    select c.oid::text as oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema}${among(sql.id('c', 'relname'), names)}`
  return rows.map(({ oid }) => oid)
}

/**
 * Uses `to_jsonb` for catalogue columns that only newer servers have, because a direct reference fails on older servers. Letters of the
 * catalogue: `typtype` d domain, e enum; `typcategory` A array, whose `typlen` is -1; `collprovider` d that of the database, b builtin,
 * c libc; `deptype` e belongs to an extension.
 */
const columnRows: RowReader<ColumnRow> = (db, schema, oids) => rowsOf<ColumnRow>(db)`
    with recursive base_type (oid, base, modifier, not_null) as (
      select oid, typbasetype, typtypmod, typnotnull from pg_type where typtype = 'd'
      union all
      select b.oid, t.typbasetype, case when b.modifier >= 0 then b.modifier else t.typtypmod end,
        b.not_null or t.typnotnull
      from base_type b join pg_type t on t.oid = b.base where t.typtype = 'd'
    ),
    domain (oid, base, modifier, not_null) as (
      select b.* from base_type b join pg_type t on t.oid = b.base where t.typtype <> 'd'
    ),
    locale (provider, name) as (
      select coalesce(to_jsonb(d) ->> 'datlocprovider', 'c'), d.datcollate
      from pg_database d where d.datname = current_database()
    )
    select c.relname::text as "table", c.relkind::text as kind, c.relispopulated as populated,
      c.relispartition as partition,
      c.relkind <> 'p' and exists (select 1 from pg_inherits h where h.inhparent = c.oid) as parent,
      exists (select 1 from pg_depend e where e.classid = 'pg_class'::regclass
        and e.objid = c.oid and e.deptype = 'e') as extension,
      has_any_column_privilege(c.oid, 'select') as readable,
      a.attname::text as "column",
      has_column_privilege(c.oid, a.attnum, 'select') as column_readable,
      obj_description(c.oid, 'pg_class') as about,
      format_type(a.atttypid, a.atttypmod) as declared, a.atttypid::text as type_oid,
      t.oid::text as base_oid, t.typname::text as base_name, t.typtype::text as base_kind,
      i.oid::text as item_oid, i.typname::text as item_name, i.typtype::text as item_kind,
      case when a.atttypmod >= 0 then a.atttypmod else coalesce(b.modifier, -1) end as modifier,
      a.attnotnull or coalesce(b.not_null, false) as not_null,
      a.attidentity::text as identity, a.attgenerated::text as generated,
      coalesce(pg_get_expr(f.adbin, f.adrelid), case o.typtype when 'd' then o.typdefault end)
        as default_value,
      case
        when k.oid is null or k.collname in ('C', 'POSIX', 'ucs_basic') then true
        when k.collprovider = 'd' and l.provider = 'b' then true
        when k.collprovider = 'd' and l.provider = 'c' then l.name ~* '^(c|posix)([.]utf-?8)?$'
        when k.collprovider = 'b' then true
        when k.collprovider = 'c' then k.collcollate ~* '^(c|posix)([.]utf-?8)?$'
        else false
      end as code_point_order,
      coalesce(to_jsonb(k) ->> 'collisdeterministic', 'true')::boolean as deterministic,
      coalesce(
        col_description(c.oid, a.attnum),
        case when o.typtype in ('d', 'e') then obj_description(o.oid, 'pg_type') end,
        case when t.typtype = 'e' then obj_description(t.oid, 'pg_type') end
      ) as description
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join locale l
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_type o on o.oid = a.atttypid
    left join domain b on b.oid = a.atttypid
    left join pg_type t on t.oid = coalesce(b.base, a.atttypid)
    left join domain ib on ib.oid = t.typelem
    left join pg_type i on i.oid = coalesce(ib.base, t.typelem)
      and t.typcategory = 'A' and t.typlen = -1
    left join pg_collation k on k.oid = a.attcollation
    left join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'f')${among(sql.id('c', 'oid'), oids)}
    order by c.relname, a.attnum`

/** Excludes indexes on expressions, which are not unique for the whole column. */
const keyRows: RowReader<KeyRow> = (db, schema, oids) => rowsOf<KeyRow>(db)`
    select c.relname::text as "table", i.indexrelid::text as key, i.indisprimary as primary,
      x.relname::text as name, a.attname::text as "column",
      pg_get_expr(i.indpred, i.indrelid) as predicate
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_class x on x.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral unnest(i.indkey) with ordinality k (attnum, position)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
    where n.nspname = ${schema} and i.indisunique and i.indisvalid and i.indexprs is null
      and k.position <= i.indnkeyatts${among(sql.id('i', 'indrelid'), oids)}
    order by c.relname, i.indexrelid, k.position`

const foreignKeyRows: RowReader<ForeignKeyRow> = (db, schema, oids) => rowsOf<ForeignKeyRow>(db)`
    select c.relname::text as "table", o.conname::text as key, a.attname::text as "column",
      tn.nspname::text as target_schema, tc.relname::text as target_table,
      ta.attname::text as target_column, o.convalidated as is_checked,
      case o.confdeltype when 'c' then 'cascade' when 'n' then 'set null' else 'restrict' end as delete_rule
    from pg_constraint o
    join pg_class c on c.oid = o.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_class tc on tc.oid = o.confrelid
    join pg_namespace tn on tn.oid = tc.relnamespace
    cross join lateral unnest(o.conkey, o.confkey) with ordinality k (attnum, target, position)
    join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.attnum
    join pg_attribute ta on ta.attrelid = o.confrelid and ta.attnum = k.target
    where n.nspname = ${schema} and o.contype = 'f' and o.conparentid = 0${among(sql.id('o', 'conrelid'), oids)}
    order by c.relname, o.oid, k.position`

/** The oids of the enum types of columns, or of the items of arrays. */
const enumsOf = (rows: readonly ColumnRow[]): readonly string[] => [
  ...new Set(
    rows.flatMap(({ base_kind: kind, base_oid: oid, item_kind: items, item_oid: item }) => [
      ...(kind === 'e' ? [oid] : []),
      ...(items === 'e' && item !== null ? [item] : []),
    ]),
  ),
]

/** Reads the members of enum types, by oid. */
async function enumMembers(
  db: AnyDatabase,
  types: readonly string[],
): Promise<Map<string, string[]>> {
  if (types.length === 0) return new Map()
  const rows = await rowsOf<{ type: string; label: string }>(db)`
    select enumtypid::text as type, enumlabel::text as label from pg_enum
    where enumtypid::text in (${sql.join(types)}) order by enumtypid, enumsortorder`
  const labels = [...grouped(rows, (row) => row.type)]
  return new Map(labels.map(([type, group]) => [type, group.map((row) => row.label)]))
}
