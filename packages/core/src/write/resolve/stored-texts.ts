// storedTexts: the keys of the records that other keys name, where a collation finds keys equal whose texts differ: a link with the key
// `gb` names the stored record `GB`.

import type { Resource } from '../../model/registry/resource.ts'
import { chunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import { decodeRows } from '../../query/run/named-rows.ts'
import { compileNamedKeys } from '../statements/statements-by-keys.ts'
import type { WriteContext } from '../store/write-context.ts'
import { isCollated } from './is-collated.ts'
import { keyIn } from './look-up-records.ts'

type Key = readonly Value[]

/** Returns a function from a key to `keyText` of the stored key; a key that names no record has its own text. */
export async function storedTexts(
  { lease, target }: WriteContext,
  resource: Resource,
  keys: readonly Key[],
): Promise<(key: Key) => string> {
  if (keys.length === 0 || !isCollated(resource)) return keyText
  const texts = new Map<string, string>()
  for (const keyChunk of chunks(keys, resource.primaryKey.length)) {
    const named = compileNamedKeys(target, resource, keyChunk)
    if (named === undefined) return keyText
    const rows = await lease.rows(named.statement)
    const stored = decodeRows(named.readers, rows)
    for (let i = 0; i < rows.length; i++) {
      const key = keyChunk[Number(rows[i]?.[named.number]) - 1]
      const found = keyIn(resource, stored[i] ?? {})
      if (key !== undefined && found !== undefined) texts.set(keyText(key), keyText(found))
    }
  }
  return (key) => texts.get(keyText(key)) ?? keyText(key)
}
