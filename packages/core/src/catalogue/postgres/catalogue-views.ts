// Reads views of PostgreSQL: their queries, which views show rows of one table, and which columns of materialised views contain no NULL.

import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { among } from '../shared/table-names.ts'
import { readViewQuery, type ViewQuery } from '../shared/view-query.ts'
import { isTrue } from './catalogue-truth.ts'

interface ViewRow {
  readonly view: string
  readonly query: string
  /**
   * Whether PostgreSQL could update its rows by itself: 4 in `pg_relation_is_updatable` is UPDATE, its `false` leaves out triggers, and no
   * rewrite rule of the host does it.
   */
  readonly simple: unknown
  readonly source_schema: string
  readonly source: string
}

/** The text of a view, and its parsed query; undefined unless each row of the view is a row of one table of the schema. */
export interface ViewText {
  readonly text: string
  readonly query: ViewQuery | undefined
}

/**
 * Reads the queries of views and materialised views. Parses only those of views that PostgreSQL could update by itself, which excludes
 * set-returning functions. A table name without a schema in a query is one of the relations that the view depends on.
 */
export async function viewTexts(
  db: AnyDatabase,
  schema: string,
  oids?: readonly string[],
): Promise<ReadonlyMap<string, ViewText>> {
  const rows = await rowsOf<ViewRow>(db)`
    select distinct c.relname::text as view, pg_get_viewdef(c.oid) as query,
      c.relkind = 'v' and pg_relation_is_updatable(c.oid, false) & 4 = 4
        and not exists (select 1 from pg_rewrite o where o.ev_class = c.oid and o.rulename <> '_RETURN')
        as simple,
      sn.nspname::text as source_schema, s.relname::text as source
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
    left join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid
    left join pg_class s on s.oid = d.refobjid
    left join pg_namespace sn on sn.oid = s.relnamespace
    where n.nspname = ${schema} and c.relkind in ('v', 'm')${among(sql.id('c', 'oid'), oids)}
    order by 1`
  const texts = new Map<string, ViewText>()
  for (const [view, sources] of grouped(rows, (row) => row.view)) {
    const text = sources[0]?.query ?? ''
    texts.set(view, { text, query: queryOf(text, sources, schema) })
  }
  return texts
}

/**
 * Parses the query of a simple view whose table is in the schema; undefined for other views. `sources` are the relations that the view
 * depends on.
 */
function queryOf(text: string, sources: readonly ViewRow[], schema: string): ViewQuery | undefined {
  const query = isTrue(sources[0]?.simple) ? readViewQuery(text) : undefined
  const named = sources.filter(({ source }) => source === query?.table)
  const inSchema = named.every(({ source_schema }) => source_schema === schema)
  const isOwn = query?.schema === undefined ? inSchema : query.schema === schema
  return named.length > 0 && isOwn ? query : undefined
}

/**
 * Columns of a materialised view are never declared NOT NULL, so this looks for NULL in the columns of its unique indexes: introspection
 * can use an index without NULL as the key. Returns other tables unchanged.
 */
export async function withNotNullKeys(
  db: AnyDatabase,
  schema: string,
  table: CatalogueTable,
): Promise<CatalogueTable> {
  if (table.kind !== 'materialised view' || table.unusable !== undefined) return table
  // The columns without NULL.
  const full = new Set<string>()
  for (const name of new Set(table.uniqueKeys.flat())) {
    const rows = await rowsOf(db)`
      select 1 from ${sql.id(schema, table.name)} where ${sql.id(name)} is null limit 1`
    if (rows.length === 0) full.add(name)
  }
  const columns = table.columns.map((column) =>
    full.has(column.name) ? { ...column, nullable: false } : column,
  )
  return { ...table, columns }
}
