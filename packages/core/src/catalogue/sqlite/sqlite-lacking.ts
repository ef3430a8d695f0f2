// SchemaRules.lacks of SQLite: what a table needs of the program that opens the file. Functions, collations and modules are registered by each
// program for its own connections, so that a definition may use some that this program lacks.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { LackedBy, StatementOnTable } from '../shared/schema-rules.ts'

/** The errors of SQLite about something that is not registered. Of a CHECK or a generated column, SQLite says `unknown function: fold()`. */
const lacking = /no such (?:function|collation sequence|module): [^\s:]+|unknown function: [^\s:]+/

/**
 * Asks SQLite to prepare the statements. Most tables need nothing of their program, so the texts of their definitions decide which statements to
 * ask about.
 */
export function sqliteLacks(db: AnyDatabase, tables: readonly TableName[]): LackedBy {
  const definitions = new Map<string, Promise<Definitions>>()
  const namesIn = (schema: string): string[] =>
    tables.filter((named) => (named.schema ?? 'main') === schema).map(({ table }) => table)
  const definitionsIn = (schema: string): Promise<Definitions> => {
    const known = definitions.get(schema) ?? readDefinitions(db, schema, namesIn(schema))
    definitions.set(schema, known)
    return known
  }
  /** The tables whose first write lacked nothing: what a table needs itself, every write of it needs. */
  const writable = new Set<string>()
  return async (statement) => {
    const { kind, schema = 'main', table } = statement
    const isWrite = kind !== 'SELECT'
    const known = await definitionsIn(schema)
    const place = `${schema}.${table.toLowerCase()}`
    if (isWrite ? writable.has(place) && !writesMore(known, kind) : !mayNeed(known, table)) {
      return undefined
    }
    const missing = await missingFor(db, statement)
    if (isWrite && missing === undefined) writable.add(place)
    return missing
  }
}

/** Returns what SQLite lacks to prepare the statement: `no such function: fold`; undefined if it lacks nothing. */
async function missingFor(
  db: AnyDatabase,
  statement: StatementOnTable,
): Promise<string | undefined> {
  try {
    await rowsOf(db)`${textOf(statement)}`
    return undefined
  } catch (error) {
    return lacking.exec(error instanceof Error ? error.message : '')?.[0]
  }
}

/** The definitions of a schema's tables, indexes, views and triggers. */
interface Definitions {
  /** The texts of a table and its indexes, by the table's name in lower case. */
  readonly texts: ReadonlyMap<string, readonly string[]>
  readonly hasTriggers: boolean
  /** Whether a deletion may change rows of other tables. */
  readonly hasActions: boolean
}

/** Reads the texts of the tables, also of temporary ones. */
async function readDefinitions(
  db: AnyDatabase,
  schema: string,
  tables: readonly string[],
): Promise<Definitions> {
  const master = sql.id(schema, 'sqlite_master')
  const names = JSON.stringify(tables.map((table) => table.toLowerCase()))
  const own = (objects: Fragment): Fragment => sql`
    select lower(tbl_name) as name, sql as text from ${objects}
    where type <> 'trigger' and lower(tbl_name) in (select value from json_each(${names}))`
  const rows = await rowsOf<{ name: string; text: string | null }>(db)`
    ${own(master)} union all ${own(sql`sqlite_temp_master`)}`
  const texts = new Map<string, string[]>()
  for (const { name, text } of rows) texts.set(name, [...(texts.get(name) ?? []), text ?? ''])
  const [found] = await rowsOf<{ triggers: unknown; actions: unknown }>(db)`
    select exists(select 1 from ${master} where type = 'trigger')
        or exists(select 1 from sqlite_temp_master where type = 'trigger') as triggers,
      exists(select 1 from ${master} where sql like '%on%delete%') as actions`
  return {
    texts,
    hasTriggers: Number(found?.triggers) === 1,
    hasActions: Number(found?.actions) === 1,
  }
}

/** Whether a further write may need more than the first one of its table. */
const writesMore = (
  { hasTriggers, hasActions }: Definitions,
  kind: 'INSERT' | 'UPDATE' | 'DELETE',
) => hasTriggers || (kind === 'DELETE' && hasActions)

/**
 * Whether a query may need a collation, a function or a module: for views, virtual tables, generated columns, and collations
 * other than SQLite's own. True for more definitions than necessary.
 */
function mayNeed({ texts }: Definitions, table: string): boolean {
  const own = texts.get(table.toLowerCase())
  return own === undefined || own.some((text) => needs.test(text))
}

const needs = /\bas\b|\bvirtual\b|\bcollate\b(?!\s+["'`[]?(?:binary|nocase|rtrim)\b)/i

/**
 * A statement that runs all triggers of its kind and compares all columns, but for no row, so that it only fails if SQLite cannot prepare it.
 * EXPLAIN would not do: for SQLite it is a statement that writes, and some drivers leave it unfinished, after which SQLite commits no
 * further write of the connection.
 */
function textOf({ kind, schema, table, columns }: StatementOnTable): Fragment {
  const name = schema === undefined ? sql.id(table) : sql.id(schema, table)
  const ids = columns.map((column) => sql.id(column))
  switch (kind) {
    case 'SELECT':
      return sql`select 1 from ${name} where 0 order by ${sql.join(ids)}`
    case 'INSERT':
      return sql`insert into ${name} (${sql.join(ids)}) select ${sql.join(ids)} from ${name} where 0`
    case 'UPDATE':
      return sql`update ${name} set ${sql.join(ids.map((id) => sql`${id} = ${id}`))} where 0`
    case 'DELETE':
      return sql`delete from ${name} where 0`
  }
}
