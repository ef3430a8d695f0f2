// Templates: a statement printed once, with the pieces that can be filled in again with other values.

import type { Fragment } from './fragment.ts'
import { type Printed, printed, type TextStyle } from './print.ts'

/** A statement as text, its values, and which of them came from what. */
export interface Template {
  readonly text: string
  readonly parameters: readonly unknown[]
  readonly pieces: readonly Piece[]
}

interface Piece {
  readonly origin: object
  /** The piece alone, to be compared: a value may change the text, too. */
  readonly text: string
  /** Its values among those of the statement. */
  readonly start: number
  readonly count: number
}

/** What a piece is to be made of now; undefined leaves it as it is. */
export type Refill = (origin: object) => Fragment | undefined

/** What was made of pieces so far: statements that are filled with the same values have some in common. */
export type Pieces = Map<object, Printed>

/** Pieces are compared in one style, since numbered placeholders depend on what stands before. */
const comparing: TextStyle = { quote: '"', placeholders: 'question marks' }

/** The template of a statement; undefined where a part of it is printed by Kysely. */
export function templateOf(fragment: Fragment, style: TextStyle): Template | undefined {
  const whole = printed(fragment, style)
  if (whole === undefined) return undefined
  const pieces = whole.origins.map(({ fragment: { origin }, fragment: made, start, end }) => ({
    origin: origin as object,
    text: printed(made, comparing)?.text ?? '',
    start,
    count: end - start,
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
  for (const { origin, text, start, count } of template.pieces) {
    let made = pieces.get(origin)
    if (made === undefined) {
      const fragment = refill(origin)
      if (fragment === undefined) continue
      made = printed(fragment, comparing)
      if (made === undefined) return undefined
      pieces.set(origin, made)
    }
    if (made.text !== text || made.parameters.length !== count) return undefined
    for (let i = 0; i < count; i++) parameters[start + i] = made.parameters[i]
  }
  return parameters
}
