// Collection: the methods of a client for the records of one model, such as `client.books.list(…)`; `create-client.ts` implements them. Types
// only.
//
// The type parameters of the methods are inferred from the query, and decide the type of the records: F are its `fields`, I is its `include`,
// D its `dump`, E its `ifNoneMatch`, A its `aggregate`. M is the model, G the options of the API with all models.

import type { AnyModel } from '../model/define-model.ts'
import type { ColumnRow } from '../model/infer.ts'
import type { KeyedPatch, NewRecord, Patch, Replacement } from './body-types.ts'
import type { Call } from './client-call.ts'
import type { GivenOptions, IsMany, KeyName, RelationName, Target } from './model-fields.ts'
import type { Aggregates, Group, GroupKey, GroupQuery } from './query/group-types.ts'
import type {
  CursorOrder,
  Dump,
  FieldPath,
  Form,
  Include,
  Paging,
  Selection,
  SendOptions,
} from './query/query.ts'
import type { Aggregating } from './query/related-types.ts'
import type { Where } from './query/where-types.ts'
import type { Row } from './row.ts'
import type { UniqueKey } from './unique-key.ts'

/** The value of a column of the primary key. */
type KeyValue<M extends AnyModel> = ColumnRow<M>[KeyName<M> & keyof ColumnRow<M>]

/** The key of a record; a composite key is a list, in the order of the model. */
export type KeyOf<M extends AnyModel> = KeyValue<M> | readonly KeyValue<M>[]

/** The type of `include` in a query without it. */
type NoInclude = NonNullable<unknown>

/** A read that is answered only if its result has changed. */
export interface ConditionalRead<E> {
  /**
   * An ETag: if the response would have the same ETag, the status is 304 and the value null. Responses to lists have one with
   * `API_LIST_ETAGS`.
   */
  readonly ifNoneMatch?: E | undefined
}

/** The options of reading one record. */
export interface GetOptions<E> extends SendOptions, ConditionalRead<E> {
  readonly includeDeleted?: boolean | undefined
}

/** Null if the query has `ifNoneMatch`, because the status may be 304; else never. */
type Unchanged<E> = undefined extends E ? never : null

/** The options of writing one record. */
export interface WriteOptions extends SendOptions {
  /** An ETag: 412 if the record has changed since. */
  readonly ifMatch?: string
}

/** The options of changing one record. */
export interface UpdateOptions extends WriteOptions {
  /**
   * Merges the objects of json columns into the stored ones (`application/merge-patch+json`): a member is set, null removes it.
   * Default false: they replace the stored ones.
   */
  readonly merge?: boolean | undefined
}

/** The options of creating records. */
export interface CreateOptions<M extends AnyModel> extends SendOptions {
  /** Repeating the same body with the same key within a day returns the stored response instead of writing again. */
  readonly idempotencyKey?: string | undefined
  /**
   * A unique column, `'isbn'`, or the columns of a unique set, `['shelf', 'place']`. If a record with the same values in them exists,
   * it is changed instead. Columns of a set that are hidden are left out.
   */
  readonly onConflict?: UniqueKey<M> | undefined
}

/** The to-one and many-to-many relations that a body may contain. */
type LinkedName<M extends AnyModel, G extends GivenOptions> = {
  [K in RelationName<M, G>]: M['relations'][K] extends {
    readonly kind: 'belongsTo' | 'manyToMany'
  }
    ? K
    : never
}[RelationName<M, G>]

// Anything is assignable to a type without members, so a model without such relations gets `never`.
type LinkKeys<M extends AnyModel, G extends GivenOptions> = [LinkedName<M, G>] extends [never]
  ? never
  : { readonly [K in LinkedName<M, G>]?: UniqueKey<Target<M, G, K>> }

/** The option by which nested objects are linked to stored records. */
export interface LinkOptions<M extends AnyModel, G extends GivenOptions> {
  /**
   * The unique columns by which nested objects of a relation name stored records, as in `onConflict`; missing records are created.
   *
   * ```ts
   * await client.books.create({ title: 'Emma', tags: [{ name: 'novel' }] }, { linkBy: { tags: 'name' } })
   * ```
   */
  readonly linkBy?: LinkKeys<M, G> | undefined
}

/** The relations to lists of children. */
type ChildrenName<M extends AnyModel, G extends GivenOptions> = {
  [K in RelationName<M, G>]: M['relations'][K] extends { readonly kind: 'hasMany' } ? K : never
}[RelationName<M, G>]

/** The option about children that a body leaves out. */
export interface ChildOptions<M extends AnyModel, G extends GivenOptions> {
  /**
   * Whether a list of children in the body removes the stored ones that it does not name. Default: it keeps them.
   *
   * ```ts
   * await client.invoices.update(1, { lines: [{ id: 7, text: 'Paper' }] }, { onMissing: { lines: 'remove' } })
   * ```
   */
  readonly onMissing?: OnMissing<ChildrenName<M, G>> | undefined
}

// Lists below other lists are named by a path: `lines.notes`.
type OnMissing<K> = [K] extends [never]
  ? never
  : { readonly [_ in (K & string) | `${K & string}.${string}`]?: 'keep' | 'remove' }

/** The options of removing one record. */
export interface RemoveOptions extends WriteOptions {
  /** Also deletes dependent records. */
  readonly cascade?: boolean | undefined
}

/** The options of writes by conditions. */
export interface ManyOptions extends SendOptions {
  /** The write is refused with 400 if it matches more records than this. */
  readonly maxAffected?: number
}

/**
 * The records of one model. Each method makes a `Call`, which is sent when it is awaited.
 *
 * ```ts
 * const result = await client.books.list({ where: { price: { gt: '20' } }, orderBy: ['-price'] })
 * ```
 */
export interface Collection<M extends AnyModel, G extends GivenOptions> {
  /** A page of records. */
  list<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
    const E extends string | undefined = undefined,
    const A = unknown,
  >(
    query?: Selection<M, G, A> &
      Paging &
      ConditionalRead<E> &
      Form<M, G, F, I, D> &
      Aggregating<M, G, A>,
  ): Call<Row<M, G, F, I, D, A>[] | Unchanged<E>>

  /** One record; a failure with status 404 if it is not there. */
  get<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
    const E extends string | undefined = undefined,
    const A = unknown,
  >(
    key: KeyOf<M>,
    query?: GetOptions<E> & Form<M, G, F, I, D> & Aggregating<M, G, A>,
  ): Call<Row<M, G, F, I, D, A> | Unchanged<E>>

  /**
   * Reads all records of a query, page by page. It pages by cursor, so a late page costs no more than an early one. `orderBy` takes no
   * aggregates of related records, whose values may change between two pages. Throws the `ClientError` of a page that fails.
   *
   * ```ts
   * for await (const book of client.books.iterate({ orderBy: ['title'] })) console.log(book.title)
   * ```
   */
  iterate<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
    const A = unknown,
  >(
    query?: Selection<M, G, A, CursorOrder<M, G>> & Form<M, G, F, I, D> & Aggregating<M, G, A>,
  ): AsyncGenerator<Row<M, G, F, I, D, A>, void, undefined>

  /**
   * Groups and their aggregates.
   *
   * ```ts
   * await client.reviews.groups({ groupBy: ['rating'], aggregate: { n: { count: 'id' } }, orderBy: ['-n'] })
   * ```
   */
  groups<
    const By extends GroupKey<M, G> = never,
    const A extends Aggregates<M> = NonNullable<unknown>,
  >(query: GroupQuery<M, G, By, A>): Call<Group<M, G, By, A>[]>

  /** The related records of a record, by a to-many relation. */
  related<
    const R extends RelationName<M, G>,
    const F extends FieldPath<Target<M, G, R>, G> = never,
    const I extends Include<Target<M, G, R>, G> = NoInclude,
    const D extends Dump = 'none',
    const A = unknown,
  >(
    key: KeyOf<M>,
    relation: IsMany<M, R> extends true ? R : never,
    query?: Selection<Target<M, G, R>, G, A> &
      Paging &
      Form<Target<M, G, R>, G, F, I, D> &
      Aggregating<Target<M, G, R>, G, A>,
  ): Call<Row<Target<M, G, R>, G, F, I, D, A>[]>

  /**
   * Creates a record. The value is the new record, or null if the caller may not read it. `fields`, `include` and `dump` choose its
   * parts, here and in the other writes.
   */
  create<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    record: NewRecord<M, G>,
    options?: CreateOptions<M> & LinkOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D> | null>
  /**
   * Creates several records in one transaction.
   *
   * ```ts
   * await client.tags.createMany([{ name: 'poems' }, { name: 'sea' }], { onConflict: 'name', fields: ['id'] })
   * ```
   */
  createMany<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    records: readonly NewRecord<M, G>[],
    options?: CreateOptions<M> & LinkOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D>[]>
  /**
   * Changes fields of a record. The value is the changed record, or null if the caller may not read it.
   *
   * ```ts
   * await client.readers.update(1, { settings: { theme: null } }, { merge: true })
   * ```
   */
  update<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    key: KeyOf<M>,
    patch: Patch<M, G>,
    options?: UpdateOptions & LinkOptions<M, G> & ChildOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D> | null>
  /** Changes several records by their keys, in one transaction: `[{ id: 1, price: '9.00' }, { id: 2, title: 'Emma' }]`. */
  updateEach<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    patches: readonly KeyedPatch<M, G>[],
    options?: SendOptions & LinkOptions<M, G> & ChildOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D>[]>
  /** Replaces a record (PUT): omitted fields get their default, or null. The API allows it if `allowed_methods` lists PUT. */
  replace<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    key: KeyOf<M>,
    record: Replacement<M, G>,
    options?: WriteOptions & LinkOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D> | null>
  /** Changes all matching records; at least one condition is required. */
  updateMany<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(
    where: Where<M, G>,
    patch: Patch<M, G>,
    options?: ManyOptions & LinkOptions<M, G> & ChildOptions<M, G> & Form<M, G, F, I, D>,
  ): Call<Row<M, G, F, I, D>[]>
  remove(key: KeyOf<M>, options?: RemoveOptions): Call<null>
  /** Removes all matching records; at least one condition is required. */
  removeMany(where: Where<M, G>, options?: ManyOptions): Call<null>
  /** Restores a soft-deleted record. */
  restore<
    const F extends FieldPath<M, G> = never,
    const I extends Include<M, G> = NoInclude,
    const D extends Dump = 'none',
  >(key: KeyOf<M>, options?: WriteOptions & Form<M, G, F, I, D>): Call<Row<M, G, F, I, D> | null>
}
