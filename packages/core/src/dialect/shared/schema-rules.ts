// SchemaRules: how the schema of a database is read and what its column types hold, for the comparison with the models. Types only.

import type { AnyDatabase } from '../../sql/any-database.ts'
import type { DialectColumn } from '../dialect.ts'
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts'

export interface SchemaRules {
  /** The tables of these names in a schema, those in other letter cases among them where names ignore it; of the connection's own schema without a name. */
  readonly read: (
    db: AnyDatabase,
    schema: string | undefined,
    names: readonly string[],
  ) => Promise<CatalogueTable[]>
  /** The names of every table and view of a schema, for suggestions. */
  readonly tableNames: (db: AnyDatabase, schema: string | undefined) => Promise<readonly string[]>
  /** Whether any table of a schema has a foreign key. */
  readonly hasForeignKeys: (db: AnyDatabase, schema: string | undefined) => Promise<boolean>
  /** Schemas where the database also looks for an unqualified name, in its order. */
  readonly furtherSchemas?: (db: AnyDatabase) => Promise<readonly string[]>
  /** Whether table names that differ only by case are one name. */
  readonly foldsTables: (db: AnyDatabase) => Promise<boolean>
  /** The same for column names. */
  readonly foldsColumns: boolean
  /** Whether a column of the database can hold and give back the values of the declared type. */
  readonly holds: (declared: DialectColumn, found: CatalogueColumn) => boolean
}
