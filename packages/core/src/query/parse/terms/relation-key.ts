// `labels.on_conflict=name`: the unique columns by which nested objects of a relation name stored records.

import type { RelationKeyNode } from '../ast.ts'
import { spanOf } from '../query-string.ts'
import type { Cursor } from '../text-cursor.ts'
import { readPath, textNode } from './field.ts'

export const relationKey = 'on_conflict'

export const isRelationKey = (key: string): boolean => key.endsWith(`.${relationKey}`)

/** relkey = path "." "on_conflict" "=" …; the key ends at `keyEnd`, the index of the `=`. */
export function readRelationKey({ pair }: Cursor, keyEnd: number): RelationKeyNode {
  const end = pair.text.length
  return {
    path: readPath(pair, 0, keyEnd - relationKey.length - 1),
    columns: textNode(pair, keyEnd + 1, end),
    span: spanOf(pair, 0, end),
  }
}
