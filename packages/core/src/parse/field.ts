// Names: `price`, `author.name`, `author.publisher`; only their form, never whether they exist.

import type { FieldNode, TextNode } from './ast.ts'
import { excerpt, malformed } from './cursor.ts'
import { type Pair, rawText, spanOf } from './query-string.ts'

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
  if (text === '')
    throw malformed(pair, 0, 0, `Expected a name in "${excerpt(rawText(pair, 0, 0))}".`)
  const names: TextNode[] = []
  let from = start
  for (const name of text.split('.')) {
    names.push(readName(pair, from, from + name.length, text))
    from += name.length + 1
  }
  return names
}

/** name = 1*( any character but "." and the structural ones ) */
function readName(pair: Pair, start: number, end: number, whole: string): TextNode {
  const text = pair.text.slice(start, end)
  if (text === '') {
    const reason = `"${excerpt(whole)}" has an empty name: names are joined by single dots, such as author.name.`
    throw malformed(pair, start - 1, end + 1, reason)
  }
  const bracket = /[()[\]|]/.exec(text)
  if (bracket !== null) {
    const reason = `"${bracket[0]}" cannot stand in the name "${excerpt(whole)}".`
    throw malformed(pair, start, end, reason)
  }
  return { text, span: spanOf(pair, start, end) }
}

/** Decoded text as it stands, without blanks trimmed. */
export function textNode(pair: Pair, start: number, end: number): TextNode {
  return { text: pair.text.slice(start, end), span: spanOf(pair, start, end) }
}
