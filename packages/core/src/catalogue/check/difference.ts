// Difference: one way in which a model and the database disagree, as data; `describe-difference.ts` makes the words. Types only.

import type { NamedColumn } from '../../model/registry/resource.ts'
import type { PartialKey } from '../shared/catalogue.ts'

/** Where the difference is. */
interface Place {
  /** The model's name. */
  readonly model: string
  /** The table, as the model names it. */
  readonly table: string
}

interface ColumnPlace extends Place {
  readonly column: NamedColumn
  /** The type of the database's column, as the database writes it: `character varying(80)`. */
  readonly found: string
}

/** In each kind, `found` and `columns` are what the database has, `declared` and `field` what the model declares. */
export type Difference =
  | (Place & {
      readonly kind: 'missing table'
      /** The relation that names the table as its junction; undefined if the model names it. */
      readonly relation: string | undefined
      /** The name of another table that may be meant. */
      readonly similar: string | undefined
    })
  | (Place & { readonly kind: 'unreadable table' })
  | (Place & {
      readonly kind: 'missing column'
      /** The field, or the relation that names the column of its junction table. */
      readonly field: string
      /** Where the column is named: by the field, or by an option of the relation. */
      readonly option: 'column' | 'from' | 'to'
      readonly name: string
      /** The name of another column that may be meant. */
      readonly similar: string | undefined
    })
  | (ColumnPlace & {
      readonly kind: 'type'
      /** What introspection would declare; undefined if no column type fits. */
      readonly fitting: string | undefined
      /** Why introspection would declare that (`CatalogueColumn.note`). */
      readonly note: string | undefined
    })
  | (ColumnPlace & { readonly kind: 'nullability' })
  | (ColumnPlace & {
      readonly kind: 'precision'
      /** What the database's column has. */
      readonly digits: { readonly precision?: number; readonly scale?: number }
    })
  | (ColumnPlace & {
      readonly kind: 'length'
      /** The number of characters that the declared values need. */
      readonly needed: number
      /** The number of characters that the database's column holds. */
      readonly length: number
      /** The declaration that needs so many characters, such as `maxLength: 120`. */
      readonly because: string
    })
  | (ColumnPlace & {
      readonly kind: 'enum members'
      /** The members of the database. */
      readonly members: readonly string[]
      /** Members of the model that the database refuses. */
      readonly refused: readonly string[]
      /** Members of the database that the model does not declare. */
      readonly undeclared: readonly string[]
    })
  /** The database's column holds numbers beyond those of the declared signed one. */
  | (ColumnPlace & { readonly kind: 'unsigned' })
  /** The values of a key have more digits of a date or time than responses show. */
  | (ColumnPlace & { readonly kind: 'finer key' })
  /** Declared with `generated: true`, but the database generates no value. */
  | (ColumnPlace & { readonly kind: 'not generated' })
  /** Declared with `hasDefault: true`, but the database has no default. */
  | (ColumnPlace & { readonly kind: 'no default' })
  /** Declared as writable, but the database computes the column. */
  | (ColumnPlace & { readonly kind: 'computed' })
  | (Place & {
      /** A new record omits a required column that nothing fills. */
      readonly kind: 'never filled'
      /** The schema of the table, as the model names it. */
      readonly schema: string | undefined
      /** The column in the database, and its type as the database writes it. */
      readonly name: string
      readonly found: string
      /** The field, and why clients cannot write it (`because`: `is read-only`); undefined if the model has no such column. */
      readonly field:
        | {
            readonly name: string
            readonly because: string
            readonly isHidden: boolean
            /** Whether it is read-only because it holds the roles of users, not because the model says so. */
            readonly holdsRoles: boolean
          }
        | undefined
      /** The links of a relation that omit the column; undefined if the records of the model do. */
      readonly links?: {
        readonly relation: string
        /** Whether a trigger can fill columns in this database. */
        readonly triggersFill: boolean
      }
      /**
       * Whether the database may still fill the column (`SchemaRules.mayFill`). `compareSchema` leaves it out, because it runs no
       * queries.
       */
      readonly mayFill?: boolean
    })
  | (Place & {
      readonly kind: 'primary key'
      readonly declared: readonly string[]
      readonly found: readonly string[]
    })
  | (Place & {
      readonly kind: 'unique'
      readonly fields: readonly string[]
      /** Columns of the table. */
      readonly columns: readonly string[]
      /** The relation that expects the columns to be unique; undefined if the model declares them as unique. */
      readonly relation: string | undefined
      /** A unique index over these columns that covers only some rows. */
      readonly partial: Pick<PartialKey, 'name' | 'condition'> | undefined
      /** In words, a unique index over the records that are not deleted; undefined for a model without soft delete. */
      readonly indexOfActive: string | undefined
      /** In a model without soft delete, the meta with which the column that `partial` tests would mark deleted records. */
      readonly softDelete: string | undefined
    })
  | (Place & {
      readonly kind: 'unique write-only'
      /** The write-only field. */
      readonly field: string
      /** Columns of the unique key. */
      readonly columns: readonly string[]
    })
  | (Place & {
      readonly kind: 'repeated pairs'
      /** Columns of the junction table. */
      readonly columns: readonly string[]
      readonly relation: string
    })
  | (Place & {
      readonly kind: 'lacking'
      /** The field whose column cannot be compared; undefined if a write lacks something. */
      readonly field: string | undefined
      /** The method that cannot be served; undefined for a column. */
      readonly method: string | undefined
      /** As the database says it: `no such function: fold`. */
      readonly missing: string
    })
  | (Place & {
      readonly kind: 'foreign key'
      readonly relation: string
      readonly key: Reference
      /** What the foreign key of the same columns refers to instead; undefined if they have no foreign key. */
      readonly found: Pick<Reference, 'table' | 'references'> | undefined
    })

/** Columns of one table that refer to columns of another table. */
export interface Reference {
  /** The table of `columns`. */
  readonly from: string
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
}
