/**
 * The mapping between served and stored data: each published collection with its table, its rows as JSON, and the SQL and URLs
 * that read them.
 */
import { type AnyModel, createApi } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { openDatabase } from '@model-api/http-node'
import { relationsIn } from '../../packages/http-node/src/commands/relations-file.ts'
import type { StoredTable } from './catalogue.ts'
import type { Client, Raw } from './client.ts'
import type { Variant } from './fixture.ts'
import { type Json, jsonOf, selected } from './stored.ts'

export type Row = Readonly<Record<string, Json>>

export interface Collection {
  readonly path: string
  readonly model: AnyModel
  readonly table: StoredTable
  /** Field, column and type as clients see them. */
  readonly fields: readonly {
    readonly field: string
    readonly column: string
    readonly type: string
  }[]
  /** The fields of the key; empty for a list without records. */
  readonly key: readonly string[]
  readonly writable: boolean
}

export interface Mapping {
  readonly collections: readonly Collection[]
  readonly models: readonly AnyModel[]
  /** The name of a table in the output of `serve`. */
  readonly nameOf: (table: Pick<StoredTable, 'schema' | 'name'>) => string
}

/** The models of `serve`, which name the table and column of each field. */
export async function mappingOf(
  target: string,
  variant: Variant,
  tables: readonly StoredTable[],
): Promise<Mapping> {
  const database = await openDatabase(target, { readOnly: true })
  try {
    const several = variant.schemas !== undefined && variant.schemas.length > 1
    const { models, heldBack } = await introspect(database.db, {
      ...(variant.schemas === undefined ? {} : { schema: variant.schemas }),
      keys: givenKeys(variant.options ?? []),
      relations: relationsIn(variant.relations ?? '', 'relations'),
    })
    const nameOf = ({ schema, name }: Pick<StoredTable, 'schema' | 'name'>): string =>
      several ? `${schema}.${name}` : name
    const held = new Set(
      heldBack.flatMap(({ table, column }) => (column === undefined ? [table] : [])),
    )
    const published = models.map((model) =>
      held.has(nameOf({ schema: model.schema ?? '', name: model.table }))
        ? model
        : { ...model, meta: {} },
    )
    const { registry } = createApi({
      db: database.db,
      models: published,
      config: { API_SCHEMA_CHECK: 'off' },
    })
    const collections = registry.resources.map((resource): Collection => {
      const model = published.find(({ name }) => name === resource.model.name) as AnyModel
      const table = tables.find(
        ({ schema, name }) => name === model.table && (model.schema ?? schema) === schema,
      )
      if (table === undefined) throw new Error(`${model.name}: the database has no ${model.table}`)
      const columns = Object.entries(model.columns).filter(([, { hidden }]) => hidden !== true)
      return {
        path: `/api/${resource.paths[0]}`,
        model,
        table,
        fields: columns.map(([field, { column = field }]) => ({
          field,
          column,
          type: typeOf(table, column, model.columns[field]?.type),
        })),
        key: columns.filter(([, { primaryKey }]) => primaryKey === true).map(([field]) => field),
        writable: model.readOnly !== true,
      }
    })
    return { collections, models, nameOf }
  } finally {
    await database.close()
  }
}

/**
 * An integer that refers to a bigint is served as one; on SQLite, also one that contains numbers that JSON cannot hold exactly, a BIGINT that
 * refers to an INTEGER as integer, and a BLOB as text if it contains nothing else.
 */
function typeOf({ columns }: StoredTable, column: string, served: string | undefined): string {
  // SQLite's number of the row is in no list of columns.
  const type = columns.find(({ name }) => name === column)?.type ?? 'INTEGER'
  if (type.toUpperCase() === 'BLOB' && served === 'text') return 'TEXT'
  if (/^bigint/i.test(type) && served === 'integer') return 'INTEGER'
  return /^int(?:eger)?\b/i.test(type) && served === 'bigint' ? 'BIGINT' : type
}

const givenKeys = (options: readonly string[]): Record<string, string[]> =>
  Object.fromEntries(
    options.flatMap((option, i) => {
      const [table = '', columns = ''] = (options[i + 1] ?? '').split('=')
      return option === '--key' ? [[table, columns.split(',')]] : []
    }),
  )

export const tableName = (
  client: Client,
  { schema, name }: Pick<StoredTable, 'schema' | 'name'>,
): string =>
  client.name === 'sqlite' ? client.quoted(name) : `${client.quoted(schema)}.${client.quoted(name)}`

/** The expressions that read the fields of a collection. */
export const selection = (client: Client, { fields }: Collection, alias: string): string[] =>
  fields.map(({ column, type }) => selected(client.name, type, `${alias}.${client.quoted(column)}`))

/** The expected JSON of a row. */
export const asJson = (client: Client, { fields }: Collection, values: readonly Raw[]): Row =>
  Object.fromEntries(
    fields.map(({ field, type }, i) => [field, jsonOf(client.name, type, values[i] ?? null)]),
  )

/** MySQL and MariaDB find zero dates with `is null` in a NOT NULL column, but not in an expression. */
const isNull = ({ name, quoted }: Client, column: string): string =>
  name === 'mysql' ? `concat(t.${quoted(column)}) is null` : `t.${quoted(column)} is null`

/** The expected JSON of every row of a table, or of those whose column is NULL. */
export async function storedRows(
  client: Client,
  collection: Collection,
  nullColumn?: string,
): Promise<readonly Row[]> {
  const columns = selection(client, collection, 't').join(', ')
  const where = nullColumn === undefined ? '' : ` where ${isNull(client, nullColumn)}`
  const found = await client.rows(
    `select ${columns} from ${tableName(client, collection.table)} t${where}`,
  )
  return found.map((values) => asJson(client, collection, values))
}

/** The same text for equal values, whatever the order of their members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

/** The URL of a record. */
export const urlOf = ({ path, key }: Collection, row: Row): string =>
  `${path}/${key.map((field) => encodeURIComponent(String(row[field]))).join(',')}`
