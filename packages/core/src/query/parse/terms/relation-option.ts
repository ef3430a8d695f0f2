// `books.limit=3`, `books.order_by=-year`, `books.fields=id,title`, `books[price__gt=20]`: options of one embedded relation; and
// `labels.on_conflict=name`, `lines.on_missing=remove`: how a write treats the nested objects of a relation.

import type { RelationOptionNode, RelationWriteNode } from '../ast.ts'
import { spanOf } from '../query-string.ts'
import { type Cursor, wholePair } from '../text-cursor.ts'
import { readTerms } from './comma-list.ts'
import { readPath, textNode } from './field.ts'
import { readConditions } from './group.ts'
import { readOrder } from './order-term.ts'
import { readOutput } from './output-term.ts'

/** The options of embedded relations that a key can end with: `books.limit`. */
export const relationOptions = ['limit', 'order_by', 'fields'] as const

/** Returns the option that a key ends with: `.limit`, `.order_by` or `.fields`. */
export function relationOptionOf(key: string): (typeof relationOptions)[number] | undefined {
  return relationOptions.find((option) => key.endsWith(`.${option}`))
}

/** relation-option = path "." ( "limit" / "order_by" / "fields" ) "=" …; the key ends at `keyEnd`, the index of the `=`. */
export function readRelationOption(
  cursor: Cursor,
  option: (typeof relationOptions)[number],
  keyEnd: number,
): RelationOptionNode {
  const { pair } = cursor
  const end = pair.text.length
  const path = readPath(pair, 0, keyEnd - option.length - 1)
  const span = spanOf(pair, 0, end)
  cursor.position = keyEnd + 1
  if (option === 'limit') return { path, span, option, limit: textNode(pair, keyEnd + 1, end) }
  const name = pair.text.slice(0, keyEnd)
  if (option === 'order_by') {
    return {
      path,
      span,
      option,
      order: readTerms(cursor, name, 0, () => readOrder(cursor)),
    }
  }
  const fields = readTerms(cursor, name, 0, () => readOutput(cursor))
  return { path, span, option, fields }
}

/** relation-option = path "[" item *( "," item ) "]" */
export function readRelationWhere(cursor: Cursor, nameEnd: number): RelationOptionNode {
  const { pair } = cursor
  const path = readPath(pair, 0, nameEnd)
  const where = readConditions(cursor, nameEnd, wholePair)
  return { path, span: spanOf(pair, 0, cursor.position), option: 'where', where }
}

/** The options of nested objects in writes that a key can end with: `labels.on_conflict`. */
export const relationWrites = ['on_conflict', 'on_missing'] as const

/** The option of a key such as `labels.on_conflict`; undefined for other keys. */
export const relationWriteOf = (key: string): RelationWriteNode['option'] | undefined =>
  relationWrites.find((option) => key.endsWith(`.${option}`))

/** relation-write = path "." option "=" …; the key ends at `keyEnd`, the index of the `=`. */
export function readRelationWrite(
  { pair }: Cursor,
  option: RelationWriteNode['option'],
  keyEnd: number,
): RelationWriteNode {
  const end = pair.text.length
  return {
    option,
    path: readPath(pair, 0, keyEnd - option.length - 1),
    value: textNode(pair, keyEnd + 1, end),
    span: spanOf(pair, 0, end),
  }
}
