// AddedRecord: the type of the new record that the `add_callback` of a model receives: which of its members are surely present. Types only.

import type { AnyModel } from '../../define-model.ts'
import type { RecordOf } from '../../infer.ts'

/** Columns that every body of a new record has, because POST requires them. */
interface RequiredColumn {
  readonly type: unknown
  readonly nullable?: false | undefined
  readonly hidden?: false | undefined
  readonly readOnly?: false | undefined
  readonly generated?: false | undefined
  readonly managed?: undefined
  readonly hasDefault?: false | undefined
  readonly default?: undefined
  readonly read?: undefined
  readonly write?: undefined
}

/** Columns that the API fills before it calls the callback. */
type Filled = { readonly managed: 'created' | 'updated' } | { readonly generated: 'uuid' }

/** Whether the default of a column gives a value of the column; a default may be null only in a nullable one. */
type HasDefault<C> = C extends { readonly default: infer D }
  ? C extends { readonly nullable: true }
    ? true
    : Gives<D extends (...args: never[]) => infer R ? Awaited<R> : D>
  : false

/** False for a value that may be null. A value of any type is trusted. */
type Gives<T> = unknown extends T ? true : null extends T ? false : true

/** Columns that no client may write in API_USER_MODEL, unless the model says otherwise; which model that is, the type does not know. */
type GuardedIn<M extends AnyModel> = RolesOf<M> | CredentialIn<M['columns']>

/** The fields that give roles. */
type RolesOf<M extends AnyModel> =
  | 'roles'
  | (M['relations'] extends { readonly roles: infer R } ? KeyOf<R> : never)

/** The columns whose names look like credentials. */
type CredentialIn<C> = {
  [K in keyof C]: C[K] extends
    | { readonly hidden: false }
    | { readonly writeOnly: true }
    | { readonly type: 'boolean' | 'float' | 'enum' | 'date' | 'time' | 'datetime' }
    ? never
    : Lowercase<K & string> extends CredentialName
      ? K
      : never
}[keyof C]

/** Names that `looksLikeCredential` may hide in API_USER_MODEL. A name too many only leaves a column optional. */
type CredentialName =
  `${string}${'pass' | 'pwd' | 'secret' | 'token' | 'jwt' | 'credential' | 'otp' | 'salt' | 'hash' | 'api_key' | 'apikey'}${string}`

/** The foreign key of a relation, by field names. */
type KeyOf<R> = R extends { readonly kind: 'belongsTo'; readonly key: infer K }
  ? K extends readonly (infer One)[]
    ? One
    : K
  : never

/** The foreign keys of a model. */
type References<M extends AnyModel> = KeyOf<M['relations'][keyof M['relations']]>

type IsUnion<T, All = T> = [T] extends [never]
  ? false
  : T extends All
    ? [All] extends [T]
      ? false
      : true
    : never

type PrimaryKey<C> = {
  [K in keyof C]: C[K] extends { readonly primaryKey: true } ? K : never
}[keyof C]

type InUniqueSets<M extends AnyModel> = NonNullable<M['unique']>[number][number]

/**
 * Whether the model looks like one of a junction table: several columns are its primary key, or several foreign keys are in its unique
 * sets. A list of links creates records of such a model without the other columns, which the callback may fill.
 */
type MayBeLink<M extends AnyModel> =
  IsUnion<PrimaryKey<M['columns']>> extends false
    ? IsUnion<Extract<InUniqueSets<M>, References<M>>>
    : true

/** The names of the columns that every body has. */
type RequiredKeys<M extends AnyModel> =
  MayBeLink<M> extends false
    ? Exclude<
        {
          [K in keyof M['columns']]: M['columns'][K] extends RequiredColumn ? K : never
        }[keyof M['columns']],
        GuardedIn<M>
      >
    : never

/** The names of the columns that the API has filled. */
type FilledKeys<C> = {
  [K in keyof C]: C[K] extends Filled ? K : HasDefault<C[K]> extends true ? K : never
}[keyof C]

/** The names of the members that are surely present. */
type PresentKeys<M extends AnyModel> = RequiredKeys<M> | FilledKeys<M['columns']>

/**
 * A new record as an `add` callback receives it. Present are the columns that POST requires, and those that the API has filled: defaults,
 * managed columns, and keys that are `generated: 'uuid'`. Optional are all others: those that the database fills, computed ones, and those
 * that the body may omit or the caller may not write.
 */
export type AddedRecord<M extends AnyModel> = {
  [K in keyof RecordOf<M> as K extends PresentKeys<M> ? K : never]: RecordOf<M>[K]
} & { [K in keyof RecordOf<M> as K extends PresentKeys<M> ? never : K]?: RecordOf<M>[K] }
