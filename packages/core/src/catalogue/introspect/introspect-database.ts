// introspect: an existing database → plain model definitions, and the reasons for what was left out. For the host's own programs and for the
// commands `model-api serve` and `model-api models`.

import type { Kysely } from 'kysely'
import { didYouMean } from '../../lib/naming/suggest.ts'
import { type AnyModel, defineModel } from '../../model/define-model.ts'
import { canBeKey } from '../../model/type-rules.ts'
import { type CatalogueTable, isKeyedByRowId, ownName } from '../shared/catalogue.ts'
import { alignKeys } from './align-keys.ts'
import { isBookkeeping } from './bookkeeping.ts'
import { withChecks } from './checked-columns.ts'
import { readColumns } from './columns.ts'
import { withPublished } from './credential-columns.ts'
import { type HeldBack, heldBackOf } from './held-back.ts'
import { checkKeyTables, chooseKey, type GivenKeys } from './keys.ts'
import { inOtherAlphabet, modelName, modelNames } from './model-names.ts'
import { partialKeyNotes } from './partial-keys.ts'
import { readCatalogue } from './read-catalogue.ts'
import { type ModelDraft, resolveLinks } from './relations/foreign-key-links.ts'
import { type GivenRelation, suggestRelations, withRelations } from './relations/given-relations.ts'
import { findJunctions } from './relations/junctions.ts'
import { nameRelations, type RelationDeletes } from './relations/relations.ts'
import { markCredentials } from './view-credentials.ts'
import { whyUnreadable, withBaseTables } from './views.ts'

/** The options of `introspect`. */
export interface IntrospectOptions {
  /**
   * The schema (on MySQL and MariaDB: the database) to read. Default: the connection's own.
   *
   * With a list of several, every model declares its own `schema`, relations can connect schemas, and the result names tables
   * `schema.table`. With a single one, pass it to `createApi` too.
   */
  readonly schema?: string | readonly string[]
  /** Read only these tables. With several schemas, `schema.table` is one table, and a name alone is the table in each schema. */
  readonly only?: readonly string[]
  /** Read all tables except these, named as in `only`. */
  readonly except?: readonly string[]
  /** Also read these tables, named as in `only`, although they have the name of the book-keeping of a tool, such as `migrations`. */
  readonly include?: readonly string[]
  /**
   * Keys of views and tables that declare none: names of columns that are never NULL and that together differ in every row, such as
   * `{ order_totals: ['order_id'] }`. Default: the keys that can be derived from the database; a table without a key is served as
   * a list.
   */
  readonly keys?: GivenKeys
  /** Relations that the database does not declare by foreign keys. Default: none. */
  readonly relations?: readonly GivenRelation[]
  /**
   * Columns and tables that look like credentials and are none, as `heldBack` names them: `licences.token` or `token_kinds`. The
   * columns of views that show them are named too. Default: none.
   */
  readonly publish?: readonly string[]
}

/** A view or table without a key: its model has no `primaryKey`, and is served as a list. */
export interface ListOnly {
  readonly table: string
  readonly reason: string
}

/** A table without a model. */
export interface LeftOut {
  readonly table: string
  readonly reason: string
}

/** A note for the reader of the models about a table or one of its columns. */
export interface IntrospectionNote {
  readonly table: string
  readonly column?: string
  readonly note: string
}

/** The result of `introspect`. */
export interface Introspection {
  /**
   * Models as `defineModel` returns them, without `meta`: publishing a table is its owner's decision. Columns that look like
   * credentials are hidden. In the order of the option `schema`, then sorted by table.
   */
  readonly models: readonly AnyModel[]
  readonly leftOut: readonly LeftOut[]
  /** The models without a key. */
  readonly listOnly: readonly ListOnly[]
  /** What looks like a credential; `serve` and `models` publish none of it. */
  readonly heldBack: readonly HeldBack[]
  readonly notes: readonly IntrospectionNote[]
  /** Relations whose foreign key has ON DELETE CASCADE or SET NULL. The models do not, so that a DELETE restricts: see `on_delete`. */
  readonly deletes: readonly RelationDeletes[]
  /** Relations that column names suggest. To use one, pass it as `relations`. */
  readonly suggestions: readonly GivenRelation[]
}

/**
 * Reads a database's schema and gives a model for every table and view.
 *
 * The key of a model is the primary key, otherwise a unique index on columns that are never NULL, otherwise on SQLite the `rowid`, with
 * which the model is `readOnly`. A view over one table has the key of that table, if it shows the columns of the key. A table or view
 * without any key, also in the option `keys`, becomes a read-only list. Views, materialised views and foreign tables are `readOnly`.
 *
 * Relations come from foreign keys and get a name on both sides (`album.artist`, `artist.albums`); a table that only links two
 * others becomes a many-to-many relation. Nothing is published: add `meta` to the models that should be.
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
  const listOnly: ListOnly[] = []
  // First: which tables get a model, and by which key.
  const modelled: CatalogueTable[] = []
  const schemas = schemasOf(options)
  const read = await readCatalogue(db, schemas)
  const related = withRelations(read, options.relations ?? [])
  const tables = withPublished(markCredentials(withBaseTables(related)), options.publish ?? [])
  checkNames(tables, options)
  checkKeyTables(tables, options.keys ?? {})
  for (const table of tables) {
    const reason = whyLeftOut(table, options) ?? (await whyUnreadable(db, table, schemas[0]))
    if (reason === undefined) {
      const keyed = chooseKey(table, options.keys?.[table.name])
      modelled.push(keyed.table)
      if (keyed.listOnly !== undefined) listOnly.push({ table: table.name, reason: keyed.listOnly })
      if (keyed.note !== undefined) notes.push({ table: table.name, note: keyed.note })
    } else leftOut.push({ table: table.name, reason })
  }

  // Then: their names and columns, and the relations between them.
  const drafts = draftModels(alignKeys(await withChecks(db, modelled, schemas[0])))
  const { links, notes: linkNotes } = resolveLinks(drafts)
  const junctions = findJunctions(drafts, links)
  const { relations, deletes } = nameRelations(drafts, links, junctions)
  // Junctions that need no model of their own, by their tables.
  const pure = new Map(
    junctions.filter(({ pure }) => pure).map((junction) => [junction.draft, junction]),
  )

  const models: AnyModel[] = []
  const heldBack: HeldBack[] = []
  for (const draft of drafts) {
    const ends = pure.get(draft)?.ends
    if (ends !== undefined) {
      const [a, b] = ends
      leftOut.push({
        table: draft.table.name,
        reason: `junction of ${a.parent.model} and ${b.parent.model}`,
      })
      continue
    }
    const { place } = draft.table
    models.push(
      defineModel(draft.model, {
        table: ownName(draft.table),
        ...(place === undefined ? {} : { schema: place.schema }),
        ...descriptionOf(draft.table),
        columns: draft.columns,
        relations: relations.get(draft.model) ?? {},
        ...uniqueSets(draft),
        ...(isReadOnly(draft.table) ? { readOnly: true } : {}),
      }),
    )
    heldBack.push(...heldBackOf(draft))
    notes.push(...notesOf(draft))
  }
  notes.push(...linkNotes.map(([table, note]) => ({ table, note })))
  leftOut.sort((a, b) => (a.table < b.table ? -1 : 1))
  const withModel = new Set(
    drafts.filter((draft) => !pure.has(draft)).map(({ table }) => table.name),
  )
  return {
    models,
    leftOut,
    listOnly: listOnly.filter(({ table }) => withModel.has(table)),
    heldBack,
    notes,
    deletes,
    suggestions: suggestRelations(drafts, links),
  }
}

/** A name in another alphabet becomes the description of its model, unless the database has a comment. */
function descriptionOf(table: CatalogueTable): { readonly description?: string } {
  const description = table.description ?? inOtherAlphabet(ownName(table))
  return description === undefined ? {} : { description }
}

/** Whether the model cannot be written: views, tables without a key, and those whose key is SQLite's row id, which VACUUM may change. */
const isReadOnly = (table: CatalogueTable): boolean =>
  table.kind !== undefined || table.primaryKey.length === 0 || isKeyedByRowId(table)

/** Returns the schemas without duplicates, in the order of the option. */
const schemasOf = ({ schema }: IntrospectOptions): readonly string[] =>
  schema === undefined ? [] : [...new Set(typeof schema === 'string' ? [schema] : schema)]

const isNamed = (table: CatalogueTable, names: readonly string[] = []): boolean =>
  names.includes(table.name) || names.includes(ownName(table))

/** Returns the unique constraints on several columns, except those with a column that is left out. */
function uniqueSets({ table, columns }: ModelDraft): { unique?: readonly (readonly string[])[] } {
  const fields = new Map(
    Object.entries(columns)
      .filter(([, column]) => canBeKey(column))
      .map(([field, { column }]) => [column ?? field, field]),
  )
  const sets = table.uniqueKeys
    .filter((set) => set.length > 1 && set.every((name) => fields.has(name)))
    .map((set) => set.map((name) => fields.get(name) ?? name))
  return sets.length === 0 ? {} : { unique: sets }
}

/** Gives each table the name of its model, and declares its columns. */
function draftModels(tables: readonly CatalogueTable[]): ModelDraft[] {
  const names = modelNames(tables)
  return tables.map((table) => ({
    table,
    model: names.get(table.name) ?? table.name,
    ...readColumns(table),
  }))
}

/** Returns the notes about one table and its columns. */
function notesOf(draft: ModelDraft): IntrospectionNote[] {
  const { table, model, notes } = draft
  const usual = modelName(ownName(table))
  const renamed = `its model is called ${model}, because another table is served as ${usual}`
  return [
    ...(model === usual ? [] : [{ table: table.name, note: renamed }]),
    ...partialKeyNotes(draft).map((note) => ({ table: table.name, note })),
    ...notes.map(([column, note]) => ({ table: table.name, column, note })),
  ]
}

/** Returns why a table gets no model, by the options and the catalogue; undefined if it gets one. */
function whyLeftOut(table: CatalogueTable, options: IntrospectOptions): string | undefined {
  if (options.only !== undefined && !isNamed(table, options.only)) return 'not in "only"'
  if (isNamed(table, options.except)) return 'in "except"'
  const isWanted = options.only !== undefined || isNamed(table, options.include)
  if (!isWanted && isBookkeeping(ownName(table))) {
    return 'book-keeping of a tool; name it in "include" to read it'
  }
  if (table.unusable !== undefined) return table.unusable
  if (table.columns.every(({ shape }) => shape === undefined))
    return 'no column of it can be served'
  return undefined
}

/** Throws for a misspelt table name, which would otherwise publish too much or nothing. */
function checkNames(tables: readonly CatalogueTable[], options: IntrospectOptions): void {
  const known = [...new Set(tables.flatMap((table) => [ownName(table), table.name]))]
  for (const option of ['only', 'except', 'include'] as const) {
    const unknown = options[option]?.find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw new Error(`${option}: there is no table "${unknown}".${didYouMean(unknown, known)}`)
    }
  }
}
