// Text patterns that match a client's text literally: LIKE with escapes, GLOB and regular expressions with case classes, and the length of
// a text as databases count it.

import { caseForms } from './fold.ts'

/** Where the text must stand in a value. */
export type PatternKind = 'contains' | 'startsWith' | 'endsWith'

/** Returns the pattern for `like … escape '!'`: `50%` → `%50!%%`. `!` has no other meaning in any database or driver. */
export function likePattern(match: PatternKind, text: string): string {
  return around(match, likeLiteral(text), '%')
}

/** Returns the pattern that matches only the text itself. */
export const likeLiteral = (text: string): string => text.replace(/[!%_]/g, '!$&')

/** The number of characters of a text, as databases count them. */
export const lengthOf = (text: string): number => Array.from(text).length

/** Returns the pattern for GLOB: `is*?` → `*is[*][?]*`, because special characters are literal inside a character class. */
export function globPattern(match: PatternKind, text: string, ignoreCase: boolean): string {
  const literal = Array.from(text, (character) => {
    if (character === '*' || character === '?' || character === '[') return `[${character}]`
    return ignoreCase ? classOf(character) : character
  })
  return around(match, literal.join(''), '*')
}

/**
 * Returns a regular expression, `a+` → `[aA]\+`, that ignores case by character classes from `fold.ts` instead of the engine's own tables.
 * For `endsWith`, `$` must be the end of the text in the engine, and not a place before a final line break. Without the forms of letters
 * that the database `lacks`.
 */
export function caseRegExp(
  match: PatternKind,
  text: string,
  lacks?: (character: string) => boolean,
): string {
  const literal = Array.from(text, (character) =>
    /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : classOf(character, lacks),
  ).join('')
  if (match === 'startsWith') return `^${literal}`
  return match === 'endsWith' ? `${literal}$` : literal
}

/** Whether a text has a letter of which the database lacks every form, so that no row contains the text. */
export const hasNoForm = (text: string, lacks: (character: string) => boolean): boolean =>
  [...text].some((character) => [...caseForms(character)].every(lacks))

/** `é` → `[éÉ]` */
function classOf(character: string, lacks?: (character: string) => boolean): string {
  const all = caseForms(character)
  const forms = lacks === undefined ? all : [...all].filter((form) => !lacks(form)).join('')
  return forms === character ? character : `[${forms}]`
}

function around(match: PatternKind, literal: string, any: string): string {
  if (match === 'startsWith') return literal + any
  return match === 'endsWith' ? any + literal : any + literal + any
}
