// Resource: a published model with everything computed from it at start-up. Types only.

import type { Expression } from 'kysely'
import type { ResourceSettings } from '../config/settings.ts'
import type { Column, ColumnType } from '../model/column.ts'
import type { AnyModel } from '../model/define-model.ts'

/** A column with its two names resolved. */
export interface NamedColumn {
  /** The field name: what clients write and read. */
  readonly name: string
  /** The name in the database. For a computed column: the field name, given inside the source. */
  readonly dbName: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly hidden: boolean
  readonly precision?: number
  readonly scale?: number
  readonly enum?: readonly string[]
  readonly collation?: 'database'
  readonly storage?: 'text'
  /** As declared; for a computed column, a read-only column of its type. */
  readonly definition: Column
  /** The SQL expression over the model's own unqualified columns, for a computed column. */
  // biome-ignore lint/suspicious/noExplicitAny: `defineModel` types the expression builder
  readonly computed?: (eb: any) => Expression<unknown>
}

/** A relation whose target is published, with both key lists resolved to columns. */
export interface ResolvedRelation {
  /** The relation key: its name in the model. */
  readonly name: string
  /** The path segment: the relation key in endpoint case. */
  readonly segment: string
  readonly cardinality: 'one' | 'many'
  readonly kind: 'belongsTo' | 'hasOne' | 'hasMany' | 'manyToMany'
  readonly source: Resource
  /** Assigned once while the registry is built, since resources refer to each other. */
  readonly target: Resource
  /** Columns of the source that the join compares, in the order of `to`. */
  readonly from: readonly NamedColumn[]
  /** Columns of the target that the join compares. */
  readonly to: readonly NamedColumn[]
  /** The junction table of a many-to-many, by database names: `from` references the source, `to` the target. */
  readonly through?: {
    readonly table: string
    readonly from: readonly string[]
    readonly to: readonly string[]
    /** The published model of that table, if any. */
    readonly resource: Resource | undefined
  }
  /** The target's relation with the same keys, if one is declared. */
  readonly inverse?: ResolvedRelation
}

/** A published model. */
export interface Resource {
  readonly model: AnyModel
  /** The model's name, as declared: `OrderItem`. */
  readonly name: string
  readonly table: string
  /** Plural endpoint name in API_ENDPOINT_CASE: `order-items`. */
  readonly endpoint: string
  /** Every path below API_PREFIX that serves it: first the one used in responses, last the singular alias. Empty if the host serves the routes itself; responses then use `endpoint`. */
  readonly paths: readonly string[]
  /** Visible columns by field name, in model order. Hidden ones are not here. */
  readonly columns: ReadonlyMap<string, NamedColumn>
  /** All columns, including hidden ones. */
  readonly allColumns: ReadonlyMap<string, NamedColumn>
  readonly primaryKey: readonly NamedColumn[]
  /** Every set of columns that no two records share: the primary key, unique columns, unique sets. */
  readonly uniqueKeys: readonly (readonly NamedColumn[])[]
  /** Relations whose target is published, by key, in model order. */
  readonly relations: ReadonlyMap<string, ResolvedRelation>
  readonly settings: ResourceSettings
  /** Only on the user model: the relation to roles, published or not, for role rules. */
  readonly roles?: ResolvedRelation
}

/** All resources of an API. */
export interface Registry {
  readonly resources: readonly Resource[]
  /** By model name. */
  readonly byName: ReadonlyMap<string, Resource>
  /** The users (API_USER_MODEL), published or not. */
  readonly users: Resource | undefined
}
