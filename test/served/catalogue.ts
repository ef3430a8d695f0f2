/** Tables, columns and foreign keys of a database from its own catalogue, read without the library. */
import type { Client } from './client.ts'

export interface StoredColumn {
  readonly name: string
  /** As the catalogue prints it; for a domain, its base type: `numeric(8,2)`, `bigint(20) unsigned`, `VARCHAR(80)`. */
  readonly type: string
}

export interface StoredTable {
  readonly schema: string
  readonly name: string
  readonly columns: readonly StoredColumn[]
  readonly foreignKeys: readonly StoredReference[]
}

export interface StoredReference {
  readonly columns: readonly string[]
  readonly schema: string
  readonly table: string
  readonly references: readonly string[]
}

type Texts = Readonly<Record<string, string | null>>

/** Every table and view of the schemas. */
export async function catalogueOf(
  client: Client,
  schemas: readonly string[],
): Promise<readonly StoredTable[]> {
  const tables: StoredTable[] = []
  for (const schema of schemas) {
    const columns = grouped(await client.texts(columnsQuery[client.name](schema)), 'table_name')
    const foreign = grouped(await client.texts(foreignQuery[client.name](schema)), 'table_name')
    for (const [name, own] of columns) {
      tables.push({
        schema,
        name,
        columns: own.map((row) => ({ name: text(row, 'name'), type: text(row, 'type') })),
        foreignKeys: [...grouped(foreign.get(name) ?? [], 'key').values()].map((rows) => ({
          columns: rows.map((row) => text(row, 'name')),
          schema: text(rows[0] ?? {}, 'target_schema'),
          table: text(rows[0] ?? {}, 'target'),
          references: rows.map((row) => text(row, 'target_name')),
        })),
      })
    }
  }
  return tables
}

const text = (row: Texts, name: string): string => row[name] ?? ''

function grouped(rows: readonly Texts[], by: string): Map<string, Texts[]> {
  const groups = new Map<string, Texts[]>()
  for (const row of rows) groups.set(text(row, by), [...(groups.get(text(row, by)) ?? []), row])
  return groups
}

const columnsQuery: Readonly<Record<Client['name'], (schema: string) => string>> = {
  sqlite: () => `
    select m.name as table_name, c.name as name,
      case when m.type = 'view' and c.type = '' then 'computed' else c.type end as type
    from sqlite_master m, pragma_table_xinfo(m.name) c
    where m.type in ('table', 'view') and m.name not like 'sqlite\\_%' escape '\\' order by m.name, c.cid`,
  postgres: (schema) => `
    with recursive plain as (
      select oid, oid as base, -1 as modifier from pg_type where typtype <> 'd'
      union all
      select t.oid, p.base, greatest(t.typtypmod, p.modifier) from pg_type t join plain p on p.oid = t.typbasetype
    )
    select c.relname as table_name, a.attname as name,
      format_type(p.base, greatest(a.atttypmod, p.modifier)) || case t.typtype when 'e' then ' (enum)' else '' end as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid join plain p on p.oid = a.atttypid
      join pg_type t on t.oid = p.base
    where c.relnamespace = '${schema}'::regnamespace and c.relkind in ('r','p','v','m','f')
      and a.attnum > 0 and not a.attisdropped
    order by 1, a.attnum`,
  mysql: (schema) => `
    select c.table_name as table_name, c.column_name as name,
      case when exists (select 1 from information_schema.check_constraints k where k.constraint_schema = c.table_schema
          and k.check_clause = concat('json_valid(\`', c.column_name, '\`)') and c.data_type = 'longtext')
        then 'json' else c.column_type end as type
    from information_schema.columns c where c.table_schema = '${schema}' order by binary c.table_name, c.ordinal_position`,
}

const foreignQuery: Readonly<Record<Client['name'], (schema: string) => string>> = {
  sqlite: (schema) => `
    select m.name as table_name, f.id as key, f."from" as name, '${schema}' as target_schema,
      (select t.name from sqlite_master t where lower(t.name) = lower(f."table")) as target,
      coalesce(f."to", (select c.name from pragma_table_info(f."table") c where c.pk = f.seq + 1)) as target_name
    from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table' order by 1, 2, f.seq`,
  postgres: () => `
    select c.relname as table_name, k.oid::text as key, a.attname as name, t.relnamespace::regnamespace::text as target_schema,
      t.relname as target, b.attname as target_name
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid,
      unnest(k.conkey, k.confkey) with ordinality as n(own, other, place)
      join pg_attribute a on a.attnum = n.own join pg_attribute b on b.attnum = n.other
    where k.contype = 'f' and k.conparentid = 0 and a.attrelid = k.conrelid and b.attrelid = k.confrelid
    order by 1, 2, n.place`,
  mysql: (schema) => `
    select table_name as table_name, constraint_name as \`key\`, column_name as name, referenced_table_schema as target_schema,
      referenced_table_name as target, referenced_column_name as target_name
    from information_schema.key_column_usage
    where table_schema = '${schema}' and referenced_table_name is not null order by 1, 2, ordinal_position`,
}
