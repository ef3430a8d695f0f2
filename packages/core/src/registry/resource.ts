// Resource: a model as published; everything that can be computed once about it. Types only.

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
  // biome-ignore lint/suspicious/noExplicitAny: the expression builder is typed at the author's door
  readonly computed?: (eb: any) => Expression<unknown>
}

/** A relation whose target is published, with both key lists resolved to columns. */
export interface ResolvedRelation {
  /** The relation key: what the author called it. */
  readonly name: string
  /** The path segment: the relation key in endpoint case. */
  readonly segment: string
  readonly cardinality: 'one' | 'many'
  readonly kind: 'belongsTo' | 'hasOne' | 'hasMany' | 'manyToMany'
  readonly source: Resource
  /** Assigned once while the registry is built, since resources refer to each other. */
  readonly target: Resource
  /** Columns of the source that hold the join key, in the order of `to`. */
  readonly from: readonly NamedColumn[]
  /** Columns of the target. */
  readonly to: readonly NamedColumn[]
  /** The junction table of a many-to-many: database names, `from` pairs with ours, `to` with the target's. */
  readonly through?: {
    readonly table: string
    readonly from: readonly string[]
    readonly to: readonly string[]
    /** The published model of that table, where there is one. */
    readonly resource: Resource | undefined
  }
  /** The relation of the target that leads back by the same keys, where one is declared. */
  readonly inverse?: ResolvedRelation
}

/** A model as published. */
export interface Resource {
  readonly model: AnyModel
  /** The model's name, as declared: `OrderItem`. */
  readonly name: string
  readonly table: string
  /** Plural endpoint name in API_ENDPOINT_CASE: `order-items`. */
  readonly endpoint: string
  /** Every path below API_PREFIX that serves it, the emitted one first; the singular alias is last. Empty where the host owns the routes; then `endpoint` is emitted. */
  readonly paths: readonly string[]
  /** Visible columns by field name, in model order. Hidden ones are not here. */
  readonly columns: ReadonlyMap<string, NamedColumn>
  /** All columns, hidden ones too. */
  readonly allColumns: ReadonlyMap<string, NamedColumn>
  readonly primaryKey: readonly NamedColumn[]
  /** Every set of columns that no two records share: the primary key, unique columns, unique sets. */
  readonly uniqueKeys: readonly (readonly NamedColumn[])[]
  /** Relations whose target is published, by key, in model order. */
  readonly relations: ReadonlyMap<string, ResolvedRelation>
  readonly settings: ResourceSettings
  /** Of the users: the relation to their roles, published or not; role rules alone read it. */
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
