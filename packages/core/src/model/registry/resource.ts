// Resource: a published model with everything computed from it at start-up: its columns, keys, relations and settings, whose types are here too
// (NamedColumn, ResolvedRelation, Exclusion). The Registry holds all resources; every stage of a request refers to them. Types only.

import type { Expression } from 'kysely'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { Column, ColumnType, ItemType } from '../column.ts'
import type { AnyModel } from '../define-model.ts'
import type { JsonPath, SearchIndex } from '../dialect-column.ts'
import type { DeclaredRule } from '../exclusions/exclusion-rule.ts'
import type { OnDelete } from '../relation.ts'
import type { ResourceSettings } from '../settings/settings.ts'
import type { SpecialValues } from '../type-definition.ts'

/** A column with its two names resolved. */
export interface NamedColumn {
  /** The field name: what clients write and read. */
  readonly name: string
  /** The name in the database. For a computed column: the field name, which is its alias inside the source. */
  readonly dbName: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly hidden: boolean
  /** Only in the registry of one caller: the right that the caller lacks. `read`: the column is hidden; `write`: it is read-only. */
  readonly withheld?: 'read' | 'write'
  // Up to `unsigned`, the options of `Column` with these names; `precision` has its default.
  readonly precision?: number
  readonly scale?: number
  readonly items?: ItemType
  readonly enum?: readonly string[]
  readonly collation?: 'database'
  readonly storage?: 'text'
  readonly unsigned?: boolean
  /** Values that the column may contain in another form than its type has, such as PostgreSQL's `infinity`. */
  readonly special?: SpecialValues
  /** The database may contain values that are not of the column's type. Responses show them as text, and writes accept them unchanged. */
  readonly otherForms?: true
  /** For a json column: the declared paths into it, by their text, such as `address.city`. Each is a column that only queries can name. */
  readonly paths?: ReadonlyMap<string, PathColumn>
  /** Set if this is a path into a json column, whose `dbName` it has. */
  readonly path?: JsonPlace
  /** Set if the expression of the path already has the form that `Dialect.comparable` produces. */
  readonly comparable?: true
  /**
   * Only in a plan and its statement: the column of the registry, if the query of a hook computes the values in its place, or if its texts
   * are compared by code point instead of under its collation.
   */
  readonly inPlaceOf?: NamedColumn
  /** As declared; for a computed column, a read-only column of its type. */
  readonly definition: Column
  /** The SQL expression of a computed column. */
  // biome-ignore lint/suspicious/noExplicitAny: `defineModel` types the parameters
  readonly computed?: (eb: any, self: any) => Expression<unknown>
}

/** A column of type json, and a path into its values. */
export interface JsonPlace {
  /** The column of the API's registry, which is the object that the dialect knows. */
  readonly of: NamedColumn
  readonly path: JsonPath
}

/** A declared path into a json column, with the type of its values. */
export interface PathColumn extends NamedColumn {
  readonly path: JsonPlace
}

/** A declared aggregate of related records, with its result as a read-only column. It is in no table: plans replace it by an aggregate. */
export interface AggregateColumn extends NamedColumn {
  /** The aggregate in the query language: `count(appointments[status__eq=open])`. */
  readonly text: string
  /** Whether responses contain it without `fields`. */
  readonly sent: boolean
  /** The columns whose values decide it. A caller who may not read one of them does not see the aggregate. */
  readonly reads: readonly NamedColumn[]
}

/** The parts of a relation's URL: the collection of `resource`, a key with values of the row, and `rest`. */
export interface RelationAddress {
  readonly resource: Resource
  /** The columns of the row whose values are the key, in the order of the resource's primary key. */
  readonly key: readonly NamedColumn[]
  /** `/author`, or empty. */
  readonly rest: string
}

/** A column of a relation's source, and the column of its target that holds the same value. */
export interface ColumnPair {
  readonly from: NamedColumn
  readonly to: NamedColumn
}

/** A foreign key column, by its name in the database, and the column of the key that it refers to. */
export interface ForeignKeyColumn {
  readonly dbName: string
  readonly column: NamedColumn
  /** The foreign key column itself, whose collation may differ. */
  readonly held: NamedColumn
}

/** A term of a relation's `order_by`: a field of the target. */
export interface RelationOrderTerm {
  readonly name: string
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
}

/** A relation whose target is published, with its keys resolved to columns. */
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
  /** The columns that the join compares; empty for a many-to-many, whose junction table holds the keys of both sides. */
  readonly pairs: readonly ColumnPair[]
  /** Columns of the source that the join compares. */
  readonly from: readonly NamedColumn[]
  /** Columns of the target that the join compares. */
  readonly to: readonly NamedColumn[]
  /** What a DELETE of a record of the source does with its records of the target. */
  readonly onDelete: OnDelete
  /** The order of its records where a request asks for none; empty: that of the target's key. */
  readonly order: readonly RelationOrderTerm[]
  /** The junction table of a many-to-many: its foreign keys to the source (`from`) and to the target (`to`). */
  readonly through?: TableName & {
    readonly from: readonly ForeignKeyColumn[]
    readonly to: readonly ForeignKeyColumn[]
    /** The published model of the junction table, if any. */
    readonly resource: Resource | undefined
    /** Whether the table may hold a pair twice: no unique key of these columns is known. */
    readonly repeats: boolean
  }
  /** How to make the relation's URL from a row of the source; null if the relation has no URL and can only be embedded. */
  readonly address: RelationAddress | null
  /** Whether its links or new records give roles to users, so that clients do not write them. Assigned while the registry is built. */
  readonly givesRoles?: true
  /** The target's relation with the same keys, if one is declared. */
  readonly inverse?: ResolvedRelation
}

/** A rule by which no two records of a model overlap (`exclude`). Its columns are those of the API's registry. */
export interface Exclusion {
  readonly declared: DeclaredRule
  /** The columns whose values must be equal. */
  readonly equal: readonly NamedColumn[]
  readonly start: NamedColumn
  readonly end: NamedColumn
  /** The conditions on the records that the rule is about, in the query language; empty for all records. */
  readonly where: string
  /** All columns that decide whether two records overlap. Planning `where` adds its own. */
  readonly reads: ReadonlySet<string>
  /** Whether the database or the service sets one of these columns when others change. */
  readonly followsOthers: boolean
  /** A relation whose foreign key is among `equal`: writes lock the record that it refers to. It is undefined only on databases with locks of names. */
  readonly parent: ResolvedRelation | undefined
}

/** A published model. */
export interface Resource extends TableName {
  readonly model: AnyModel
  /** The model's name, as declared: `OrderItem`. */
  readonly name: string
  readonly table: string
  /** The schema of the table: that of the model, else that of the API; undefined: the connection's default. */
  readonly schema: string | undefined
  /** Plural endpoint name in API_ENDPOINT_CASE: `order-items`. */
  readonly endpoint: string
  /**
   * Every path below API_PREFIX that serves it: first the one used in responses, last the singular alias. Empty if the host serves
   * the routes itself; responses then use `endpoint`.
   */
  readonly paths: readonly string[]
  /** Visible columns by field name, in model order. Hidden ones are not here. */
  readonly columns: ReadonlyMap<string, NamedColumn>
  /** The columns that a body can contain, by field name, in model order: the visible ones, and those that are write-only. */
  readonly bodyColumns: ReadonlyMap<string, NamedColumn>
  /** All columns, including hidden ones. */
  readonly allColumns: ReadonlyMap<string, NamedColumn>
  /** The declared aggregates by name, in model order. They are in none of the other maps. */
  readonly aggregates: ReadonlyMap<string, AggregateColumn>
  /** Empty for a list without a key: its rows have no URLs and cannot be written. */
  readonly primaryKey: readonly NamedColumn[]
  /** Every set of columns that no two records share: the primary key if there is one, unique columns, unique sets. */
  readonly uniqueKeys: readonly (readonly NamedColumn[])[]
  /** The rules by which no two records overlap. */
  readonly exclusions: readonly Exclusion[]
  /** The visible columns that `search` looks in. */
  readonly search: readonly NamedColumn[]
  /** The full-text index of these columns, if the model declares one. */
  readonly searchIndex?: SearchIndex
  /** Relations whose target is published, by name, in model order. */
  readonly relations: ReadonlyMap<string, ResolvedRelation>
  /** All relations whose target is published, including those that need a column which the caller may not read. */
  readonly allRelations: ReadonlyMap<string, ResolvedRelation>
  /** Links to models that are not published. */
  readonly unpublishedLinks: readonly UnpublishedLinks[]
  readonly settings: ResourceSettings
  /** Only on the user model: the relation to roles, published or not, for role rules. */
  readonly roles?: ResolvedRelation
}

/** The junction table between a resource and a model that is not published. */
export interface UnpublishedLinks extends TableName {
  /** The foreign key of the junction table to the resource. */
  readonly key: readonly ForeignKeyColumn[]
}

/** All resources of an API, or those that one caller may see (`model/registry/caller-registry.ts`). */
export interface Registry {
  readonly resources: readonly Resource[]
  /** By model name. */
  readonly byName: ReadonlyMap<string, Resource>
  /** The users (API_USER_MODEL), published or not. */
  readonly users: Resource | undefined
  /** The columns that the caller may not read, as `Book.price`; empty in the registry of the API. */
  readonly unreadable: readonly string[]
  /** The models without meta by name, with the path segments that their endpoints would have. */
  readonly unpublished: ReadonlyMap<string, readonly string[]>
}
