// Text patterns that match a client's text literally: LIKE with escapes, GLOB and regular expressions with case classes.

import { caseForms } from './fold.ts'

export type Match = 'contains' | 'startsWith' | 'endsWith'

/** Returns the pattern for `like … escape '!'`. `!` has no other meaning in any database or driver. */
export function likePattern(match: Match, text: string): string {
  return around(match, likeLiteral(text), '%')
}

/** Returns the pattern of one text alone. */
export const likeLiteral = (text: string): string => text.replace(/[!%_]/g, '!$&')

/** The number of characters of a text, as databases count them. */
export const lengthOf = (text: string): number => Array.from(text).length

/** Returns the pattern for GLOB, whose special characters are literal inside a character class. */
export function globPattern(match: Match, text: string, ignoreCase: boolean): string {
  const literal = Array.from(text, (character) => {
    if (character === '*' || character === '?' || character === '[') return `[${character}]`
    return ignoreCase ? classOf(character) : character
  })
  return around(match, literal.join(''), '*')
}

/**
 * Returns a regular expression that ignores case by character classes from `fold.ts` instead of the engine's own tables. For
 * `endsWith`, `$` must be the end of the text in the engine, and not a place before a final line break.
 */
export function caseRegExp(match: Match, text: string): string {
  const literal = Array.from(text, (character) =>
    /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : classOf(character),
  ).join('')
  if (match === 'startsWith') return `^${literal}`
  return match === 'endsWith' ? `${literal}$` : literal
}

function classOf(character: string): string {
  const forms = caseForms(character)
  return forms === character ? character : `[${forms}]`
}

function around(match: Match, literal: string, any: string): string {
  if (match === 'startsWith') return literal + any
  return match === 'endsWith' ? any + literal : any + literal + any
}
