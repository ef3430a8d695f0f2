// Says what to write instead of a function of related rows that is misspelt, or stands behind a path: `COUNT(books)`, `author.count(books)`.

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
  const [relations = ''] = /^[^)[\]|,=]*/.exec(after) ?? []
  const rest = after.charAt(relations.length) === '[' ? '[…])' : ')'
  return ` The whole path stands inside: ${excerpt(`${name}(${[...path, relations].join('.')}`)}${rest}.`
}
