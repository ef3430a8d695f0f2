// Reads how PostgreSQL's columns are declared and collated (lookUpPostgresFacts), and settings of the pool that deserve a warning
// (settingsAdvice), when the dialect connects. The SQL of `postgres-dialect.ts` depends on it. All look-ups write names by quotedName.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type TableName, tableKey } from '../../lib/sql/table-name.ts'
import type { DialectColumn, DialectTable } from '../../model/dialect-column.ts'
import type { Held } from '../internal-dialect.ts'
import { type Lacks, lackingIn } from './postgres-encoding.ts'
import { classifyPostgres } from './postgres-errors.ts'

/**
 * `codePoint`: the column's collation orders by code point, so plain operators are correct and can use its index.
 * `loose`: different texts can be equal (citext, non-deterministic collations).
 */
export type Collates = 'codePoint' | 'loose'

/** What `connect` has read of the database and of the columns. */
export interface PostgresFacts {
  /** Undefined for a collation that is neither, such as `en_US`, and for a column that is no text or not known. */
  readonly collates: (column: DialectColumn) => Collates | undefined
  /** Undefined for a column that the catalogue does not have: a computed one, or any before `connect`. */
  readonly declared: (column: DialectColumn) => DeclaredType | undefined
  /** The default of a column, if it is the call of a function without arguments. */
  readonly defaultOf: (column: DialectColumn) => Fragment | undefined
  /** Whether this role can lock every row of the table that it can read. */
  readonly locks: (table: TableName) => boolean
  /** Where a column is stored, if it is the first column of a B-tree index over all rows. */
  readonly indexed: (column: DialectColumn) => StoredColumn | undefined
  /** Whether the encoding of the database lacks a character of a text; undefined if it has all, or is not known. */
  readonly lacks?: Lacks | undefined
}

/** A column of a table, by its names in the database. */
export interface StoredColumn {
  readonly table: TableName
  readonly dbName: string
}

/** The type of a column. */
export interface DeclaredType {
  /** Its catalogue name, such as `int4`. */
  readonly name: string
  /** The type below domains and arrays. */
  readonly base: string
  /** The scale of a `numeric` that has one; undefined for all other types. */
  readonly scale: number | undefined
  /** What its values, or the items of its arrays, are rounded or cut to. */
  readonly held: Held
  /**
   * What decides which of its texts are equal: the type, if it has rules of its own, and the collation. Only compared with that of others.
   */
  readonly collated?: string
  /** Its own collation, if it is not the default one of the database. */
  readonly collation?: Fragment
  /** For a domain over an enum: the cast to the enum, because PostgreSQL compares enums, but not domains over them. */
  readonly asEnum?: Fragment
  /** For a PostGIS type: the schema that contains `st_astext`, because a cast to text would give hexadecimal bytes. */
  readonly geometry?: string
}

/** The facts before `connect` has read any. */
export const unknownPostgresFacts: PostgresFacts = {
  collates: () => undefined,
  declared: () => undefined,
  defaultOf: () => undefined,
  locks: () => false,
  indexed: () => undefined,
}

/** Warnings about settings of the user's pool with which a single query can hold a connection for a long time. */
export async function settingsAdvice(db: AnyDatabase): Promise<readonly string[]> {
  const rows = await rowsOf<{ timeout: unknown; jit: unknown }>(db)`
    select current_setting('statement_timeout') as timeout, current_setting('jit', true) as jit`
  const advice: string[] = []
  if (rows[0]?.timeout === '0') {
    advice.push(
      'statement_timeout is 0 on this connection: a slow query runs until it ends. Set it where the pool is made, ' +
        "such as new Pool({ statement_timeout: 5000 }), or for the role: alter role app set statement_timeout = '5s'.",
    )
  }
  if (rows[0]?.jit === 'on') {
    advice.push(
      'jit is on on this connection: PostgreSQL compiles the plans of long queries, which takes seconds and does not stop ' +
        "at statement_timeout. Switch it off where the pool is made, such as new Pool({ options: '-c jit=off' }), or for " +
        'the role: alter role app set jit = off.',
    )
  }
  return advice
}

/** A column. Letters of the catalogue: `typtype` d domain, e enum; `typcategory` A array; `relkind` r table, p partitioned table. */
interface Declared {
  /** The number of its table in the list, from 1. */
  readonly i: unknown
  /** The name of the column. */
  readonly c: unknown
  readonly type: unknown
  /** Encodes the length of a text or the digits of a number; -1 if there are none. */
  readonly modifier: unknown
  /** The type below domains and arrays, and its modifier. */
  readonly base: unknown
  readonly base_modifier: unknown
  /** The schema of the enum type below domains. */
  readonly enum_schema: unknown
  /** The collation. Its schema is null for the default one of the database. */
  readonly name: unknown
  readonly collation_schema: unknown
  readonly deterministic: unknown
  /** b builtin, c libc, i ICU. */
  readonly provider: unknown
  readonly locale: unknown
  /** The schema of `st_astext`, for a PostGIS type. */
  readonly geometry: unknown
  readonly own_default: unknown
  /** The schema of the function that the default calls. */
  readonly default_schema: unknown
  readonly locks: unknown
  readonly indexed: unknown
}

// Bits of pg_trigger.tgtype: FOR EACH ROW, BEFORE, INSERT.
const insertBeforeRow = 1 | 2 | 4

/** A pattern in the source of a trigger function that sets the whole new row. */
const setsRow = '\\ynew\\s*:?=|\\yinto\\s+(strict\\s+)?new\\y'

/**
 * The schema of the function that a default calls; null if the role may not call it by name, or may not insert the column, both of which
 * an INSERT that leaves the column out does not need, or if a trigger may store another value. The catalogue lists the functions of a
 * default as its dependencies, but for those of the server. Looking for the name would be an error in a schema that the role may not use.
 */
const calledFunction = sql`(select n.nspname::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.proname = substring(e.own_default from '^[(]?(?:[a-z0-9_]+[.])?([a-z0-9_]+)[(][)]')
    and (n.nspname = 'pg_catalog' or exists (select from pg_depend o
      where o.classid = 'pg_attrdef'::regclass and o.objid = f.oid and o.refclassid = 'pg_proc'::regclass and o.refobjid = p.oid))
    and has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
    and has_column_privilege(a.attrelid, a.attnum, 'insert')
    and not exists (select from pg_trigger g join pg_proc b on b.oid = g.tgfoid join pg_language l on l.oid = b.prolang
      where g.tgrelid = a.attrelid and not g.tgisinternal and g.tgtype & ${insertBeforeRow} = ${insertBeforeRow}
        and (l.lanname <> 'plpgsql' or strpos(lower(b.prosrc), lower(a.attname)) > 0 or b.prosrc ~* ${setsRow}))
  order by n.nspname = 'pg_catalog' limit 1)`

/**
 * Whether the role can lock the rows of a column's table, for which it needs the right to update one of the columns. Row security may
 * hide rows from locks that it shows to reads, and a lock of a view depends on its query.
 */
const locksTable = sql`(select c.relkind in ('r', 'p') and not c.relrowsecurity and has_any_column_privilege(c.oid, 'update')
  from pg_class c where c.oid = a.attrelid)`

/** Whether a B-tree index over all rows begins with the column. */
const leadsIndex = sql`exists (select from pg_index x join pg_class o on o.oid = x.indexrelid join pg_am m on m.oid = o.relam
  where x.indrelid = a.attrelid and x.indkey[0] = a.attnum and x.indpred is null and x.indisvalid and m.amname = 'btree')`

/**
 * The type below each domain and array, of which each may consist of the other, and its modifier; null for that of the column. One
 * row for each type, as the planner knows by DISTINCT; for a plan that may have many rows, PostgreSQL would compile it.
 */
const baseTypes = sql`(with recursive part (oid, base, modifier) as (
    select p.oid, p.oid, null::int from pg_type p where p.typtype = 'd' or p.typcategory = 'A'
    union all
    select part.oid, case when p.typtype = 'd' then p.typbasetype else p.typelem end, case when p.typtype = 'd' then p.typtypmod else part.modifier end
    from part join pg_type p on p.oid = part.base where p.typtype = 'd' or p.typcategory = 'A')
  select distinct on (part.oid) part.oid, p.typname::text as base, part.modifier,
    case when p.typtype = 'e' then (select n.nspname::text from pg_namespace n where n.oid = p.typnamespace) end as enum_schema from part join pg_type p on p.oid = part.base
  where p.typtype <> 'd' and p.typcategory <> 'A')`

/** Reads the facts of the columns; none if the server only speaks PostgreSQL's protocol and has other catalogues. */
export async function lookUpPostgresFacts(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<PostgresFacts> {
  if (tables.length === 0) return unknownPostgresFacts
  const names = JSON.stringify(tables.map(({ schema, table }) => quotedName(schema, table)))
  // Reads rows by to_jsonb, because older servers lack some of the catalogue's columns.
  const found = rowsOf<Declared>(db)`
    select t.i as i, a.attname::text as c, y.typname::text as type, a.atttypmod as modifier, coalesce(b.base, y.typname::text) as base, coalesce(b.modifier, a.atttypmod) as base_modifier,
      case when y.typtype = 'd' and y.typcategory <> 'A' then b.enum_schema end as enum_schema, k.collname::text as name,
      case when k.collprovider <> 'd' then (select n.nspname::text from pg_namespace n where n.oid = k.collnamespace) end as collation_schema,
      to_jsonb(k) ->> 'collisdeterministic' as deterministic,
      coalesce(to_jsonb(case when k.collprovider <> 'd' then k end) ->> 'collprovider', to_jsonb(d) ->> 'datlocprovider', 'c') as provider,
      case when k.collprovider <> 'd' then to_jsonb(k) ->> 'collcollate' else d.datcollate::text end as locale,
      case when y.typname in ('geometry', 'geography') then
        (select n.nspname::text from pg_namespace n where n.oid = y.typnamespace
          and exists (select 1 from pg_proc p where p.pronamespace = n.oid and p.proname = 'st_astext')) end as geometry,
      e.own_default, ${calledFunction} as default_schema, ${locksTable} as locks, ${leadsIndex} as indexed
    from jsonb_array_elements_text(${names}::text::jsonb) with ordinality as t(name, i)
    join pg_attribute a on a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    left join ${baseTypes} b on b.oid = y.oid
    left join pg_collation k on k.oid = a.attcollation
    left join pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
    cross join lateral (select pg_get_expr(f.adbin, f.adrelid) as own_default) e
    cross join (select * from pg_database where datname = current_database()) d`
  const rows = await found.catch((error: unknown) => {
    if (classifyPostgres(error).kind === 'other') return []
    throw error
  })
  const declared = new Map(rows.map((row) => [`${row.i} ${row.c}`, row]))
  const collations = new Map<DialectColumn, Collates>()
  const types = new Map<DialectColumn, DeclaredType>()
  const defaults = new Map<DialectColumn, Fragment>()
  const locked = new Set<string>()
  const indexed = new Map<DialectColumn, StoredColumn>()
  tables.forEach(({ schema, table, columns }, i) => {
    for (const column of columns) {
      const row = declared.get(`${i + 1} ${column.dbName}`)
      if (row === undefined || column.computed !== undefined) continue
      types.set(column, typeOf(row))
      if (row.locks === true) locked.add(tableKey({ schema, table }))
      if (row.indexed === true)
        indexed.set(column, { table: { schema, table }, dbName: column.dbName })
      const call = calledBy(row)
      if (call !== undefined) defaults.set(column, call)
      const collates = row.name === null ? undefined : collatesOf(row)
      if (collates !== undefined) collations.set(column, collates)
    }
  })
  return {
    collates: (column) => collations.get(column.inPlaceOf ?? column),
    declared(column) {
      const { inPlaceOf } = column
      if (inPlaceOf === undefined) return types.get(column)
      const type = types.get(inPlaceOf)
      // A value that a hook computes may have more digits than the stored ones.
      return type && { ...type, held: { ...type.held, digits: undefined } }
    },
    defaultOf: (column) => defaults.get(column),
    locks: (table) => locked.has(tableKey(table)),
    indexed: (column) => indexed.get(column),
    lacks: rows.length === 0 ? undefined : await lackingIn(db),
  }
}

const callWithoutArguments = /^(?:[a-z0-9_]+\.)?([a-z0-9_]+)\(\)$/

/** The call of a function without arguments, from a default such as `gen_random_uuid()` or `(extensions.uuid_generate_v4())::text`. */
function calledBy({ own_default, default_schema }: Declared): Fragment | undefined {
  const text = String(own_default ?? '').replace(
    /^\((.*)\)::(?:text|character varying|uuid)$/,
    '$1',
  )
  const name = callWithoutArguments.exec(text)?.[1]
  // With its schema, because a later connection may have another search_path.
  return name === undefined || typeof default_schema !== 'string'
    ? undefined
    : sql`${sql.id(default_schema, name)}()::text`
}

const momentTypes: ReadonlySet<string> = new Set(['timestamp', 'timestamptz', 'time'])

function typeOf({
  type,
  modifier,
  base,
  base_modifier,
  enum_schema,
  geometry,
  name,
  collation_schema,
}: Declared): DeclaredType {
  return {
    name: String(type),
    base: String(base),
    scale: scaleOf(String(type), Number(modifier)),
    held: heldBy(String(base), Number(base_modifier)),
    ...(typeof enum_schema === 'string'
      ? { asEnum: sql`::${sql.id(enum_schema, String(base))}` }
      : {}),
    ...(typeof geometry === 'string' ? { geometry } : {}),
    collated: `${type === 'citext' || type === 'bpchar' ? type : ''} ${collation_schema} ${name}`,
    ...(typeof collation_schema === 'string'
      ? { collation: sql.id(collation_schema, String(name)) }
      : {}),
  }
}

/** The modifier of a `numeric` encodes its precision and scale; it is -1 if the type has none. */
const scaleOf = (type: string, modifier: number): number | undefined =>
  type === 'numeric' && modifier >= 4 ? (((modifier - 4) & 0x7ff) ^ 0x400) - 0x400 : undefined

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The modifier of a `timestamp` is its digits, that of a text contains its length. */
function heldBy(type: string, modifier: number): Held {
  const digits = momentTypes.has(type) && modifier >= 0 ? modifier : scaleOf(type, modifier)
  switch (type) {
    case 'varchar':
    case 'bpchar':
      return {
        length: modifier >= 4 ? modifier - 4 : undefined,
        losesBlanks: type === 'bpchar',
      }
    // The server's type for its own names, which have at most 63 bytes.
    case 'name':
      return { bytes: { most: 63, of: bytesOf }, cutsTexts: true }
    case 'char':
      return { bytes: { most: 1, of: bytesOf }, cutsTexts: true }
    case 'float4':
      return { floatDigits: 9 }
    default:
      return { digits }
  }
}

function collatesOf({
  type,
  name,
  deterministic,
  provider,
  locale,
}: Declared): Collates | undefined {
  // char(n) ignores trailing blanks; citext ignores case.
  if (type === 'citext' || type === 'bpchar' || deterministic === 'false') return 'loose'
  if (name === 'C' || name === 'POSIX' || name === 'ucs_basic') return 'codePoint'
  // The `builtin` collation provider orders by code point.
  if (provider === 'b') return 'codePoint'
  return provider === 'c' && (locale === 'C' || locale === 'POSIX') ? 'codePoint' : undefined
}

/** The quoted name of a table or column: `"stock"."books"`; parts that are undefined are left out. */
export function quotedName(...names: readonly (string | undefined)[]): string {
  const given = names.filter((name) => name !== undefined)
  return given.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
}
