// Opens a database and reads its schema, with progress messages; the first step of several commands.

import type { AnyModel } from '@model-api/core'
import {
  type GivenKeys,
  type GivenRelation,
  type Introspection,
  introspect,
} from '@model-api/core/introspect'
import { type OpenDatabase, openDatabase } from '../database/open-database.ts'
import { databaseFailure } from './output/failure.ts'

/** Which tables a command reads, by the options of the command line, and what it adds to their declarations. */
export interface ReadSchemaOptions {
  /** The schema to read; with several, every model declares its own. */
  readonly schema?: string | readonly string[]
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  /** Tables to read although they look like the book-keeping of a tool. */
  readonly include?: readonly string[]
  /** Keys of views and tables that declare none. */
  readonly keys?: GivenKeys
  /** Relations that the database does not declare. */
  readonly relations?: readonly GivenRelation[]
  /** Columns and tables that look like credentials and are none. */
  readonly publish?: readonly string[]
  /** The file that contains the relations, for messages. */
  readonly relationsFile?: string
  /** Whether the connections may write; otherwise the database itself refuses writes. */
  readonly writable?: boolean
}

/** An open database, and what introspection has found in it. */
export interface ReadDatabase extends OpenDatabase {
  readonly introspection: Introspection
  /** The models of the schema; all are published except those of tables that look like credentials. */
  readonly models: readonly AnyModel[]
}

/**
 * Opens and reads a database. Rejects with an Error whose message is for the user. `progress` gets a line before each step; `onWarning`
 * warnings of the connection.
 */
export async function readDatabase(
  target: string,
  options: ReadSchemaOptions,
  progress: (line: string) => void,
  onWarning: (line: string) => void,
): Promise<ReadDatabase> {
  const opened = await openDatabase(target, { readOnly: options.writable !== true, onWarning })
  progress(`Connecting to ${opened.name} …`)
  try {
    await opened.db.executeQuery(opened.db.selectNoFrom((eb) => eb.lit(1).as('one')).compile())
    progress('Reading the schema …')
    const introspection = await introspect(opened.db, options)
    return { ...opened, introspection, models: published(introspection, options.only) }
  } catch (error) {
    await opened.close()
    throw new Error(databaseFailure(opened.name, error))
  }
}

/** Publishes a table that looks like credentials only if `only` names it; its credential columns stay hidden. */
function published(
  { models, heldBack }: Introspection,
  only: readonly string[] = [],
): readonly AnyModel[] {
  const held = new Set(heldBack.flatMap(({ table, column }) => (column === undefined ? table : [])))
  return models.map((model) =>
    held.has(nameOf(model)) && !only.includes(nameOf(model)) && !only.includes(model.table)
      ? model
      : { ...model, meta: {} },
  )
}

/** Returns the name of a model's table as introspection reports it: with the schema if several are read. */
export const nameOf = ({ schema, table }: AnyModel): string =>
  schema === undefined ? table : `${schema}.${table}`
