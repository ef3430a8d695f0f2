// functionHint: says what to write instead of a function of related rows that is misspelt, or stands behind a path. Appended to the 400:
// `COUNT(books)` → ` Did you mean "count"?`, `author.count(books)` → ` The whole path stands inside: count(author.books).`

import { excerpt } from '../../lib/error-size.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import { aggregateFunctions } from '../../model/query-words/operators.ts'

/** Returns the sentence to append to an error about `text`, which has a `(`; empty if nothing stands before it. */
export function functionHint(text: string): string {
  const [before = '', after = ''] = text.split('(', 2)
  const path = before.split('.')
  const name = path.pop() ?? ''
  if (name === '') return ''
  if (!(aggregateFunctions as readonly string[]).includes(name)) {
    const near = didYouMean(name, aggregateFunctions)
    return near === ''
      ? ` Functions of related records are ${aggregateFunctions.join(', ')}.`
      : near
  }
  if (path.length === 0) return ' No aggregate of related records can stand here.'
  // The path up to the first bracket or separator: `books` of `author.count(books[price__gt=2])`.
  const [relations = ''] = /^[^)[\]|,=]*/.exec(after) ?? []
  const closing = after.charAt(relations.length) === '[' ? '[…])' : ')'
  return ` The whole path stands inside: ${excerpt(`${name}(${[...path, relations].join('.')}`)}${closing}.`
}
