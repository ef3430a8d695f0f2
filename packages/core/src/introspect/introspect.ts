// introspect: an existing database → plain model definitions, and the reasons for what was left out.

import type { Kysely } from 'kysely'
import type { CatalogueTable } from '../dialect/shared/catalogue.ts'
import type { Column, ColumnType } from '../model/column.ts'
import { type AnyModel, defineModel } from '../model/define-model.ts'
import { didYouMean } from '../naming/suggest.ts'
import { alignKeys } from './align-keys.ts'
import { readColumns } from './columns.ts'
import { type HeldBack, heldBackOf } from './held-back.ts'
import { type Draft, resolveLinks } from './links.ts'
import { modelName, modelNames } from './names.ts'
import { readCatalogue } from './read-catalogue.ts'
import { findJunctions, nameRelations } from './relations.ts'

export interface IntrospectOptions {
  /** The schema (on MySQL and MariaDB: the database) to read. Default: the connection's own. */
  readonly schema?: string
  /** Read these tables and no others. */
  readonly only?: readonly string[]
  /** Read all but these tables. */
  readonly except?: readonly string[]
}

/** A table without a model. */
export interface LeftOut {
  readonly table: string
  readonly reason: string
}

/** Something a reader of the models should know of a table or of one of its columns. */
export interface IntrospectionNote {
  readonly table: string
  readonly column?: string
  readonly note: string
}

export interface Introspection {
  /**
   * As from `defineModel`, without `meta`: publishing a table is its owner's decision. Columns that look like credentials
   * are hidden. Sorted by table.
   */
  readonly models: readonly AnyModel[]
  readonly leftOut: readonly LeftOut[]
  /** What looks like a credential; `serve` and `models` publish none of it. */
  readonly heldBack: readonly HeldBack[]
  readonly notes: readonly IntrospectionNote[]
}

/** Book-keeping of migration tools, and tables that this library itself makes; read only when named in `only`. */
const bookkeeping =
  /^(?:kysely_migration(?:_lock)?|knex_migrations(?:_lock)?|_prisma_migrations|__drizzle_migrations|schema_migrations|ar_internal_metadata|flyway_schema_history|alembic_version|django_migrations|goose_db_version|__efmigrationshistory|sequelizemeta|typeorm_metadata|databasechangelog(?:lock)?|refresh_tokens|idempotency_keys)$/i

/** Types whose values have no exact text form for a URL path. */
const notInKeys: readonly ColumnType[] = ['json', 'binary']

/**
 * Reads a database's schema and gives a model for every table that has a primary key.
 *
 * Relations are found from foreign keys and named from both sides (`album.artist`, `artist.albums`); a table that only
 * pairs two others becomes a many-to-many relation. Nothing is published: add `meta` to the models that should be.
 *
 * ```ts
 * const { models, leftOut } = await introspect(db, { only: ['albums', 'artists'] })
 * const api = createApi({ db, models: models.map((model) => ({ ...model, meta: {} })) })
 * ```
 */
export async function introspect(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  options: IntrospectOptions = {},
): Promise<Introspection> {
  const leftOut: LeftOut[] = []
  const notes: IntrospectionNote[] = []
  const kept: CatalogueTable[] = []
  const tables = await readCatalogue(db, options.schema)
  checkNames(tables, options)
  for (const table of tables) {
    const reason = whyLeftOut(table, options)
    if (reason === undefined) kept.push(table)
    else leftOut.push({ table: table.name, reason })
  }

  const drafts = draft(alignKeys(kept))
  const { links, notes: linkNotes } = resolveLinks(drafts)
  const junctions = findJunctions(drafts, links)
  const relations = nameRelations(drafts, links, junctions)
  const pure = new Map(junctions.filter((one) => one.pure).map((one) => [one.draft, one]))

  const models: AnyModel[] = []
  const heldBack: HeldBack[] = []
  for (const one of drafts) {
    const ends = pure.get(one)?.ends
    if (ends !== undefined) {
      const [a, b] = ends
      leftOut.push({
        table: one.table.name,
        reason: `junction of ${a.parent.model} and ${b.parent.model}`,
      })
      continue
    }
    models.push(
      defineModel(one.model, {
        table: one.table.name,
        columns: one.columns,
        relations: relations.get(one.model) ?? {},
        ...uniqueSets(one),
      }),
    )
    heldBack.push(...heldBackOf(one))
    notes.push(...notesOf(one))
  }
  notes.push(...linkNotes.map(([table, note]) => ({ table, note })))
  leftOut.sort((a, b) => (a.table < b.table ? -1 : 1))
  return { models, leftOut, heldBack, notes }
}

/** Unique constraints of several columns; one with a column that is left out cannot be named. */
function uniqueSets({ table, columns }: Draft): { unique?: readonly (readonly string[])[] } {
  const fields = new Map(
    Object.entries(columns).map(([field, { column }]) => [column ?? field, field]),
  )
  const sets = table.uniqueKeys
    .filter((set) => set.length > 1 && set.every((name) => fields.has(name)))
    .map((set) => set.map((name) => fields.get(name) ?? name))
  return sets.length === 0 ? {} : { unique: sets }
}

function draft(tables: readonly CatalogueTable[]): Draft[] {
  const names = modelNames(tables.map((table) => table.name))
  return tables.map((table) => ({
    table,
    model: names.get(table.name) ?? table.name,
    ...readColumns(table),
  }))
}

function notesOf({ table, model, notes }: Draft): IntrospectionNote[] {
  const usual = modelName(table.name)
  const renamed = `its model is called ${model}, because another table is served as ${usual}`
  return [
    ...(model === usual ? [] : [{ table: table.name, note: renamed }]),
    ...notes.map(([column, note]) => ({ table: table.name, column, note })),
  ]
}

function whyLeftOut(table: CatalogueTable, options: IntrospectOptions): string | undefined {
  if (options.only !== undefined && !options.only.includes(table.name)) return 'not in "only"'
  if (options.except?.includes(table.name)) return 'in "except"'
  if (options.only === undefined && bookkeeping.test(table.name)) {
    return 'book-keeping of a tool; name it in "only" to read it'
  }
  if (table.unusable !== undefined) return table.unusable
  if (table.primaryKey.length === 0) return 'no primary key'
  for (const name of table.primaryKey) {
    const column = table.columns.find((one) => one.name === name)
    const shape: Column | undefined = column?.shape
    if (shape === undefined || notInKeys.includes(shape.type)) {
      return `its key column ${name} is of type ${column?.declared || 'unknown'}, which cannot stand in a path`
    }
  }
  return undefined
}

/** A misspelt table name would otherwise be ignored silently and publish too much or nothing. */
function checkNames(tables: readonly CatalogueTable[], options: IntrospectOptions): void {
  const known = tables.map((table) => table.name)
  for (const option of ['only', 'except'] as const) {
    const unknown = options[option]?.find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw new Error(`${option}: there is no table "${unknown}".${didYouMean(unknown, known)}`)
    }
  }
}
