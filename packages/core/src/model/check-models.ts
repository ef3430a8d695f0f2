// Compile-time check of a list of models: relation targets and key fields exist; the rest is checked at start-up. Types only.

import type { AnyModel } from './define-model.ts'
import type { Key, ManyToMany, Relation } from './relation.ts'

// Mapped over names, not `M in Models[number] as M['name']`: TypeScript would compute those keys again for every relation.
type ByName<All extends AnyModel> = {
  readonly [Name in All['name']]: All extends { readonly name: Name } ? All : never
}

type Field<M> = M extends AnyModel ? keyof M['columns'] & string : never

/** The fields a key names. */
type KeyFields<K> = K extends readonly (infer F)[] ? F : K

/** `never` if every field of the key exists, otherwise a string type that says which does not. */
type CheckedKey<K extends Key, M extends AnyModel> = [Exclude<KeyFields<K>, Field<M>>] extends [
  never,
]
  ? never
  : `${M['name']} has no column "${Exclude<KeyFields<K>, Field<M>> & string}"`

// Not `& AnyModel`, which would accept any string as a field.
type Target<M> = M extends AnyModel ? M : never

type CheckedRelation<R extends Relation, Own extends AnyModel, All> =
  // A target that is not a literal type, or a list of unknown models, cannot be checked here.
  string extends R['target'] | keyof All
    ? never
    : R['target'] extends keyof All
      ? R extends ManyToMany
        ? never
        : R extends { readonly kind: 'belongsTo'; readonly key: infer K extends Key }
          ? CheckedKey<K, Own>
          : R extends { readonly key: infer K extends Key }
            ? CheckedKey<K, Target<All[R['target']]>>
            : never
      : `no model named "${R['target']}"`

/** What is wrong with the relations of a model, as string types; `never` if nothing is. */
type Mistakes<M extends AnyModel, All> = {
  [K in keyof M['relations']]: CheckedRelation<M['relations'][K], M, All>
}[keyof M['relations']]

// A string type in place of the model, so that the first line of the compiler's message says it.
type CheckedModel<M extends AnyModel, All> = [Mistakes<M, All>] extends [never]
  ? unknown
  : Mistakes<M, All>

/**
 * A list of models; a relation to a model or field that does not exist is a compile error.
 *
 * ```ts
 * function publish<const Models extends readonly AnyModel[]>(models: Models & CheckedModels<Models>): void
 * ```
 */
export type CheckedModels<Models extends readonly AnyModel[]> = number extends Models['length']
  ? // A list of unknown length may hold any model.
    unknown
  : { readonly [I in keyof Models]: CheckedModel<Models[I], ByName<Models[number]>> }
