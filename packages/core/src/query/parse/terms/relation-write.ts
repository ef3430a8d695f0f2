// `labels.on_conflict=name`, `lines.on_missing=remove`: how a write treats the nested objects of a relation.

import type { RelationWriteNode } from '../ast.ts'
import { spanOf } from '../query-string.ts'
import type { Cursor } from '../text-cursor.ts'
import { readPath, textNode } from './field.ts'

export const relationWrites = ['on_conflict', 'on_missing'] as const

/** The option of a key such as `labels.on_conflict`; undefined for other keys. */
export const relationWriteOf = (key: string): RelationWriteNode['option'] | undefined =>
  relationWrites.find((option) => key.endsWith(`.${option}`))

/** relwrite = path "." option "=" …; the key ends at `keyEnd`, the index of the `=`. */
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
