// Parses names: the column `price`, the field `author.name`, the path of relations `author.publisher`. `query/plan` checks whether they
// exist. `textNode` takes any text with its position. `start` and `end` are indexes in the decoded text of the pair.

import { excerpt } from '../../../lib/error-size.ts'
import type { FieldNode, TextNode } from '../ast.ts'
import { functionHint } from '../misplaced-function.ts'
import { type Pair, spanOf, wholeText } from '../query-string.ts'
import { malformed } from '../text-cursor.ts'

/** field = [ path "." ] column */
export function readField(pair: Pair, start: number, end: number): FieldNode {
  const names = readPath(pair, start, end).map((name) => name.text)
  return {
    path: names.slice(0, -1),
    column: names.at(-1) ?? '',
    text: pair.text.slice(start, end),
    span: spanOf(pair, start, end),
  }
}

/** path = name *( "." name ) */
export function readPath(pair: Pair, start: number, end: number): TextNode[] {
  const text = pair.text.slice(start, end)
  if (text === '') throw malformed(pair, 0, 0, `Expected a name in "${excerpt(wholeText(pair))}".`)
  const names: TextNode[] = []
  let from = start
  for (const name of text.split('.')) {
    const to = from + name.length
    checkName(pair, name, start, end)
    names.push({ text: name, span: spanOf(pair, from, to) })
    from = to + 1
  }
  return names
}

/** Throws the 400 for a part of a path that is empty or has a bracket or `|`; `start` and `end` are those of the whole path. */
function checkName(pair: Pair, name: string, start: number, end: number): void {
  const structural = /[()[\]|]/.exec(name)
  if (name !== '' && structural === null) return
  const whole = excerpt(pair.text.slice(start, end))
  const reason =
    structural === null
      ? `"${whole}" has an empty name: names are joined by single dots, such as author.name.`
      : `"${structural[0]}" cannot stand in the name "${whole}".${hintFor(structural[0], pair.text.slice(start, end))}`
  throw malformed(pair, start, end, reason)
}

const hintFor = (structural: string, whole: string): string =>
  structural === '(' ? functionHint(whole) : ''

/** Returns the decoded text, untrimmed, with its position. */
export function textNode(pair: Pair, start: number, end: number): TextNode {
  return { text: pair.text.slice(start, end), span: spanOf(pair, start, end) }
}
