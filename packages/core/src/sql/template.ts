// Templates: a statement printed once, with the pieces that can be filled in again with other values.

import { type Aliased, type Fragment, isFragment, isIdentifier, isNodeSource } from './fragment.ts'
import { printed, type TextStyle } from './print.ts'

/** A statement as text, its values, and which of them came from what. */
export interface Template {
  readonly text: string
  readonly parameters: readonly unknown[]
  readonly pieces: readonly Piece[]
}

interface Piece {
  readonly origin: object
  /** As it was printed, to be compared: a value may change the text, too. */
  readonly made: Part
  /** Where its values begin among those of the statement. */
  readonly start: number
}

/** What a piece is to be made of now; undefined leaves it as it is. */
export type Refill = (origin: object) => Fragment | undefined

/** What was made of pieces so far: statements that are filled with the same values have some in common. */
export type Pieces = Map<object, Fragment>

/** The template of a statement; undefined where a part of it is printed by Kysely. */
export function templateOf(fragment: Fragment, style: TextStyle): Template | undefined {
  const whole = printed(fragment, style)
  if (whole === undefined) return undefined
  const pieces = whole.origins.map(({ fragment: made, start }) => ({
    origin: made.origin as object,
    made: inner(made),
    start,
  }))
  return { text: whole.text, parameters: whole.parameters, pieces }
}

/**
 * The values of the statement with its pieces made anew; undefined where one of them would have another text.
 *
 * ```ts
 * const template = templateOf(sql`select 1 where ${madeOf(condition, sql`a = ${1}`)}`, style)
 * filled(template, () => sql`a = ${2}`) // [2]
 * filled(template, () => sql`a is null`) // undefined
 * ```
 */
export function filled(
  template: Template,
  refill: Refill,
  pieces: Pieces = new Map(),
): readonly unknown[] | undefined {
  if (template.pieces.length === 0) return template.parameters
  const parameters = [...template.parameters]
  for (const { origin, made, start } of template.pieces) {
    const now = pieces.get(origin) ?? refill(origin)
    if (now === undefined) continue
    pieces.set(origin, now)
    if (replaced(made, inner(now), parameters, start) === undefined) return undefined
  }
  return parameters
}

type Part = Fragment | Aliased

/** Whatever only says what something was made of left out. */
function inner(part: Part): Part {
  const { strings, values } = part
  const [only] = values
  return values.length === 1 && strings[0] === '' && strings[1] === '' && isFragment(only)
    ? inner(only)
    : part
}

/**
 * Puts the values of a fragment in the place of those that another had, which differs in them alone; answers with the
 * place behind them, or undefined where the text would be another one. Looking costs less than printing.
 */
function replaced(
  before: Part,
  now: Part,
  parameters: unknown[],
  start: number,
): number | undefined {
  if (!sameTexts(before.strings, now.strings)) return undefined
  let at = start
  for (let i = 0; i < before.values.length; i++) {
    const [was, is] = [before.values[i], now.values[i]]
    if (isFragment(was)) {
      const end = isFragment(is) ? replaced(was, is, parameters, at) : undefined
      if (end === undefined) return undefined
      at = end
    } else if (isIdentifier(was)) {
      if (!isIdentifier(is) || !sameTexts(was.identifier, is.identifier)) return undefined
    } else if (isPart(was) || isPart(is)) {
      return undefined
    } else {
      parameters[at] = is
      at += 1
    }
  }
  return at
}

const isPart = (value: unknown): boolean =>
  isFragment(value) || isIdentifier(value) || isNodeSource(value)

/** Most are one and the same: the texts of a template in our code. */
const sameTexts = (some: readonly string[], others: readonly string[]): boolean =>
  some === others || (some.length === others.length && some.every((text, i) => text === others[i]))
