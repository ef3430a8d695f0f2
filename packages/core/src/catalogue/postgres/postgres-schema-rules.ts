// How the check at start-up compares models with a PostgreSQL schema. `SchemaRules` explains each member.

import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { partialIndexText } from '../shared/partial-key.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import { type IndexRow, indexesOf } from '../shared/table-index.ts'
import { holdsBy, strictTypes } from '../shared/type-fit.ts'
import { schemaName } from './postgres-catalogue.ts'
import { readPostgresSchema } from './postgres-catalogue-session.ts'

const holds = holdsBy(strictTypes)

// `postgres-catalogue.ts` explains the letters of `relkind`; `contype` f is a foreign key.
export const postgresSchema: SchemaRules = {
  indexAmong: partialIndexText,
  read: readPostgresSchema,
  async tableNames(db, schema) {
    const rows = await rowsOf<{ name: string }>(db)`
      select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${await schemaName(db, schema)} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      order by 1`
    return rows.map(({ name }) => name)
  },
  async hasForeignKeys(db, schema) {
    const rows = await rowsOf(db)`
      select 1 from pg_constraint o join pg_namespace n on n.oid = o.connamespace
      where n.nspname = ${await schemaName(db, schema)} and o.contype = 'f' limit 1`
    return rows.length > 0
  },
  async indexes(db, schema, tables) {
    const oids = tables.map(
      (table) =>
        sql`to_regclass(concat_ws('.', quote_ident(${schema ?? null}), quote_ident(${table})))`,
    )
    return indexesOf(
      await rowsOf<IndexRow>(db)`
        select c.relname::text as "table", i.indexrelid::text as "index", a.attname::text as "column"
        from pg_index i
        join pg_class c on c.oid = i.indrelid
        cross join lateral unnest(i.indkey) with ordinality k (attnum, position)
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        where i.indrelid in (${sql.join(oids)}) and i.indisvalid and k.position <= i.indnkeyatts
        order by 1, i.indexrelid, k.position`,
    )
  },
  // The schemas of `search_path`, of which the first is the default one.
  async furtherSchemas(db) {
    const rows = await rowsOf<{ name: string }>(db)`
      select name::text as name from unnest(current_schemas(false)) with ordinality as s (name, position)
      where position > 1 order by position`
    return rows.map(({ name }) => name)
  },
  foldsTables: async () => false,
  foldsColumns: false,
  triggersFill: true,
  // tgtype 7: FOR EACH ROW (1), BEFORE (2), INSERT (4). Partitions may have triggers of their own.
  async mayFill(db, { schema = null, table }) {
    const rows = await rowsOf(db)`
      select 1 from pg_class c where c.oid = to_regclass(concat_ws('.', quote_ident(${schema}), quote_ident(${table})))
        and (c.relhasrules or c.relkind = 'p'
          or exists (select 1 from pg_trigger t where t.tgrelid = c.oid and t.tgtype & 7 = 7))`
    return rows.length > 0
  },
  // Reading a path would fail on a text that is not JSON.
  holds: (declared, found) =>
    holds(declared, found) && (declared.paths === undefined || found.shape?.type === 'json'),
}
