// Parses the values of filters: plain text, `title__eq=Emma`; quoted text, `title__eq="Emma"`; lists, `id__in=(1,2)`. They stay text:
// `plan/conditions/value.ts` converts them to the column's type.

import { excerpt } from '../../../lib/error-size.ts'
import { type FilterOperator, filterOperators } from '../../../model/query-words/operators.ts'
import type { ListNode, ScalarNode, ValueNode } from '../ast.ts'
import { checkListLength } from '../limits.ts'
import { rawText, spanOf } from '../query-string.ts'
import {
  atEnd,
  type Cursor,
  type Enclosure,
  isSeparator,
  malformed,
  peek,
  quoteHint,
  readItems,
  separatorsAfter,
  skipBlanks,
} from '../text-cursor.ts'

/** value = text / list / quoted; the operator says whether it is a list. The cursor is at the value, and moves to its end. */
export function readFilterValue(
  cursor: Cursor,
  operator: FilterOperator,
  inside: Enclosure,
): ValueNode {
  if (filterOperators[operator].takes === 'list') return readList(cursor, operator, inside)
  return readScalar(cursor, inside)
}

/** scalar = text / quoted */
function readScalar(cursor: Cursor, inside: Enclosure): ScalarNode {
  return peek(cursor) === '"' ? readQuoted(cursor, inside) : readText(cursor, inside)
}

/** text: up to the end of the pair; inside brackets, up to the next `,` or the closing bracket. Balanced brackets are part of the text. */
function readText(cursor: Cursor, inside: Enclosure): ScalarNode {
  const { pair, position: start } = cursor
  const end = inside.closer === undefined ? pair.text.length : endOfText(cursor, inside)
  cursor.position = end
  return scalar(cursor, start, end, pair.text.slice(start, end), { quoted: false })
}

/** Finds the end of an unquoted text inside brackets: the `,` or the closing bracket that is not part of the text. */
function endOfText(cursor: Cursor, inside: Enclosure): number {
  const { pair, position: start } = cursor
  const open: string[] = []
  let index = start
  for (; index < pair.text.length; index++) {
    const char = pair.text.charAt(index)
    if (char === '(') open.push(')')
    else if (char === '[') open.push(']')
    else if (char === ')' || char === ']') {
      if (open.at(-1) !== char) break
      open.pop()
    } else if (open.length === 0 && char === ',' && isSeparator(pair, index, inside.separators))
      break
  }
  const unclosed = open.at(-1)
  if (unclosed === undefined) return index
  const bracket = unclosed === ')' ? '(' : '['
  const reason = `"${bracket}" is not closed inside "${excerpt(pair.text.slice(start, index))}". ${quoteHint}`
  throw malformed(pair, start, pair.text.length, reason)
}

/** quoted = `"` *( character | `\"` | `\\` ) `"` */
function readQuoted(cursor: Cursor, inside: Enclosure): ScalarNode {
  const { pair, position: start } = cursor
  const { text } = pair
  let content = ''
  let from = start + 1
  let index = from
  for (; index < text.length && text[index] !== '"'; index++) {
    if (text[index] !== '\\') continue
    const escaped = text.charAt(index + 1)
    if (escaped !== '"' && escaped !== '\\') {
      const reason =
        'In quoted text a backslash stands before a quote or a backslash only: write \\\\ for one.'
      throw malformed(pair, start, text.length, reason)
    }
    content += text.slice(from, index)
    from = index + 1
    index += 1
  }
  if (index >= text.length) {
    const quoted = excerpt(text.slice(start))
    const reason = `The quoted text ${quoted} has no closing quote. An "&" inside it is written %26, a quote \\".`
    throw malformed(pair, start, text.length, reason)
  }
  content += text.slice(from, index)
  cursor.position = index + 1
  if (inside.closer === undefined) expectNothingMore(cursor, 'the closing quote')
  return scalar(cursor, start, index + 1, content, { quoted: true })
}

/** list = "(" [ scalar *( "," scalar ) ] ")" */
function readList(cursor: Cursor, operator: FilterOperator, inside: Enclosure): ListNode {
  const { pair } = cursor
  skipBlanks(cursor)
  const start = cursor.position
  if (peek(cursor) !== '(') {
    const found = excerpt(pair.text.slice(start))
    const reason = `"${operator}" expected a list in parentheses, such as (1,2,3), instead of "${found}".${operator === 'contains' ? ' A text is searched by like.' : ''}`
    throw malformed(pair, start, pair.text.length, reason)
  }
  const list: Enclosure = {
    closer: ')',
    separators: separatorsAfter(cursor, inside.separators),
    start,
    opener: '(',
    depth: inside.depth,
  }
  let length = 0
  const items = readItems(cursor, list, () => {
    length += 1
    checkListLength(cursor.tally, length, () => rawText(pair, start, pair.text.length))
    return readListItem(cursor, list)
  })
  const span = spanOf(pair, start, cursor.position)
  if (inside.closer === undefined) expectNothingMore(cursor, 'the list')
  return { kind: 'list', items, span }
}

/** Reads an item of a list; trims unquoted text. An empty text must be quoted: `(1,,2)` is refused, because it is probably a mistake. */
function readListItem(cursor: Cursor, list: Enclosure): ScalarNode {
  const { pair, position: start } = cursor
  if (peek(cursor) === '"') return readQuoted(cursor, list)
  let end = endOfText(cursor, list)
  cursor.position = end
  while (end > start && pair.text[end - 1] === ' ') end -= 1
  if (end === start && !atEnd(cursor)) {
    const reason = 'The list has an empty item: an empty text is written "".'
    throw malformed(pair, list.start, pair.text.length, reason)
  }
  return scalar(cursor, start, end, pair.text.slice(start, end), { quoted: false })
}

/** Makes the node of a value; `start` and `end` include its quotes. */
function scalar(
  cursor: Cursor,
  start: number,
  end: number,
  text: string,
  { quoted }: Pick<ScalarNode, 'quoted'>,
): ScalarNode {
  return { kind: 'scalar', text, quoted, span: spanOf(cursor.pair, start, end) }
}

/** Throws the 400 for text between a quoted text or list and the end of the pair. */
function expectNothingMore(cursor: Cursor, what: string): void {
  const { pair } = cursor
  skipBlanks(cursor)
  if (atEnd(cursor)) return
  const rest = excerpt(pair.text.slice(cursor.position))
  throw malformed(pair, 0, pair.text.length, `Unexpected "${rest}" after ${what}.`)
}
