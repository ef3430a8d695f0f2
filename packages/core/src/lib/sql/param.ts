// Param: a value that SQL refers to: of the request, or one that is always the same (constant). The text of a statement depends on it only
// by questions whose answers are recorded, so that the statement can be sent again with other values.

import { type Expression, ValueNode } from 'kysely'

/** How a parameter is made when a stored statement is sent again: it is a constant, or computed from a value of the new request. */
export type Recipe =
  | { readonly kind: 'constant'; readonly value: unknown }
  /** The value of the request that the slot names; the plan of a read gives each value of the query a slot. */
  | { readonly kind: 'slot'; readonly slot: object }
  /** The item of a list at an index, or its last one. */
  | { readonly kind: 'item'; readonly of: Recipe; readonly index: number }
  | {
      readonly kind: 'converted'
      readonly from: Recipe
      readonly by: (value: never) => unknown
      /** Whether several parameters need the result, which is then computed once. */
      readonly isShared: boolean
    }

/** What a statement may depend on: the answer to a question about a value. */
export type Answer = string | number | boolean

/** A question about a value of the request, and the answer for which the text of the statement was made. */
export interface Decision {
  /** How the value is made of which the question was asked. */
  readonly of: Recipe
  readonly question: (value: never) => Answer
  readonly answer: Answer
}

/**
 * A value in SQL: `${param}` is a parameter of the statement. A function that makes SQL cannot see the value; it can convert it, and
 * decide by a question which SQL to make.
 *
 * ```ts
 * const from = param.map(String)
 * from.decide((text) => text.startsWith('24')) ? sql`${ref} >= ${from}` : sql`${ref} >= ${from} and ${ref} < ${from.map(nextSecond)}`
 * ```
 */
export class Param<V = unknown> implements Expression<V> {
  readonly #value: V
  readonly #recipe: Recipe | undefined
  readonly #decisions: Decision[] | undefined

  /** `recipe` says how the value is made of one of a slot, `decisions` collects the decisions about it; a constant has neither. */
  constructor(value: V, recipe?: Recipe, decisions?: Decision[]) {
    this.#value = value
    this.#recipe = recipe
    this.#decisions = decisions
  }

  /** Kysely's type of the expression; there is no such value. */
  get expressionType(): V | undefined {
    return undefined
  }

  /** The converted value, as another parameter. */
  map<W>(by: (value: V) => W): Param<W> {
    return new Param(by(this.#value), this.#converted(by, { isShared: false }), this.#decisions)
  }

  /** Converts a value of which several parameters are made, such as a list that is sorted. */
  share<W>(by: (value: V) => W): Param<W> {
    return new Param(by(this.#value), this.#converted(by, { isShared: true }), this.#decisions)
  }

  /** Answers a question about the value. The statement is used again only for values with the same answer. */
  decide<A extends Answer>(question: (value: V) => A): A {
    const answer = question(this.#value)
    const of = this.#recipe
    if (of !== undefined) this.#decisions?.push({ of, question, answer })
    return answer
  }

  /** The first `length` items of a list, each as a parameter; the last one is repeated for a shorter list. */
  items<I>(this: Param<readonly I[]>, length: number): readonly Param<I>[] {
    const [list, of] = [this.#value, this.#recipe]
    return Array.from(
      { length },
      (_, index) =>
        new Param(itemAt(list, index), of && { kind: 'item', of, index }, this.#decisions),
    )
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this.#value)
  }

  #converted(
    by: (value: never) => unknown,
    { isShared }: { readonly isShared: boolean },
  ): Recipe | undefined {
    const from = this.#recipe
    return from && { kind: 'converted', from, by, isShared }
  }

  /** The value of a parameter, for the printer. */
  static valueOf(param: Param): unknown {
    return param.#value
  }

  /** How the parameter is made, for the printer. */
  static recipeOf(param: Param): Recipe {
    return param.#recipe ?? { kind: 'constant', value: param.#value }
  }
}

/** The item at an index; the last one is repeated. */
export const itemAt = <I>(list: readonly I[], index: number): I =>
  list[Math.min(index, list.length - 1)] as I

/** A value that is the same whenever the statement is sent. */
export const constant = <V>(value: V): Param<V> => new Param(value)
