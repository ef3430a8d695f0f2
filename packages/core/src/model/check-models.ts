// Compile-time check of a list of models: relation targets and key fields exist; the rest is checked at start-up. Types only.

import type { AnyModel } from './define-model.ts'
import type { BelongsTo, Key, Relation } from './relation.ts'

// Relations are compared with a union of strings (`Book`, `Book.title`), not with a union of models: TypeScript would copy that
// union for each relation, which takes quadratic time.
type FieldsOf<M> = M extends AnyModel ? `${M['name']}.${keyof M['columns'] & string}` : never

/** A string type that says which field does not exist; `never` if there is none. */
type Missing<Field extends string, Owner extends string, Fields> = Field extends unknown
  ? `${Owner}.${Field}` extends Fields
    ? never
    : `${Owner} has no column "${Field}"`
  : never

/** The fields of a key that `Owner` lacks. */
type CheckedKey<K extends Key, Owner extends string, Fields> = Missing<
  K extends string ? K : K[number],
  Owner,
  Fields
>

/** The mistakes of one relation of the model `Own`. Names are those of all models, Fields all `Model.field`. */
type CheckedRelation<R extends Relation, Own extends string, Names, Fields> =
  // A target that is not a literal type cannot be checked here.
  string extends R['target']
    ? never
    : R['target'] extends Names
      ? // A many-to-many relation has no key of either model.
        R extends { readonly key: infer K extends Key }
        ? CheckedKey<K, R extends BelongsTo ? Own : R['target'], Fields>
        : never
      : `no model named "${R['target']}"`

/** The mistakes in the relations of a model, as string types; `never` if there are none. */
type Mistakes<M extends AnyModel, Names, Fields> = {
  [K in keyof M['relations']]: CheckedRelation<M['relations'][K], M['name'], Names, Fields>
}[keyof M['relations']]

/** The mistakes with the names of their relations. Only a model with a mistake takes the instantiations. */
type NamedMistakes<M extends AnyModel, Names, Fields> = {
  [K in keyof M['relations'] &
    string]: `${M['name']}.${K}: ${CheckedRelation<M['relations'][K], M['name'], Names, Fields>}`
}[keyof M['relations'] & string]

// A string type in place of the model, so that the first line of the compiler's message has the mistake.
type CheckedModel<M extends AnyModel, Names, Fields> = [Mistakes<M, Names, Fields>] extends [never]
  ? unknown
  : NamedMistakes<M, Names, Fields>

/**
 * A list of models; a relation to a model or field that does not exist is a compile error. It comes first in the intersection, because the
 * compiler shortens the types in its messages at their end.
 *
 * ```ts
 * function publish<const Models extends readonly AnyModel[]>(models: CheckedModels<Models> & Models): void
 * ```
 */
export type CheckedModels<
  Models extends readonly AnyModel[],
  Names = Models[number]['name'],
  Fields = FieldsOf<Models[number]>,
> = number extends Models['length']
  ? // A list of unknown length may hold any model.
    unknown
  : string extends Names
    ? // So may a list with a model whose name is not a literal type.
      unknown
    : { readonly [I in keyof Models]: CheckedModel<Models[I], Names, Fields> }
