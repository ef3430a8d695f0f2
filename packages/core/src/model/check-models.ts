// Compile-time check of a list of models: relation targets exist and key fields are fields; what it cannot see is checked at start-up. Types only.

import type { AnyModel } from './define-model.ts'
import type { Key, ManyToMany, Relation } from './relation.ts'

// Over names, not `M in Models[number] as M['name']`: the keys of that would be worked out anew for every relation.
type ByName<All extends AnyModel> = {
  readonly [Name in All['name']]: All extends { readonly name: Name } ? All : never
}

type Field<M> = M extends AnyModel ? keyof M['columns'] & string : never

/** The fields a key names. */
type KeyFields<K> = K extends readonly (infer F)[] ? F : K

/** `unknown` where every field of the key exists, else a text that says which does not. */
type CheckedKey<K extends Key, M extends AnyModel> = [Exclude<KeyFields<K>, Field<M>>] extends [
  never,
]
  ? unknown
  : `${M['name']} has no column "${Exclude<KeyFields<K>, Field<M>> & string}"`

// Not `& AnyModel`, which would make any text a field.
type Target<M> = M extends AnyModel ? M : never

type CheckedRelation<R extends Relation, Own extends AnyModel, All> =
  // A target that is no literal is not known here; neither are the models of an open list.
  string extends R['target'] | keyof All
    ? unknown
    : R['target'] extends keyof All
      ? R extends ManyToMany
        ? unknown
        : R extends { readonly kind: 'belongsTo'; readonly key: infer K extends Key }
          ? CheckedKey<K, Own>
          : R extends { readonly key: infer K extends Key }
            ? CheckedKey<K, Target<All[R['target']]>>
            : unknown
      : `no model named "${R['target']}"`

type CheckedModel<M extends AnyModel, All> = {
  readonly relations: {
    readonly [K in keyof M['relations']]: CheckedRelation<M['relations'][K], M, All>
  }
}

/**
 * A list of models, where a relation that names no model of the list, or no field, makes the list a compile error.
 *
 * ```ts
 * function publish<const Models extends readonly AnyModel[]>(models: Models & CheckedModels<Models>): void
 * ```
 */
export type CheckedModels<Models extends readonly AnyModel[]> = number extends Models['length']
  ? // An open list may hold any model.
    unknown
  : { readonly [I in keyof Models]: CheckedModel<Models[I], ByName<Models[number]>> }
