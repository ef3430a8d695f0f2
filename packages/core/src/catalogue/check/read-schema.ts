// Reads the tables of the models, in the schema that they declare or where the database looks for them. Of other tables, it
// reads at most the names.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import type { DatabaseSchema, SchemaTable } from './database-schema.ts'

/** The name of a schema; undefined: the connection's default. */
type Schema = string | undefined

/** The tables that were read for one schema that models name, or for the models that name no schema. */
interface Found {
  readonly tables: readonly SchemaTable[]
  /** The schemas in which tables were looked for. */
  readonly searched: readonly Schema[]
  /** Whether every named table was found. */
  readonly isComplete: boolean
}

/** What the models name. */
export interface NamedByModels {
  /** Their tables and those of their junctions. */
  readonly tables: readonly TableName[]
  /** Whether any model has a relation, so that it matters whether the database uses foreign keys. */
  readonly hasRelations: boolean
}

/** Reads what the comparison needs, with the functions of one database (`rules`). */
export async function readSchema(
  db: AnyDatabase,
  rules: SchemaRules,
  { tables: named, hasRelations }: NamedByModels,
): Promise<DatabaseSchema> {
  const { foldsColumns, holds, indexAmong, triggersFill } = rules
  const foldsTables = await rules.foldsTables(db)
  const tables: SchemaTable[] = []
  const searched = new Set<Schema>()
  const names = new Map<Schema, readonly string[]>()
  for (const schema of new Set(named.map((table) => table.schema))) {
    const wanted = named.filter((table) => table.schema === schema).map(({ table }) => table)
    const found = await readTablesOf(db, rules, { schema, names: wanted, foldsTables })
    tables.push(...found.tables)
    for (const place of found.searched) searched.add(place)
    // The names are needed only for suggestions.
    if (!found.isComplete) names.set(schema, await allNames(db, rules, found.searched))
  }
  const hasForeignKeys =
    tables.some(({ foreignKeys }) => foreignKeys.length > 0) ||
    (hasRelations && (await anyForeignKey(db, rules, searched)))
  return {
    tables,
    names,
    hasForeignKeys,
    foldsTables,
    foldsColumns,
    holds,
    indexAmong,
    triggersFill,
  }
}

/** The tables to read. */
interface Wanted {
  readonly schema: Schema
  readonly names: readonly string[]
  readonly foldsTables: boolean
}

/**
 * Reads the named tables of a schema. Without a schema, reads tables that are missing in the default schema from the further schemas
 * that the database searches; of two tables with the same name, the database uses the first.
 */
async function readTablesOf(
  db: AnyDatabase,
  rules: SchemaRules,
  { schema, names, foldsTables }: Wanted,
): Promise<Found> {
  const key = (name: string): string => (foldsTables ? name.toLowerCase() : name)
  const found = new Map<string, SchemaTable>()
  const searched: Schema[] = []
  const missing = (): readonly string[] => [
    ...new Set(names.filter((name) => !found.has(key(name)))),
  ]
  const read = async (from: Schema): Promise<void> => {
    searched.push(from)
    for (const table of await rules.read(db, from, missing())) {
      if (!found.has(key(table.name))) found.set(key(table.name), { ...table, schema })
    }
  }
  await read(schema)
  if (schema === undefined && missing().length > 0) {
    for (const further of (await rules.furtherSchemas?.(db)) ?? []) {
      if (missing().length > 0) await read(further)
    }
  }
  return { tables: [...found.values()], searched, isComplete: missing().length === 0 }
}

/** Returns the names of all tables and views of the schemas. */
async function allNames(
  db: AnyDatabase,
  rules: SchemaRules,
  schemas: readonly Schema[],
): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const schema of schemas) {
    for (const name of await rules.tableNames(db, schema)) names.add(name)
  }
  return [...names]
}

async function anyForeignKey(
  db: AnyDatabase,
  rules: SchemaRules,
  schemas: ReadonlySet<Schema>,
): Promise<boolean> {
  for (const schema of schemas) if (await rules.hasForeignKeys(db, schema)) return true
  return false
}
