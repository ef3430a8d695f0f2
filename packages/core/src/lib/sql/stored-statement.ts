// Stored statements: statements that are printed once and sent again with the values of later requests. `query/cache/statement-store.ts`
// keeps them: `select … where "price" > ?` with the recipe of its value.

import type { Fragment } from './fragment.ts'
import { type Decision, itemAt, type Recipe } from './param.ts'
import { printed, type TextStyle } from './print.ts'

/** The values of a request, by the slots that the parameters of its statements name. */
export interface SlotValues {
  /** The value of a slot; undefined if the request has none. */
  get(slot: object): unknown
}

/** The text of a statement, how its parameters are made, and for which values it has this text. */
export interface StoredStatement {
  readonly text: string
  readonly recipes: readonly Recipe[]
  readonly decisions: readonly Decision[]
}

/** A statement that is stored, with the parameters of the request that it was made for. */
export interface PrintedForStore {
  readonly statement: StoredStatement
  readonly parameters: readonly unknown[]
}

/** Prints a statement for the store; undefined if Kysely must print a part of it. `decisions`: those that the statement was made by. */
export function printForStore(
  fragment: Fragment,
  style: TextStyle,
  decisions: readonly Decision[],
): PrintedForStore | undefined {
  const recipes: Recipe[] = []
  const whole = printed(fragment, style, recipes)
  return (
    whole && { statement: { text: whole.text, recipes, decisions }, parameters: whole.parameters }
  )
}

/** Returns the parameters of a stored statement for the values of a request; undefined if these values need another text. */
export function bind(
  { recipes, decisions }: StoredStatement,
  values: SlotValues,
): readonly unknown[] | undefined {
  const binding: Binding = { values, shared: undefined }
  for (const { of, question, answer } of decisions) {
    if (question(computed(binding, of) as never) !== answer) return undefined
  }
  return recipes.map((recipe) => computed(binding, recipe))
}

/** The values of one request, while its parameters are computed. */
interface Binding {
  readonly values: SlotValues
  /** The results of shared conversions; undefined until the first. */
  shared: Map<Recipe, unknown> | undefined
}

/** The value of a parameter. */
function computed(binding: Binding, recipe: Recipe): unknown {
  switch (recipe.kind) {
    case 'constant':
      return recipe.value
    case 'slot': {
      const value = binding.values.get(recipe.slot)
      if (value === undefined) throw new Error('a statement was bound without the value of a slot')
      return value
    }
    case 'item':
      return itemAt(computed(binding, recipe.of) as readonly unknown[], recipe.index)
    case 'converted':
      return recipe.isShared
        ? sharedValue(binding, recipe)
        : recipe.by(computed(binding, recipe.from) as never)
  }
}

function sharedValue(binding: Binding, recipe: Extract<Recipe, { kind: 'converted' }>): unknown {
  binding.shared ??= new Map()
  if (binding.shared.has(recipe)) return binding.shared.get(recipe)
  const value = recipe.by(computed(binding, recipe.from) as never)
  binding.shared.set(recipe, value)
  return value
}
