// Templates: statements that are printed once and get their parameters replaced when they are sent with other values.

import { type Aliased, type Fragment, isFragment, isIdentifier, isPart } from './fragment.ts'
import { printed, type TextStyle } from './print.ts'

/** A statement as text and parameters, and the parts that its parameters come from. */
export interface Template {
  readonly text: string
  readonly parameters: readonly unknown[]
  readonly pieces: readonly Piece[]
}

interface Piece {
  readonly origin: object
  /** The fragment that was printed, for comparison: with another value, its text may be different. */
  readonly made: Part
  /** Whether the fragment is a single parameter. */
  readonly isParameter: boolean
  /** Index of its first parameter. */
  readonly start: number
}

/** The value of a part that is a single parameter. */
export interface Bound {
  readonly bound: unknown
}

/** Compiles a part with the new values; undefined keeps it unchanged. */
export type Refill = (origin: object) => Fragment | Bound | undefined

/** Makes the template of a statement; undefined if Kysely must print a part of it, or a part with an `origin` contains another one. */
export function templateOf(fragment: Fragment, style: TextStyle): Template | undefined {
  const whole = printed(fragment, style)
  if (whole === undefined || whole.nested) return undefined
  const pieces = whole.origins.map(({ fragment, start }) => {
    const made = inner(fragment)
    const isParameter = sameTexts(made.strings, ['', '']) && !isPart(made.values[0])
    return { origin: fragment.origin as object, made, isParameter, start }
  })
  return { text: whole.text, parameters: whole.parameters, pieces }
}

/**
 * Returns the parameters of the statement after its parts were compiled for new values; undefined if the SQL text of a part changes.
 *
 * ```ts
 * const template = templateOf(sql`select 1 where ${withOrigin(condition, sql`a = ${1}`)}`, style)
 * filled(template, () => sql`a = ${2}`) // [2]
 * filled(template, () => sql`a is null`) // undefined
 * ```
 */
export function filled(template: Template, refill: Refill): readonly unknown[] | undefined {
  if (template.pieces.length === 0) return template.parameters
  const parameters = [...template.parameters]
  for (const { origin, made, isParameter, start } of template.pieces) {
    const now = refill(origin)
    if (now === undefined) continue
    if ('bound' in now) {
      if (!isParameter) return undefined
      parameters[start] = now.bound
    } else if (replaced(made, inner(now), parameters, start) === undefined) return undefined
  }
  return parameters
}

type Part = Fragment | Aliased

/** Returns the fragment inside wrappers that only carry an `origin`. */
function inner(part: Part): Part {
  const { strings, values } = part
  const [only] = values
  return values.length === 1 && strings[0] === '' && strings[1] === '' && isFragment(only)
    ? inner(only)
    : part
}

/**
 * Replaces the parameters of one fragment by those of another with the same text. Returns the index after them, or undefined
 * if the texts differ. Comparing costs less than printing.
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

/** Compares by identity first: fragments of one template literal share the array. */
const sameTexts = (some: readonly string[], others: readonly string[]): boolean =>
  some === others || (some.length === others.length && some.every((text, i) => text === others[i]))
