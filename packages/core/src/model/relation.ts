// Relations between models, as the host declares them: `belongsTo`, `hasOne`, `hasMany` and `manyToMany` make plain data that names its target.
// The registry resolves the names.

/** One field, or the fields of a composite key in the order of the key at the other end of the relation. */
export type Key = string | readonly string[]

/** Returns the names of a key, which is one name or a list. */
export const keyNames = (key: Key): readonly string[] => (typeof key === 'string' ? [key] : key)

/** The options of relations with a foreign key. */
export interface KeyOptions<References extends Key = Key> {
  /** The field or fields that are referenced. Default: the primary key. */
  readonly references?: References
}

/** What a DELETE of a record does with the records that refer to it. */
export type OnDelete = 'restrict' | 'cascade' | 'null'

/** The options of relations whose foreign key is at the other end. */
export interface ChildOptions<References extends Key = Key> extends KeyOptions<References> {
  /**
   * What a DELETE of a record does with its related records: `restrict` refuses it (409) if there are any, `cascade` deletes them too,
   * `null` sets their foreign key to NULL. Default: `restrict`.
   */
  readonly on_delete?: OnDelete
}

/**
 * The order of related records: a field of the target, or several; `-` in front for descending, `.nullsfirst` or `.nullslast` at the end.
 */
export type RelationOrder = string | readonly string[]

/** The options of `hasMany`. */
export interface ChildrenOptions<References extends Key = Key> extends ChildOptions<References> {
  /**
   * The order of the related records where a request asks for none, embedded and on their own route. The primary key follows. Default: the
   * primary key alone.
   */
  readonly order_by?: RelationOrder
}

/** This model has a foreign key to one record of the target. */
export interface BelongsTo<Target extends string = string, K extends Key = Key> {
  readonly kind: 'belongsTo'
  readonly target: Target
  /** Fields of this model. */
  readonly key: K
  /** Fields of the target; its primary key when absent. */
  readonly references?: Key
}

/** At most one record of the target has a foreign key to a record of this model. */
export interface HasOne<Target extends string = string, K extends Key = Key> {
  readonly kind: 'hasOne'
  readonly target: Target
  /** Fields of the target. */
  readonly key: K
  /** Fields of this model; its primary key when absent. */
  readonly references?: Key
  /** `restrict` when absent. */
  readonly on_delete?: OnDelete
}

/** Any number of records of the target have a foreign key to a record of this model. */
export interface HasMany<Target extends string = string, K extends Key = Key> {
  readonly kind: 'hasMany'
  readonly target: Target
  /** Fields of the target. */
  readonly key: K
  /** Fields of this model; its primary key when absent. */
  readonly references?: Key
  /** `restrict` when absent. */
  readonly on_delete?: OnDelete
  /** The primary key of the target when absent. */
  readonly order_by?: RelationOrder
}

/** A junction table pairs this model's primary key with the target's; all names are those in the database. */
export interface ManyToMany<Target extends string = string> {
  readonly kind: 'manyToMany'
  readonly target: Target
  /** The junction table. */
  readonly through: string
  /** The schema of the junction table. Default: the schema of this model. */
  readonly schema?: string
  /** The columns of the junction table that hold this model's key. */
  readonly from: Key
  /** The columns of the junction table that hold the target's key. */
  readonly to: Key
  /** Whether the junction table has no unique key of these columns and may hold a pair twice. A related record is shown once. */
  readonly repeats?: boolean
  /** The primary key of the target when absent. */
  readonly order_by?: RelationOrder
}

export type Relation = BelongsTo | HasOne | HasMany | ManyToMany

/**
 * Declares that this model has a foreign key to one record of the target.
 *
 * ```ts
 * publisher: belongsTo('Publisher', 'publisher_id')
 * edition: belongsTo('Edition', ['book_id', 'edition_no']) // composite: in the order of the target's key
 * country: belongsTo('Country', 'country_code', { references: 'code' }) // another unique key
 * ```
 */
export function belongsTo<const Target extends string, const K extends Key>(
  target: Target,
  key: K,
  options: KeyOptions = {},
): BelongsTo<Target, K> {
  return { kind: 'belongsTo', target, key, ...options }
}

/**
 * Declares that at most one record of the target has a foreign key to a record of this model.
 *
 * ```ts
 * profile: hasOne('Profile', 'author_id')
 * ```
 */
export function hasOne<const Target extends string, const K extends Key>(
  target: Target,
  key: K,
  options: ChildOptions = {},
): HasOne<Target, K> {
  return { kind: 'hasOne', target, key, ...options }
}

/**
 * Declares that any number of records of the target have a foreign key to a record of this model.
 *
 * ```ts
 * books: hasMany('Book', 'author_id')
 * drafts: hasMany('Draft', 'author_id', { on_delete: 'cascade' }) // deleted with the author
 * lines: hasMany('Line', 'invoice_id', { order_by: 'position' })
 * ```
 */
export function hasMany<const Target extends string, const K extends Key>(
  target: Target,
  key: K,
  options: ChildrenOptions = {},
): HasMany<Target, K> {
  return { kind: 'hasMany', target, key, ...options }
}

/**
 * Declares that a junction table pairs records of both sides. `through`, `schema`, `from` and `to` are names of the database; `schema` is
 * that of the junction table, by default this model's. `repeats: true`: the table may hold a pair twice. `order_by` as in `hasMany`.
 *
 * ```ts
 * tags: manyToMany('Tag', { through: 'author_tags', from: 'author_id', to: 'tag_id' })
 * ```
 */
export function manyToMany<const Target extends string>(
  target: Target,
  junction: {
    readonly through: string
    readonly schema?: string
    readonly from: Key
    readonly to: Key
    readonly repeats?: boolean
    readonly order_by?: RelationOrder
  },
): ManyToMany<Target> {
  return { kind: 'manyToMany', target, ...junction }
}
